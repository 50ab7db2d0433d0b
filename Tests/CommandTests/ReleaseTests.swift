import Foundation
import HoldfastJSON
import TestSupport
import Testing

/// What a release is made of.
///
/// `.github/release/try.sh` tries the real one where no Swift is.
@Suite(.enabled(if: ExamplePython.has("yaml"), "needs a Python: Tests/Examples/python/setup.sh"))
struct ReleaseTests {
    private let scripts = SourceTree.root + "/.github/release"

    private func pack(_ folder: TemporaryDirectory, _ arguments: [String] = []) async throws -> (Int32, String) {
        try folder.write("#!/bin/sh\necho packed\n# GLIBC_2.17 GLIBC_2.35\n", to: "program")
        let pins =
            #"{"pins": [{"identity": "swift-nio", "location": "https://h/o/n", "state": {"revision": "ab", "version": "2.1.0"}}]}"#
        try folder.write(pins, to: "Package.resolved")
        let run = try await ExamplePython.run(
            [
                "\(scripts)/package.py", folder.path + "/program", "--system", "linux-x86_64", "--version", "0.1.0",
                "--revision", "1a2b", "--resolved", folder.path + "/Package.resolved", "--out", folder.path + "/dist",
            ] + arguments)
        return (run.status, run.output)
    }

    @Test func `the packages hold the program, and the same program makes the same packages`() async throws {
        let (one, other) = (try TemporaryDirectory(), try TemporaryDirectory())
        for folder in [one, other] {
            let packed = try await pack(folder)
            #expect(packed.0 == 0, "\(packed.1)")
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: one.path + "/dist").sorted()
        #expect(
            names == [
                "conformance-0.1.0-linux-x86_64.spdx.json", "conformance-0.1.0-linux-x86_64.tar.gz",
                "holdfast-conformance_0.1.0_amd64.deb",
                "holdfast_conformance-0.1.0-py3-none-manylinux_2_35_x86_64.whl",
            ])
        for name in names {
            let bytes = [one, other].map { FileManager.default.contents(atPath: "\($0.path)/dist/\(name)") }
            #expect(bytes[0] != nil && bytes[0] == bytes[1], "\(name)")
        }
        let read = """
            import glob, tarfile, zipfile, hashlib, base64
            wheel = zipfile.ZipFile(glob.glob('\(one.path)/dist/*.whl')[0])
            [record] = [n for n in wheel.namelist() if n.endswith('RECORD')]
            for line in wheel.read(record).decode().splitlines():
                path, digest, size = line.split(',')
                if digest:
                    made = base64.urlsafe_b64encode(hashlib.sha256(wheel.read(path)).digest()).rstrip(b'=').decode()
                    assert digest == 'sha256=' + made and int(size) == len(wheel.read(path)), path
            script = wheel.getinfo('holdfast_conformance-0.1.0.data/scripts/conformance')
            assert script.external_attr >> 16 & 0o111, 'not executable'
            with tarfile.open(glob.glob('\(one.path)/dist/*.tar.gz')[0]) as archive:
                member = archive.getmember('conformance-0.1.0-linux-x86_64/conformance')
                assert member.mode & 0o111 and b'packed' in archive.extractfile(member).read()
            """
        let checked = try await ExamplePython.run(["-c", read])
        #expect(checked.status == 0, "\(checked.output)")
        let bill = try JSONParser.value(one.text(of: "dist/\(names[0])"))
        #expect(bill["spdxVersion"] == "SPDX-2.3")
        #expect(
            bill["packages"]?.arrayValue?.compactMap { $0["name"]?.stringValue } == [
                "holdfast-conformance", "swift-nio",
            ])

        let finished = try await ExamplePython.run([
            "\(scripts)/finish.py", one.path + "/dist", "--version", "0.1.0", "--url",
            "https://h/o/n/releases/download/v0.1.0",
        ])
        #expect(finished.status == 0, "\(finished.output)")
        let sums = try one.text(of: "dist/SHA256SUMS")
        #expect(sums.split(separator: "\n").count == names.count + 1)
        let archive = try #require(sums.split(separator: "\n").first { $0.hasSuffix(names[1]) })
        #expect(try one.text(of: "dist/conformance.rb").contains("sha256 \"\(archive.prefix(64))\""))
    }

    @Test func `what cannot be packed is refused with the fix`() async throws {
        let packed = try await pack(TemporaryDirectory(), ["--version", "v1"])
        #expect(packed.0 == 64 && packed.1.contains("fix: "), "\(packed.1)")
    }

    @Test func `packages hold what they promise, and the commands for Kubernetes end with the verdict`() async throws {
        let run = try await ExamplePython.run([SourceTree.root + "/Tests/ContinuousIntegration/release_checks.py"])
        #expect(run.status == 0, "\(run.output)")
    }

    @Test func `the action downloads the version that is released`() throws {
        let version = try #require(
            try SourceTree.text("Sources/HoldfastSuite/Subjects/ReferencePeer.swift")
                .firstMatch(of: /toolVersion = "([0-9.]+)"/)?.output.1)
        let action = try SourceTree.text(".github/actions/conformance/action.yml")
        #expect(action.contains("default: \"\(version)\""), "the action downloads another version than \(version)")
    }
}
