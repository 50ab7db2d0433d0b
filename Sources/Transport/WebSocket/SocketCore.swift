import HoldfastBasics
import HoldfastPlatform
import NIOCore

/// The common part of both ends of a WebSocket: sending in order and within limits, pausing reads, and ending.
package final class SocketCore: Sendable {
    struct State {
        var answersPings = true
        var paused = false
        var silent = false
        var discarding = false
        var closeSent = false
        var unsentBytes = 0
        var heardAt = ContinuousClock.now
        /// The reason why sends fail from now on; nil while the connection is open.
        var endReason: TransportProblem.Code?
        var tripwires: [Tripwire] = []
    }

    let channel: any Channel
    let isClient: Bool
    let address: String
    let queue: ArrivalQueue
    /// Set once the TCP connection is gone.
    let ended: OneShot<Void>
    let maxUnsentBytes: Int
    private let state = Mutex(State())

    init(channel: any Channel, isClient: Bool, address: String, maxQueuedBytes: Int, maxUnsentBytes: Int) {
        self.channel = channel
        self.isClient = isClient
        self.address = address
        self.maxUnsentBytes = maxUnsentBytes
        queue = ArrivalQueue(limit: maxQueuedBytes)
        ended = OneShot(address: address)
        queue.onDrained { [weak self] in self?.readIfWanted() }
    }

    func withState<Result>(_ body: (inout sending State) -> sending Result) -> sending Result { state.withLock(body) }

    func encoded(_ frame: WebSocketFrame) -> [UInt8] {
        frame.bytes(mask: isClient ? UInt32.random(in: .min ... .max) : nil)
    }

    // MARK: sending

    /// Queues bytes in the order of the calls; the result is set once the operating system has taken them.
    ///
    /// The event loop gets them under the lock, so no bytes follow a close frame.
    @discardableResult
    func post(_ bytes: [UInt8], isClose: Bool = false) throws(TransportProblem) -> OneShot<Void> {
        let written = OneShot<Void>(address: address)
        let refusal: TransportProblem.Code? = state.withLock { state in
            if let reason = state.endReason { return reason }
            if state.silent { return .silenced }
            if state.closeSent { return .closed }
            if state.unsentBytes + bytes.count > maxUnsentBytes, state.unsentBytes > 0 || !isClose {
                return .peerTooSlow(limit: maxUnsentBytes)
            }
            state.unsentBytes += bytes.count
            if isClose { state.closeSent = true }
            channel.eventLoop.execute { self.write(bytes, written) }
            return nil
        }
        if let refusal { throw TransportProblem(refusal, at: address) }
        return written
    }

    private func write(_ bytes: [UInt8], _ written: OneShot<Void>) {
        let count = bytes.count
        let promise = channel.eventLoop.makePromise(of: Void.self)
        promise.futureResult.whenComplete { result in
            self.state.withLock { $0.unsentBytes -= count }
            switch result {
            case .success: written.fulfill(.success(()))
            case .failure(let error): written.fulfill(.failure(TransportProblem(error, at: self.address)))
            }
        }
        channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: promise)
    }

    // MARK: reading

    func readIfWanted() {
        let (isSilent, isPaused, isDiscarding) = state.withLock { ($0.silent, $0.paused, $0.discarding) }
        if !isSilent, isDiscarding || !isPaused && !queue.isFull { channel.read() }
    }

    func setPaused(_ paused: Bool) {
        state.withLock { $0.paused = paused }
        if !paused { readIfWanted() }
    }

    // MARK: ending

    func cut(_ how: Cut) {
        state.withLock { state in
            switch how {
            case .silence: state.silent = true
            case .fin, .reset:
                state.endReason = state.endReason ?? .closed
                state.silent = false
                state.discarding = true
            }
        }
        channel.eventLoop.execute { [channel] in
            guard channel.isActive, how != .silence else { return }
            if how == .reset { WireHandler.reset(channel) } else { WireHandler.fin(channel) }
        }
    }

    /// Ends the connection cleanly, and discards what still arrives.
    func end() {
        state.withLock { state in
            state.endReason = state.endReason ?? .closed
            state.discarding = true
        }
        channel.eventLoop.execute { [channel] in
            if channel.isActive { WireHandler.end(channel) }
        }
    }

    /// Sends a close frame and waits at most `timeout` for the connection to end; then ends it.
    nonisolated(nonsending) func close(code: UInt16?, reason: String, timeout: Duration) async {
        do {
            try post(encoded(.close(code: code, reason: reason)), isClose: true)
        } catch {
            // If a close frame was already sent, wait for the end; otherwise end at once.
            if !withState({ $0.closeSent && $0.endReason == nil }) { cut(.fin) }
        }
        do {
            try await ended.value(within: timeout, "end of the connection")
        } catch {
            cut(.fin)
        }
    }

    func sendClose(code: UInt16, reason: String) {
        if (try? post(encoded(.close(code: code, reason: reason)), isClose: true)) == nil { cut(.fin) }
    }

    func finish(_ code: TransportProblem.Code) {
        state.withLock { $0.endReason = $0.endReason ?? code }
        ended.fulfill(.success(()))
    }
}
