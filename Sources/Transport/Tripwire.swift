import NIOCore
import Synchronization

/// Looks for bytes in what arrives, before anything else sees them, and acts once on the thread that reads.
///
/// The bytes are found also where they come in several pieces, and behind TLS.
public final class Tripwire: Sendable {
    private struct State {
        /// How many bytes of the pattern the last bytes match.
        var matched = 0
        var hasTripped = false
    }

    private let pattern: [UInt8]
    /// For each number of matched bytes, how many remain matched when the next byte is another one.
    private let fallbacks: [Int]
    private let action: @Sendable () -> Void
    private let state = Mutex(State())

    /// Waits for the UTF-8 bytes of a text.
    ///
    /// - Parameters:
    ///   - text: What to look for, as it is on the wire; an empty text is never found.
    ///   - action: What to do; it holds up the reading of every connection of its thread, so it must be short.
    public init(_ text: String, _ action: @escaping @Sendable () -> Void) {
        pattern = Array(text.utf8)
        fallbacks = Self.fallbacks(of: pattern)
        self.action = action
    }

    /// Whether the bytes have come.
    public var hasTripped: Bool { state.withLock { $0.hasTripped } }

    /// Takes the next bytes of the connection.
    func feed(_ buffer: ByteBuffer) {
        let trips = state.withLock { state in
            guard !state.hasTripped, !pattern.isEmpty else { return false }
            var matched = state.matched
            let found = buffer.withUnsafeReadableBytes { bytes in
                for byte in bytes {
                    while matched > 0, pattern[matched] != byte { matched = fallbacks[matched] }
                    if pattern[matched] == byte { matched += 1 }
                    if matched == pattern.count { return true }
                }
                return false
            }
            state.matched = found ? 0 : matched
            state.hasTripped = found
            return found
        }
        if trips { action() }
    }

    private static func fallbacks(of pattern: [UInt8]) -> [Int] {
        var table = [Int](repeating: 0, count: pattern.count + 1)
        var matched = 0
        for index in pattern.indices.dropFirst() {
            while matched > 0, pattern[matched] != pattern[index] { matched = table[matched] }
            if pattern[matched] == pattern[index] { matched += 1 }
            table[index + 1] = matched
        }
        return table
    }
}

/// Shows a tripwire everything that arrives, after TLS and before HTTP.
final class TripwireHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let tripwire: Tripwire

    init(_ tripwire: Tripwire) {
        self.tripwire = tripwire
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        tripwire.feed(unwrapInboundIn(data))
        context.fireChannelRead(data)
    }
}
