import Foundation
import TestSupport
import Testing

/// The reference server with certain profiles alone, met by the suite as a server that keeps no more.
@Suite struct ProfileSetTests {
    @Test(arguments: [
        (["core"], ["AUTH-12", "TURN-7"]), (["core", "sync"], ["SYNC-7", "TURN-11"]),
        // One person, whose only device is gone in the end.
        (["core", "push"], ["PUSH-1", "PUSH-6"]),
        (["core", "rate-limit"], ["RATE-6"]), (["core", "sync", "auth"], ["AUTH-6", "AUTH-12"]),
    ])
    func `it keeps what it declares`(profiles: [String], clauses: [String]) async throws {
        let run = try await BuiltBinary.run(
            ["server", "--reference", "--skip-crashes"] + profiles.flatMap { ["--profile", $0] }
                + clauses.flatMap { ["--only", $0] })
        #expect(run.status == 0, "\(run.out)\n\(run.err)")
        #expect(run.out.contains("profiles \(profiles.joined(separator: ", ")) ·"), "\(run.out)")
    }

    @Test func `its subject file declares what it keeps, and nobody has a token without auth`() async throws {
        let folder = try TemporaryDirectory()
        let (text, _) = try await Serving.run(["--profile", "core", "--profile", "sync"], in: folder) { serving in
            try String(contentsOfFile: serving.subjectFile, encoding: .utf8)
        }
        #expect(text.contains(#""sync""#) && !text.contains(#""auth""#))
        #expect(!text.contains(#""token""#), "\(text)")
    }

    @Test(arguments: [
        (["--profile", "core,push"], "--profile: 'push' needs --device"),
        (
            ["--profile", "core", "--messages-per-minute", "5"],
            "--profile: --messages-per-minute enables 'rate-limit', which is not listed"
        ),
    ])
    func `a set that cannot be served is refused`(arguments: [String], problem: String) async throws {
        let run = try await BuiltBinary.run(["serve", "--port", "0"] + arguments)
        #expect(run.status == 64, "\(run.out)")
        #expect(run.err.hasPrefix(problem), "\(run.err)")
    }
}
