"""Checks what the release scripts pack and refuse, and the page's commands for Kubernetes with a `kubectl` that only answers.

    release_checks.py
"""
import gzip
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "Sources/conformance/Documentation.docc/ContinuousIntegration.md"
PROGRAM = '#!/bin/sh\necho "said $*"\n# GLIBC_2.35\n'
# The job FAILS fails with a pod that ended with CODE; at first, each still runs.
KUBECTL = """#!/bin/sh
echo "$*" >>"$0.asked"
case "$*" in
    "get job "*) [ "$(grep -c "$1 $2 $3" "$0.asked")" -gt 1 ] || exit 0 ;;
esac
case "$*" in
    "get job conformance-$FAILS "*) echo "FailureTarget Failed" ;;
    "get job "*) [ "$FAILS" = never ] || echo "SuccessCriteriaMet Complete" ;;
    "get pods "*) echo "$CODE" ;;
    *) exit "${BROKEN:-0}" ;;
esac
"""


class Checks(unittest.TestCase):
    def setUp(self):
        home = tempfile.TemporaryDirectory()
        self.addCleanup(home.cleanup)
        self.home = pathlib.Path(home.name)

    def write(self, name: str, text: str) -> None:
        path = self.home / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def run_here(self, *words: object, **environment: str) -> subprocess.CompletedProcess:
        surroundings = {**os.environ, **environment}
        return subprocess.run(words, cwd=self.home, env=surroundings, capture_output=True, text=True, timeout=60, check=False)

    def pack(self, *words: str, **environment: str) -> subprocess.CompletedProcess:
        self.write("program", PROGRAM)
        self.write("Package.resolved", '{"pins": []}')
        return self.run_here(
            sys.executable, ROOT / ".github/release/package.py", "program", "--system", "linux-x86_64", "--version", "0.1.0",
            "--revision", "1a2b", "--resolved", "Package.resolved", *words, **environment)

    def assert_refused(self, run: subprocess.CompletedProcess, problem: str, code: int = 64) -> None:
        self.assertEqual(run.returncode, code, run)
        self.assertRegex(run.stderr, rf"\A\S+: {problem}.*\n  expected: .+\n  fix: .+\n\Z")

    def metadata(self, *words: str) -> tuple:
        self.assertEqual(self.pack(*words).returncode, 0)
        wheel = zipfile.ZipFile(next(self.home.glob("dist/*.whl")))
        [name] = [name for name in wheel.namelist() if name.endswith("METADATA")]
        head, page = wheel.read(name).decode().split("\n\n", 1)
        return head, page, re.findall(r"(!?)\[[^\]]*\]\(([^)]*)\)", re.sub(r"(?ms)^```.*?^```$", "", page))

    def test_the_page_of_the_wheel_leads_into_the_repository(self):
        head, _, links = self.metadata("--repository", "https://h/o/n/")
        self.assertEqual(re.findall("Project-URL: (.*),", head), ["Homepage", "Source", "Issues", "Changelog"])
        self.assertGreater(len(links), 10)
        for picture, target in links:
            start = f"https://h/o/n/{'raw' if picture else 'blob'}/1a2b/"
            self.assertTrue(target.startswith(start), target)
            self.assertTrue((ROOT / target[len(start):].split("#")[0]).is_file(), target)

    def test_without_a_repository_it_has_no_links(self):
        head, page, links = self.metadata()
        self.assertNotIn("Project-URL", head)
        self.assertEqual(links, [])
        self.assertIn("a specification", page)

    def test_the_debian_package_has_manual_page_and_completions(self):
        self.assertEqual(self.pack().returncode, 0)
        package = next(self.home.glob("dist/*.deb")).read_bytes()
        at = package.index(b"data.tar.gz")
        size = int(package[at + 48:at + 58])
        files = tarfile.open(fileobj=io.BytesIO(package[at + 60:at + 60 + size]))
        share = {entry.name[len("./usr/share/"):]: entry for entry in files if entry.isfile()}
        manual = files.extractfile(share["man/man1/conformance.1.gz"]).read()
        self.assertEqual(gzip.decompress(manual), b"said --generate-manual\n")
        self.assertEqual(manual[3:8], bytes(5), "it has a name or a time")
        for shell, place in [
            ("bash", "bash-completion/completions/conformance"), ("zsh", "zsh/vendor-completions/_conformance"),
            ("fish", "fish/vendor_completions.d/conformance.fish"),
        ]:
            self.assertEqual(files.extractfile(share[place]).read().decode(), f"said --generate-completion-script {shell}\n")
            self.assertEqual(share[place].mode, 0o644)

    def test_what_cannot_be_packed_is_refused_and_leaves_nothing(self):
        self.write("silent", "#!/bin/sh\nexit 3\n# GLIBC_2.35\n")
        self.write("list", "[1]")
        for words, problem in [
            (["--out", "/dev/null/x"], "--out /dev/null/x: "), (["--out", "program"], "--out program: "),
            (["--version", "v1"], "--version: 'v1'"), (["--revision", "a b"], "--revision: 'a b'"),
            (["--repository", "o/n"], "--repository: 'o/n'"), (["--system", "plan9"], "argument --system: "),
            (["--resolved", "none"], "none: "), (["--resolved", "program"], "program: "), (["--resolved", "list"], "list: "),
            (["silent"], "unrecognized arguments: silent"),
        ]:
            self.assert_refused(self.pack(*words), problem)
        self.assert_refused(self.pack(SOURCE_DATE_EPOCH="now"), "SOURCE_DATE_EPOCH: 'now'")
        script = ROOT / ".github/release/package.py"
        self.assert_refused(self.run_here(sys.executable, script), "the following arguments are required")
        rest = ["--system", "linux-x86_64", "--version", "0.1.0", "--revision", "1a2b", "--resolved", "Package.resolved"]
        for program, problem in [("none", "none: "), (".", r"\.: "), ("list", "list: names no"), ("silent", "silent: cannot run it")]:
            self.assert_refused(self.run_here(sys.executable, script, program, *rest), problem)
        self.assertEqual(sorted(os.listdir(self.home)), ["Package.resolved", "list", "program", "silent"])

    @unittest.skipUnless(shutil.which("dpkg"), "needs dpkg")
    def test_a_folder_that_cannot_be_tried_is_refused(self):
        script = ROOT / ".github/release/try.sh"
        machine = os.uname()
        system = f"{machine.sysname.lower()}-{machine.machine}"
        (self.home / "empty").mkdir()
        self.assert_refused(self.run_here(script, "empty"), f"empty: 0 .deb, 0 .tar.gz and 0 .whl for {system}")
        self.assert_refused(self.run_here(script, "none"), "none: not a folder")
        self.assert_refused(self.run_here(script), "0 arguments")
        self.assertEqual(self.pack("--system", system).returncode, 0)
        self.assertEqual(self.pack("--system", system, "--version", "0.2.0", "--out", "other").returncode, 0)
        for name in os.listdir(self.home / "other"):
            shutil.copy(self.home / "other" / name, self.home / "dist")
        self.assert_refused(self.run_here(script, "dist"), f"dist: 2 .deb, 2 .tar.gz and 2 .whl for {system}")
        for old in [*self.home.glob("dist/*0.1.0*.deb"), *self.home.glob("dist/*0.2.0*.tar.gz"), *self.home.glob("dist/*0.1.0*.whl")]:
            old.unlink()
        self.assert_refused(self.run_here(script, "dist"), "dist: conformance-0.1.0-")

    def test_the_commands_for_kubernetes_end_with_the_verdict(self):
        [script] = [text for text in re.findall(r"(?ms)^```sh\n(.*?)^```$", PAGE.read_text()) if "kubectl" in text]
        both = ["shards", "whole"]
        for fails, code, broken, expected, jobs in [
            ("", "", "0", 0, both), ("whole", "1", "0", 1, both), ("whole", "2", "0", 2, both), ("whole", "3", "0", 3, both),
            ("shards", "69", "0", 69, ["shards"]),
            # A pod that was evicted has no exit code.
            ("shards", "", "0", 70, ["shards"]),
            ("never", "", "0", 69, ["shards"]),
            ("", "", "1", 69, []),
        ]:
            for shell in [["bash", "-c"], ["bash", "-euc"], ["sh", "-c"]]:
                self.write("bin/kubectl", KUBECTL)
                self.write("bin/sleep", "#!/bin/sh\n")
                path = f"{self.home}/bin:{os.environ['PATH']}"
                run = self.run_here(*shell, script, PATH=path, FAILS=fails, CODE=code, BROKEN=broken)
                asked = self.home / "bin/kubectl.asked"
                made = re.findall(r"apply .*-f kubernetes-(\w+)\.yaml$", asked.read_text(), re.MULTILINE)
                asked.unlink()
                self.assertEqual((run.returncode, made), (expected, jobs), f"{shell} {fails} {code}: {run}")


unittest.main()
