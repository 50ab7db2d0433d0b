import ClientDriver
import HoldfastPlatform

/// An app that shows nothing and does nothing.
struct QuietApp: DrivenClient {
    var about: AboutClient { AboutClient(name: "Quiet", profiles: ["client-core"]) }
    var hangs = false

    func launch(_ launch: Launch) async throws {}
    func send(_ text: String) async throws {}
    func state() async throws -> ClientState { ClientState() }
    func quit() async throws {}

    func background() async throws {
        while hangs { try await Task.sleep(for: .seconds(3600)) }
    }
}

/// How often something happened.
final class Counter: Sendable {
    private let value = Mutex(0)
    var count: Int { value.withLock { $0 } }
    func add() { value.withLock { $0 += 1 } }
}
