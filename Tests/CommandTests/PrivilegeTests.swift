import Foundation
import TestSupport
import Testing

/// An ordinary user without capabilities, as in most containers, gets the same verdicts as root.
@Suite(
    .enabled(
        if: BuiltBinary.droppingPrivileges != nil,
        "needs Linux, and a user without capabilities, or root with /usr/bin/setpriv and a build that others can read"))
struct PrivilegeTests {
    private let starter = BuiltBinary.droppingPrivileges ?? []

    @Test(arguments: [
        ["server", "--reference", "--only", "ENV-3"],
        ["client", "--reference", "--only", "CLIENT-36"],
        ["judge", SourceTree.root + "/Fixtures/transcripts/conforming/TURN-3-once-on-each-connection.ndjson"],
        ["gate", SourceTree.root, SourceTree.root],
    ])
    func `a command needs no privilege`(_ command: [String]) async throws {
        let run = try await BuiltBinary.run(command, by: starter)
        #expect(run.status == 0, "\(run.out)\n\(run.err)")
    }

    @Test func `a server behind a proxy needs no privilege`() async throws {
        let folder = try TemporaryDirectory()
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path)
        let output = try await ProxyTests().proxied(in: folder, by: starter) { [starter] server, port in
            let through = try server.subjectFile(behind: port, in: folder)
            let run = try await BuiltBinary.run(["server", "--subject", through, "--only", "TURN-3"], by: starter)
            #expect(run.status == 0, "\(run.out)\n\(run.err)")
        }
        #expect(output.status == 0, "\(output.err)")
    }
}
