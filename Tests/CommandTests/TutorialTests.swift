import Foundation
import HoldfastSite
import Subprocess
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// What the tutorials say is typed, and printed is what they say.
@Suite struct TutorialTests {
    private static let pages = DocumentedCommandTests.files(in: "Sources/conformance/Documentation.docc").filter {
        (try? SourceTree.text($0).contains("```console")) == true
    }

    @Test func `there are tutorials`() {
        #expect(Self.pages.count >= 5)
    }

    /// From a clone, and with the installed program on the PATH.
    @Test(arguments: pages, [false, true])
    func `a tutorial can be followed literally`(path: String, isInstalled: Bool) async throws {
        var text = try SourceTree.text(path)
        if isInstalled { text = Self.forTheInstalledProgram(text) }
        let tutorial = Tutorial(try MarkdownPage(text, file: path))
        #expect(!tutorial.steps.isEmpty)
        let checkout = try Self.checkout()
        if isInstalled { try FileManager.default.removeItem(atPath: "\(checkout.path)/conformance.sh") }
        let port = try Self.freePort()
        let script = Self.script(tutorial, port: port)
        let printed = try await Self.perform(script, in: checkout)
        let parts = printed.split(separator: "\u{1E}", omittingEmptySubsequences: false).dropFirst()
        #expect(parts.count == tutorial.steps.count, "\(path) ended early: \(printed.suffix(600))")
        for (step, part) in zip(tutorial.steps, parts) {
            let text = part.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false).dropFirst()
            let difference = Tutorial.difference(
                String(text.first ?? "").replacing("\(port)", with: "8080"), from: step.expected)
            #expect(difference == nil, "\(path):\(step.line): \(step.command)\n\(difference ?? "")")
        }
    }

    @Test func `a difference is seen`() {
        #expect(Tutorial.difference("a\nb\nc\n", from: ["a", "…", "c"]) == nil)
        #expect(Tutorial.difference("a 12 ms\n", from: ["a … ms"]) == nil)
        #expect(Tutorial.difference("a\n", from: ["…"]) == nil)
        #expect(Tutorial.difference("", from: []) == nil)
        #expect(Tutorial.difference("a\nb\n", from: ["a"]) != nil)
        #expect(Tutorial.difference("a\n", from: ["a", "b"]) != nil)
        #expect(Tutorial.difference("a\nb\n", from: ["b"]) != nil)
        #expect(Tutorial.difference("a 12 s\n", from: ["a … ms"]) != nil)
    }

    /// The page for whoever has `conformance` on the PATH; the script alone, or with options, is the suite against the reference.
    private static func forTheInstalledProgram(_ text: String) -> String {
        text.replacing("./conformance.sh --", with: "conformance server --reference --")
            .replacing("./conformance.sh", with: "conformance")
    }

    // MARK: A checkout to type in

    /// A folder that looks like a fresh clone, whose `swift` has built already.
    private static func checkout() throws -> TemporaryDirectory {
        let folder = try TemporaryDirectory()
        let files = FileManager.default
        for name in ["conformance.sh", "Spec", "Fixtures", "CHANGELOG.md"] {
            try files.copyItem(
                at: URL(fileURLWithPath: "\(SourceTree.root)/\(name)").resolvingSymlinksInPath(),
                to: URL(fileURLWithPath: "\(folder.path)/\(name)"))
        }
        try files.createDirectory(atPath: "\(folder.path)/Tests", withIntermediateDirectories: false)
        try files.createSymbolicLink(
            atPath: "\(folder.path)/Tests/Examples", withDestinationPath: "\(SourceTree.root)/Tests/Examples")
        try files.createDirectory(atPath: "\(folder.path)/.built", withIntermediateDirectories: false)
        let swift = "\(folder.path)/.built/swift"
        try """
        #!/bin/sh
        case "$*" in *--show-bin-path*) echo '\((BuiltBinary.path as NSString).deletingLastPathComponent)' ;; esac
        """.write(toFile: swift, atomically: true, encoding: .utf8)
        try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: swift)
        try files.createSymbolicLink(
            atPath: "\(folder.path)/.built/conformance", withDestinationPath: BuiltBinary.path)
        return folder
    }

    /// A port that was free a moment ago.
    private static func freePort() throws -> UInt16 {
        #if canImport(Glibc)
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, length) == 0 ? getsockname(descriptor, pointer, &length) : -1
            }
        }
        struct NoPort: Error {}
        guard status == 0 else { throw NoPort() }
        return UInt16(bigEndian: address.sin_port)
    }

    /// A script that types one step after the other and puts a mark before what each prints.
    private static func script(_ tutorial: Tutorial, port: UInt16) -> String {
        var lines = ["set +e", "trap 'kill $(jobs -p) 2>/dev/null; wait 2>/dev/null' EXIT", "last=0"]
        for (number, step) in tutorial.steps.enumerated() {
            let command = step.command.replacing("8080", with: "\(port)")
            lines.append("printf '\\036%s\\n' \(number)")
            if step.isBeside {
                let wanted = step.expected.last { $0 != "…" && !$0.isEmpty } ?? ""
                let longest = wanted.split(separator: "…").max { $0.count < $1.count } ?? ""
                let mark = ShellMark(String(longest).replacing("8080", with: "\(port)")).quoted
                // What runs beside the others writes to a file, so that its lines do not fall between theirs.
                lines.append("\(command.dropLast(2)) > beside-\(number).txt 2>&1 &")
                lines.append(
                    "for try in $(seq 600); do grep -qF -- \(mark) beside-\(number).txt && break; sleep 0.05; done")
                lines.append("cat beside-\(number).txt")
            } else {
                lines.append("(exit $last)")
                lines.append(command + " 2>&1")
                lines.append("last=$?")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private struct ShellMark {
        let quoted: String

        init(_ text: String) { quoted = "'" + text.replacing("'", with: "'\\''") + "'" }
    }

    /// Runs a script with what it started ended, whatever happens.
    private static func perform(_ script: String, in folder: TemporaryDirectory) async throws -> String {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let result = try await Subprocess.run(
            .name("timeout"), arguments: ["-k", "5", "120", "bash", "-c", script],
            environment: .inherit.updating([
                "PATH": "\(folder.path)/.built:\(path)", "NO_COLOR": "1", "COLUMNS": "100",
            ]),
            workingDirectory: .init(folder.path), output: .string(limit: 16 << 20), error: .discarded)
        return result.standardOutput
    }
}
