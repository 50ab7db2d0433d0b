#!/usr/bin/env python3
"""Packs a program that `build.sh` has made for one system: an archive, on Linux a Debian package, a wheel, and the list of
what went in (SPDX). Needs nothing but Python, and makes the same bytes of the same program.

    package.py PROGRAM --system linux-x86_64 --version 0.1.0 --revision 1a2b3c4 --resolved Package.resolved --out dist
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
import sys
import tarfile
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
# A zip file knows no time before 1980.
EPOCH = max(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), 315532800)


def glibc(program: bytes) -> int:
    """The newest version 2.N of the C library that the program asks for."""
    found = [int(number) for number in re.findall(rb"GLIBC_2\.(\d+)", program)]
    if not found:
        sys.exit("package.py: the program names no version of glibc\n  expected: a program for Linux\n  fix: check --system")
    return max(found)


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


def debian(program: bytes, version: str, architecture: str, documents: dict[str, bytes]) -> bytes:
    files = {"./usr/bin/conformance": (program, 0o755)}
    for name, content in documents.items():
        files[f"./usr/share/doc/{NAME}/{'copyright' if name == 'LICENSE' else name}"] = (content, 0o644)
    size = sum(len(content) for content, _ in files.values()) // 1024 + 1
    control = (
        f"Package: {NAME}\nVersion: {version}\nArchitecture: {architecture}\nSection: devel\nPriority: optional\n"
        f"Installed-Size: {size}\nDepends: libc6 (>= 2.{glibc(program)}), libstdc++6, libgcc-s1\nRecommends: ca-certificates\n"
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


def wheel(program: bytes, version: str, tag: str) -> bytes:
    name = NAME.replace("-", "_")
    readme = (ROOT / "README.md").read_text()
    information = f"{name}-{version}.dist-info"
    metadata = (
        f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {version}\nSummary: {SUMMARY}\nLicense: Apache-2.0\n"
        f"Requires-Python: >=3.8\nDescription-Content-Type: text/markdown\n\n{readme}"
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


def bill(program: bytes, version: str, revision: str, system: str, resolved: pathlib.Path) -> dict:
    """What went into the program, as SPDX 2.3 says it."""
    pins = json.loads(resolved.read_text())["pins"]
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
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--system", required=True, choices=sorted(SYSTEMS))
    parser.add_argument("--version", required=True)
    parser.add_argument("--revision", required=True)
    parser.add_argument("--resolved", type=pathlib.Path, default=ROOT / "Package.resolved")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("dist"))
    given = parser.parse_args()
    if not re.fullmatch(r"\d+\.\d+\.\d+", given.version):
        sys.exit(f"package.py: --version '{given.version}'\n  expected: three numbers such as 0.1.0\n  fix: give the tag without its v")
    for file, fix in [(given.program, "build it: .github/release/build.sh PROGRAM"), (given.resolved, "run swift package resolve")]:
        if not file.is_file():
            sys.exit(f"package.py: there is no {file}\n  expected: a file\n  fix: {fix}")
    program = given.program.read_bytes()
    documents = {name: (ROOT / name).read_bytes() for name in ("LICENSE", "README.md", "CHANGELOG.md")}
    architecture, tag = SYSTEMS[given.system]
    tag = "py3-none-" + tag.format(glibc=glibc(program) if architecture else 0)
    start = f"conformance-{given.version}-{given.system}"
    made = {
        f"{start}.tar.gz": tar(
            {f"{start}/conformance": (program, 0o755)} | {f"{start}/{name}": (text, 0o644) for name, text in documents.items()}),
        f"{NAME.replace('-', '_')}-{given.version}-{tag}.whl": wheel(program, given.version, tag),
        f"{start}.spdx.json": (json.dumps(bill(program, given.version, given.revision, given.system, given.resolved), indent=2) + "\n").encode(),
    }
    if architecture:
        made[f"{NAME}_{given.version}_{architecture}.deb"] = debian(program, given.version, architecture, documents)
    given.out.mkdir(parents=True, exist_ok=True)
    for name, content in made.items():
        (given.out / name).write_bytes(content)
        print(f"{len(content):>12,}  {given.out / name}")


main()
