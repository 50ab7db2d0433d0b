#!/usr/bin/env python3
"""Packs a program that `build.sh` has made for one system: an archive, on Linux a Debian package, a wheel, and the list of
what went in (SPDX). Needs nothing but Python, and makes the same bytes of the same program. On Linux, it runs the program for
the manual page and the completions.

    package.py PROGRAM --system linux-x86_64 --version 0.1.0 --revision 1a2b3c4 --resolved Package.resolved --out dist
    package.py … --repository https://github.com/OWNER/NAME     # without it, the page of the wheel has no links
"""
import argparse
import base64
import datetime
import gzip
import hashlib
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import typing
import urllib.parse
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAME = "holdfast-conformance"
SUMMARY = "Tests servers, clients and changes of the Holdfast protocol for mobile chat with an agent"
SYSTEMS = {
    "linux-x86_64": ("amd64", "manylinux_2_{glibc}_x86_64"),
    "linux-aarch64": ("arm64", "manylinux_2_{glibc}_aarch64"),
    "macos-arm64": (None, "macosx_13_0_arm64"),
    "macos-x86_64": (None, "macosx_13_0_x86_64"),
}
# What the program prints with these arguments goes to these places of the Debian package.
GENERATED = {
    "man/man1/conformance.1.gz": ["--generate-manual"],
    "bash-completion/completions/conformance": ["--generate-completion-script", "bash"],
    "zsh/vendor-completions/_conformance": ["--generate-completion-script", "zsh"],
    "fish/vendor_completions.d/conformance.fish": ["--generate-completion-script", "fish"],
}


def refuse(problem: str, expected: str, fix: str) -> typing.NoReturn:
    print(f"package.py: {problem}\n  expected: {expected}\n  fix: {fix}", file=sys.stderr)
    sys.exit(64)


def epoch() -> int:
    text = os.environ.get("SOURCE_DATE_EPOCH", "0")
    if not (text.isdecimal() and int(text) < 2**32):
        refuse(f"SOURCE_DATE_EPOCH: '{text}'", "seconds since 1970, below 2^32", "correct or unset it")
    # A zip file knows no time before 1980.
    return max(int(text), 315532800)


EPOCH = epoch()


def glibc(program: bytes, path: pathlib.Path) -> int:
    """The newest version 2.N of the C library that the program asks for."""
    found = [int(number) for number in re.findall(rb"GLIBC_2\.(\d+)", program)]
    if not found:
        refuse(f"{path}: names no version of glibc", "a program for Linux", "check PROGRAM and --system")
    return max(found)


