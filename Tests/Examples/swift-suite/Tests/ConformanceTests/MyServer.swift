import Foundation
import HoldfastSuite

/// The server of your team; this is all that has to be written.
enum MyServer {
    /// What it declares, and is judged by.
    static let profiles = ["core"]

    /// Where it is, or how it is started: HOLDFAST_SERVER=ws://127.0.0.1:8080/ws, or HOLDFAST_START='my-server --port {port}'.
    static var description: ServerUnderTest {
        let environment = ProcessInfo.processInfo.environment
        var server = ServerUnderTest(url: environment["HOLDFAST_SERVER"] ?? "ws://127.0.0.1:8080/ws")
        if let command = environment["HOLDFAST_START"] { server = ServerUnderTest(start: command) }
        server.profiles = profiles
        server.tokens = environment["HOLDFAST_TOKENS"]?.split(separator: " ").map(String.init) ?? []
        return server
    }
}
