import TestSupport
import Testing

/// The example client in Kotlin: a compiler and a JDK are needed, and no library.
@Suite(.enabled("needs kotlinc, and a JDK 11 or later") { await ExampleTool.has("kotlinc", "java") })
struct KotlinClientTests {
    private static let built = Task { () -> String in
        // Nothing is compiled anew that is as it was.
        let build = try await ExampleTool.run(SourceTree.root + "/Tests/Examples/kotlin-client/build.sh", [])
        try #require(build.status == 0, "\(build.output)")
        return SourceTree.root + "/.build/kotlin-client/client.jar"
    }

    private func suite(_ scenarios: String..., flags: [String] = []) async throws -> BuiltBinary.Output {
        let only = scenarios.flatMap { ["--only", "client/" + $0] } + flags
        let command = ["java", "-XX:TieredStopAtLevel=1", "-jar", try await Self.built.value]
        return try await BuiltBinary.run(["client"] + only + ["--"] + command, within: .seconds(900))
    }

    @Test func `an app behind the kit keeps the clauses of its profile`() async throws {
        let some =
            try await ExampleTool.isWholeSuite
            ? suite("*")
            : suite(
                "AUTH/*", "ENV/*", "CLIENT/foreground-reconnects", "CLIENT/lost-question-comes-again",
                "CLIENT/missed-messages-are-read", "CLIENT/refusals-are-shown", "CLIENT/waiting-ends-live")
        #expect(some.status == 0, "\(some.out)\n\(some.err)")
        #expect(some.out.contains("profiles client-core"), "\(some.out)")
    }

    @Test func `what the app cannot do is untested, for its reason`() async throws {
        let run = try await suite(
            "CLIENT/tap-from-the-background", flags: ["--profile", "client-core", "--profile", "client-push"])
        #expect(run.status == 2, "\(run.out)\n\(run.err)")
        let words = run.out.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("does not support openPush: the app has no notifications"), "\(run.out)")
    }
}