def generated(program: bytes, path: pathlib.Path) -> dict[str, bytes]:
    """The manual page and the completions, as the program prints them, by their paths in a Debian package."""
    files = {}
    with tempfile.TemporaryDirectory() as folder:
        # A copy, since a file that was downloaded may not be executable.
        copy = pathlib.Path(folder, "conformance")
        copy.write_bytes(program)
        copy.chmod(0o755)
        for place, arguments in GENERATED.items():
            text, why = b"", ""
            try:
                run = subprocess.run([copy, *arguments], stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
                text = run.stdout
                if run.returncode or not text:
                    why = f"exit code {run.returncode}, {len(text)} bytes"
            except OSError as problem:
                why = str(problem.strerror)
            except subprocess.TimeoutExpired:
                why = "still running after 60 s"
            if why:
                refuse(f"{path}: cannot run it with {' '.join(arguments)}: {why}",
                       "a `conformance` that runs here", "package it on the system that it is built for")
            # As `gzip -n`: no name, no time.
            files[f"./usr/share/{place}"] = gzip.compress(text, mtime=0) if place.endswith(".gz") else text
    return files


def page(repository: str, revision: str) -> str:
    """The README, to be shown elsewhere: its links lead into the repository, or become their text when that is not known."""
    def moved(link: re.Match) -> str:
        picture, text, target = link.groups()
        if repository:
            target = urllib.parse.urljoin(f"{repository}/{'raw' if picture else 'blob'}/{revision}/README.md", target)
        elif not urllib.parse.urlsplit(target).scheme:
            return "" if picture else text
        return f"{picture}[{text}]({target})"

    # Every second part is a fence.
    parts = re.split(r"(^```.*?^```$)", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    parts[::2] = [re.sub(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)", moved, part) for part in parts[::2]]
    return "".join(parts)


def tar(files: dict[str, tuple[bytes, int]]) -> bytes:
    """A compressed archive of files by path, each with its bytes and mode; folders above them are made."""
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", mtime=EPOCH, compresslevel=9) as stream:
        with tarfile.open(fileobj=stream, mode="w", format=tarfile.USTAR_FORMAT) as archive:
            for path, (content, mode) in files.items():
                start = "./" if path.startswith("./") else ""
                folders = [start + str(parent) for parent in reversed(pathlib.PurePosixPath(path).parents) if str(parent) != "."]
                for folder in [folder for folder in folders if folder not in archive.getnames()]:
                    entry = tarfile.TarInfo(folder)
                    entry.type, entry.mode, entry.mtime = tarfile.DIRTYPE, 0o755, EPOCH
                    archive.addfile(entry)
                entry = tarfile.TarInfo(path)
                entry.size, entry.mode, entry.mtime = len(content), mode, EPOCH
                archive.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


def debian(
    program: bytes, version: str, architecture: str, libc: int, documents: dict[str, bytes], printed: dict[str, bytes]
) -> bytes:
    files = {"./usr/bin/conformance": (program, 0o755)} | {path: (content, 0o644) for path, content in printed.items()}
    for name, content in documents.items():
        files[f"./usr/share/doc/{NAME}/{'copyright' if name == 'LICENSE' else name}"] = (content, 0o644)
    size = sum(len(content) for content, _ in files.values()) // 1024 + 1
    control = (
        f"Package: {NAME}\nVersion: {version}\nArchitecture: {architecture}\nSection: devel\nPriority: optional\n"
        f"Installed-Size: {size}\nDepends: libc6 (>= 2.{libc}), libstdc++6, libgcc-s1\nRecommends: ca-certificates, openssl\n"
        f"Maintainer: The Holdfast authors <noreply@example.org>\nDescription: {SUMMARY}\n"
    )
    sums = "".join(f"{hashlib.md5(content).hexdigest()}  {path[2:]}\n" for path, (content, _) in files.items())
    parts = [
        ("debian-binary", b"2.0\n"),
        ("control.tar.gz", tar({"./control": (control.encode(), 0o644), "./md5sums": (sums.encode(), 0o644)})),
        ("data.tar.gz", tar(files)),
    ]
    package = b"!<arch>\n"
    for name, content in parts:
        package += f"{name:<16}{EPOCH:<12}{0:<6}{0:<6}{'100644':<8}{len(content):<10}`\n".encode() + content
        package += b"\n" * (len(content) % 2)
    return package


def wheel(program: bytes, version: str, tag: str, repository: str, revision: str) -> bytes:
    name = NAME.replace("-", "_")
    places = {
        "Homepage": repository, "Source": f"{repository}/tree/{revision}", "Issues": f"{repository}/issues",
        "Changelog": f"{repository}/blob/{revision}/CHANGELOG.md",
    }
    urls = "".join(f"Project-URL: {label}, {url}\n" for label, url in places.items()) if repository else ""
    information = f"{name}-{version}.dist-info"
    metadata = (
        f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {version}\nSummary: {SUMMARY}\nLicense: Apache-2.0\n"
        f"{urls}Requires-Python: >=3.8\nDescription-Content-Type: text/markdown\n\n{page(repository, revision)}"
    )
    files = [
        (f"{name}-{version}.data/scripts/conformance", program, 0o755),
        (f"{information}/METADATA", metadata.encode(), 0o644),
        (f"{information}/WHEEL", f"Wheel-Version: 1.0\nGenerator: package.py\nRoot-Is-Purelib: false\nTag: {tag}\n".encode(), 0o644),
        (f"{information}/licenses/LICENSE", (ROOT / "LICENSE").read_bytes(), 0o644),
    ]
    record = f"{information}/RECORD"
    lines = []
    for path, content, _ in files:
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{path},sha256={digest},{len(content)}\n")
    files.append((record, ("".join(lines) + f"{record},,\n").encode(), 0o644))
    moment = datetime.datetime.fromtimestamp(EPOCH, datetime.timezone.utc).timetuple()[:6]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path, content, mode in files:
            entry = zipfile.ZipInfo(path, moment)
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return packed.getvalue()


def bill(program: bytes, version: str, revision: str, system: str, pins: list[dict]) -> dict:
    """What went into the program, as SPDX 2.3 says it."""
    own = {
        "SPDXID": "SPDXRef-conformance", "name": NAME, "versionInfo": version, "licenseDeclared": "Apache-2.0",
        "licenseConcluded": "Apache-2.0", "copyrightText": "NOASSERTION", "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
        "sourceInfo": f"revision {revision}", "primaryPackagePurpose": "APPLICATION",
        "checksums": [{"algorithm": "SHA256", "checksumValue": hashlib.sha256(program).hexdigest()}],
    }
    packages, relations = [own], [("SPDXRef-DOCUMENT", "DESCRIBES", own["SPDXID"])]
    for pin in sorted(pins, key=lambda pin: pin["identity"]):
        state = pin["state"]
        packages.append({
            "SPDXID": f"SPDXRef-{pin['identity']}", "name": pin["identity"], "versionInfo": state.get("version", "NOASSERTION"),
            "downloadLocation": f"git+{pin['location']}@{state['revision']}", "filesAnalyzed": False,
            "licenseDeclared": "NOASSERTION", "licenseConcluded": "NOASSERTION", "copyrightText": "NOASSERTION",
        })
        relations.append((own["SPDXID"], "DEPENDS_ON", packages[-1]["SPDXID"]))
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"conformance-{version}-{system}", "documentNamespace": f"https://spdx.org/spdxdocs/conformance-{version}-{system}-{revision}",
        "creationInfo": {
            "created": datetime.datetime.fromtimestamp(EPOCH, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": ["Tool: package.py"],
        },
        "packages": packages,
        "relationships": [
            {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other} for one, kind, other in relations
        ],
    }


def main() -> None:
    usage = "package.py PROGRAM --system NAME --version N.N.N --revision COMMIT [--repository URL] [--resolved FILE] [--out FOLDER]"
    parser = argparse.ArgumentParser(usage=usage, description=__doc__.split("\n")[0])
    parser.error = lambda problem: refuse(problem, usage, "see package.py --help")
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--system", required=True, choices=sorted(SYSTEMS))
    parser.add_argument("--version", required=True)
    parser.add_argument("--revision", required=True)
    parser.add_argument("--repository", default="")
    parser.add_argument("--resolved", type=pathlib.Path, default=ROOT / "Package.resolved")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("dist"))
    given = parser.parse_args()
    given.repository = given.repository.rstrip("/")
    for flag, text, form, expected, fix in [
        ("--version", given.version, r"[0-9]+\.[0-9]+\.[0-9]+", "three numbers such as 0.1.0", "give the tag without its v"),
        ("--revision", given.revision, r"[0-9a-f]{4,64}", "a commit such as 1a2b3c4", 'give "$(git rev-parse HEAD)"'),
        ("--repository", given.repository, r"(https?://[^\s/@]+/[^\s@]+)?", "a URL such as https://github.com/OWNER/NAME", "correct or omit it"),
    ]:
        if not re.fullmatch(form, text):
            refuse(f"{flag}: '{text}'", expected, fix)
    contents = []
    for file, fix in [(given.program, "build it: .github/release/build.sh PROGRAM"), (given.resolved, "run swift package resolve")]:
        try:
            contents.append(file.read_bytes())
        except OSError as problem:
            refuse(f"{file}: {problem.strerror}", "a file that can be read", fix)
    program = contents[0]
    try:
        pins = json.loads(contents[1])["pins"]
        listed = bill(program, given.version, given.revision, given.system, pins)
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        why = problem if isinstance(problem, ValueError) else "a pin lacks its identity, location or revision"
        refuse(f"{given.resolved}: {why}", "the pins that SwiftPM writes", "run swift package resolve")
    documents = {name: (ROOT / name).read_bytes() for name in ("LICENSE", "README.md", "CHANGELOG.md")}
    architecture, tag = SYSTEMS[given.system]
    libc = glibc(program, given.program) if architecture else 0
    tag = "py3-none-" + tag.format(glibc=libc)
    start = f"conformance-{given.version}-{given.system}"
    printed = generated(program, given.program) if architecture else {}
    try:
        given.out.mkdir(parents=True, exist_ok=True)
        # All packages appear there, or none.
        with tempfile.TemporaryDirectory(prefix=".package-", dir=given.out) as folder:
            made = {
                f"{start}.tar.gz": tar(
                    {f"{start}/conformance": (program, 0o755)} | {f"{start}/{name}": (text, 0o644) for name, text in documents.items()}),
                f"{NAME.replace('-', '_')}-{given.version}-{tag}.whl": wheel(program, given.version, tag, given.repository, given.revision),
                f"{start}.spdx.json": (json.dumps(listed, indent=2) + "\n").encode(),
            }
            if architecture:
                made[f"{NAME}_{given.version}_{architecture}.deb"] = debian(program, given.version, architecture, libc, documents, printed)
            for name, content in made.items():
                pathlib.Path(folder, name).write_bytes(content)
            for name, content in made.items():
                os.replace(pathlib.Path(folder, name), given.out / name)
                print(f"{len(content):>12,}  {given.out / name}")
    except OSError as problem:
        refuse(f"--out {given.out}: {problem.strerror}", "a folder that can be written, or none yet", "give another folder")


main()
