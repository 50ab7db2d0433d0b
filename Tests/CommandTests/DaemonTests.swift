import Foundation
import TestSupport
import Testing

#if os(Linux)
/// Daemons leave their group and their parents, and here they clear the environment that marks them too.
@Suite struct DaemonTests {
    /// A command of a shell that writes its number to a file and stays.
    private static func staying(_ folder: TemporaryDirectory) -> String {
        "echo $$ > \(folder.path)/new; mv \(folder.path)/new \(folder.path)/process; exec sleep 600"
    }

    /// Starts that command as a daemon; the shell in between ends at once, so nobody waits for it.
    private static func daemon(_ folder: TemporaryDirectory) -> String {
        "(setsid env -i /bin/sh -c '\(staying(folder))' </dev/null >/dev/null 2>&1 &)"
    }

    private static func isLeft(_ folder: TemporaryDirectory) async throws -> Bool {
        try await Serving.appears(folder.path + "/process")
        let process = try #require(Int32(folder.text(of: "process").trimmingCharacters(in: .whitespacesAndNewlines)))
        return Processes.isAlive(process)
    }

    private static func script(_ text: String, in folder: TemporaryDirectory) throws -> String {
        try text.write(toFile: folder.path + "/start", atomically: true, encoding: .utf8)
        return "sh \(folder.path)/start"
    }

    @Test func `a command that becomes a daemon is told so, and nothing of it stays`() async throws {
        let folder = try TemporaryDirectory()
        let start = try Self.script(
            "\(Self.daemon(folder))\nwhile [ ! -e \(folder.path)/process ]; do sleep 0.05; done\n", in: folder)
        let run = try await BuiltBinary.run(["server", "--start", start, "--only", "PERSIST-1"])
        #expect(run.status == 69, "\(run.err)")
        #expect(run.err.contains("; a daemon was left behind and killed"), "\(run.err)")
        #expect(try await !Self.isLeft(folder))
    }

    @Test func `a daemon of a server that stays goes with it`() async throws {
        let folder = try TemporaryDirectory()
        let start = try Self.script(
            """
            \(Self.daemon(folder))
            while [ ! -e \(folder.path)/process ]; do sleep 0.05; done
            exec '\(BuiltBinary.path)' serve --port $HOLDFAST_PORT --data $HOLDFAST_DATA --end-with-input

            """, in: folder)
        let run = try await BuiltBinary.run(["server", "--start", start, "--only", "server/ENV/unknown-type"])
        #expect([0, 2].contains(run.status), "\(run.out)\(run.err)")
        #expect(try await !Self.isLeft(folder))
    }
}
#endif
