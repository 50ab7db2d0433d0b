import HoldfastSuite
import TestSupport

/// The reference server, in place of the server of a team; `ConformanceTests.swift` is the one of the example package.
enum MyServer {
    static let profiles = ["core", "sync", "auth"]

    static var description: ServerUnderTest { server() }

    /// A server of its own, as broken as options say.
    static func server(_ options: String = "") -> ServerUnderTest {
        let tokens = ["one-s3cret", "two-s3cret", "three-s3cret", "four-s3cret", "five-s3cret", "six-s3cret"]
        let people = tokens.enumerated().map { "--token p\($0 + 1)=\($1)" }.joined(separator: " ")
        let command = "'\(BuiltBinary.path)' serve --port {port} --data {data} --end-with-input --heartbeat 1"
        var server = ServerUnderTest(start: "\(command) \(people) \(options)")
        server.profiles = profiles
        server.tokens = tokens
        server.hasScriptedAgent = true
        server.skipsCrashes = true
        return server
    }
}
