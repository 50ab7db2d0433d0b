import HoldfastPlatform

/// Watches arriving messages and answers, and acts once on the reading thread.
///
/// It acts on a complete message, before anything else sees it. A partial message would not do: the peer and the moment
/// decide how a message is split into frames, chunks and packets, so each run would stop at a different point.
package final class Tripwire: Sendable {
    private let isAwaited: @Sendable ([UInt8]) -> Bool
    private let action: @Sendable () -> Void
    private let state = Mutex(false)

    /// Waits for the UTF-8 bytes of a text.
    ///
    /// * `text`: An empty text is never found.
    /// * `action`: Blocks every connection of its thread, so it must be short.
    package convenience init(_ text: String, _ action: @escaping @Sendable () -> Void) {
        let pattern = Array(text.utf8)
        self.init(where: { Self.isFound(pattern, in: $0) }, action)
    }

    /// Waits for a message or a body that satisfies `isAwaited`, which is called on the reading thread.
    package init(where isAwaited: @escaping @Sendable ([UInt8]) -> Bool, _ action: @escaping @Sendable () -> Void) {
        self.isAwaited = isAwaited
        self.action = action
    }

    var hasTripped: Bool { state.withLock { $0 } }

    func check(_ message: [UInt8]) {
        let trips = state.withLock { hasTripped in
            guard !hasTripped, isAwaited(message) else { return false }
            hasTripped = true
            return true
        }
        if trips { action() }
    }

    func check(_ event: WebSocketEvent) {
        switch event {
        case .text(let text): check(Array(text.utf8))
        case .binary(let bytes), .invalidText(let bytes): check(bytes)
        default: break
        }
    }

    private static func isFound(_ pattern: [UInt8], in message: [UInt8]) -> Bool {
        guard let first = pattern.first, message.count >= pattern.count else { return false }
        return (0...message.count - pattern.count).contains { start in
            message[start] == first
                && pattern.indices.allSatisfy { message[start + $0] == pattern[$0] }
        }
    }
}
