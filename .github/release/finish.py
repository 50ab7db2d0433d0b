#!/usr/bin/env python3
"""Writes what a release needs once the packages of all systems lie in one folder: SHA256SUMS and the Homebrew formula.

    finish.py dist --version 0.1.0 --url https://github.com/OWNER/NAME/releases/download/v0.1.0
"""
import argparse
import hashlib
import pathlib
import sys

FORMULA = """\
class Conformance < Formula
  desc "Tests servers, clients and changes of the Holdfast protocol"
  homepage "{home}"
  version "{version}"
  license "Apache-2.0"
{systems}
  def install
    bin.install "conformance"
    generate_completions_from_executable(bin/"conformance", "--generate-completion-script")
    (man1/"conformance.1").write Utils.safe_popen_read(bin/"conformance", "--generate-manual")
  end

  test do
    assert_match "conforms", shell_output("#{{bin}}/conformance server --reference --only TURN-2")
  end
end
"""
PLACES = [("macos", [("arm", "macos-arm64"), ("intel", "macos-x86_64")]), ("linux", [("arm", "linux-aarch64"), ("intel", "linux-x86_64")])]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--version", required=True)
    parser.add_argument("--url", required=True)
    given = parser.parse_args()
    if not given.folder.is_dir():
        sys.exit(f"finish.py: there is no folder {given.folder}\n  expected: the packages of all systems\n  fix: run package.py first")
    files = sorted(f for f in given.folder.iterdir() if f.is_file() and f.name not in ("SHA256SUMS", "conformance.rb"))
    sums = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}
    systems = ""
    for system, kinds in PLACES:
        inner = ""
        for processor, name in kinds:
            archive = f"conformance-{given.version}-{name}.tar.gz"
            if archive in sums:
                inner += f'    on_{processor} do\n      url "{given.url}/{archive}"\n      sha256 "{sums[archive]}"\n    end\n'
        if inner:
            systems += f"\n  on_{system} do\n{inner}  end\n"
    if not systems:
        sys.exit(f"finish.py: no archive in {given.folder}\n  expected: conformance-{given.version}-SYSTEM.tar.gz\n  fix: run package.py first")
    formula = FORMULA.format(home=given.url.split("/releases/")[0], version=given.version, systems=systems)
    (given.folder / "conformance.rb").write_text(formula)
    sums["conformance.rb"] = hashlib.sha256(formula.encode()).hexdigest()
    (given.folder / "SHA256SUMS").write_text("".join(f"{digest}  {name}\n" for name, digest in sorted(sums.items())))


main()
