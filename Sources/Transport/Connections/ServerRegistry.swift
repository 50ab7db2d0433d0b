import HoldfastPlatform
import NIOCore

/// Knows the connections and the handler's tasks of one server, so that stopping leaves none behind.
final class ServerRegistry: Sendable {
    /// Asks a client to go, with a code and a reason.
    typealias Goodbye = @Sendable (_ code: UInt16, _ reason: String) -> Void

    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        var goodbyes: [ObjectIdentifier: Goodbye] = [:]
        var tasks: [Int: Task<Void, Never>] = [:]
        var nextTask = 0
        var stopping = false
        var heldBytes = 0
    }

    let emptied = OneShot<Void>(address: "server")
    private let state = Mutex(State())
    private let maxConnections: Int

    init(maxConnections: Int) { self.maxConnections = maxConnections }

    /// Takes a new connection in; false when the server is full or stops.
    func admit(_ channel: any Channel) -> Bool {
        let admitted = state.withLock { state in
            guard !state.stopping, state.channels.count < maxConnections else { return false }
            state.channels[ObjectIdentifier(channel)] = channel
            return true
        }
        guard admitted else { return false }
        channel.closeFuture.whenComplete { _ in
            self.change {
                $0.channels[ObjectIdentifier(channel)] = nil
                $0.goodbyes[ObjectIdentifier(channel)] = nil
            }
        }
        return true
    }

    /// Has a connection that speaks something else than HTTP say goodbye in its own way.
    func add(_ channel: any Channel, goodbye: @escaping Goodbye) {
        state.withLock { $0.goodbyes[ObjectIdentifier(channel)] = goodbye }
    }

    /// Takes bytes of a body into the common account; false when that is full.
    func hold(_ bytes: Int, of limit: Int) -> Bool {
        state.withLock { state in
            guard state.heldBytes + bytes <= limit else { return false }
            state.heldBytes += bytes
            return true
        }
    }

    /// Gives back what was held.
    func release(_ bytes: Int) {
        if bytes > 0 { state.withLock { $0.heldBytes -= bytes } }
    }

    /// Runs the handler's work; the task lives until it returns, at most until the server has stopped.
    func run(_ work: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            state.nextTask += 1
            let id = state.nextTask
            state.tasks[id] = Task {
                await work()
                self.change { $0.tasks[id] = nil }
            }
        }
    }

    /// Asks every client to go: a close frame to WebSockets, the end of the connection to the others.
    func sayGoodbye(code: UInt16, reason: String) {
        let (channels, goodbyes) = state.withLock { state in
            state.stopping = true
            return (state.channels, state.goodbyes)
        }
        for (id, channel) in channels {
            if let goodbye = goodbyes[id] {
                goodbye(code, reason)
            } else {
                channel.pipeline.fireUserInboundEventTriggered(ServerIsStopping())
            }
        }
        change { _ in }
    }

    /// Resets what is left and cancels its tasks.
    func abort() {
        let (channels, tasks) = state.withLock { state in
            state.stopping = true
            return (Array(state.channels.values), Array(state.tasks.values))
        }
        for channel in channels {
            channel.eventLoop.execute {
                if channel.isActive { WireHandler.reset(channel) }
            }
        }
        for task in tasks { task.cancel() }
        change { _ in }
    }

    var connectionCount: Int { state.withLock { $0.channels.count } }

    private func change(_ edit: (inout State) -> Void) {
        let isEmpty = state.withLock { state in
            edit(&state)
            return state.stopping && state.channels.isEmpty && state.tasks.isEmpty
        }
        if isEmpty { emptied.fulfil(.success(())) }
    }
}

/// Tells an HTTP connection to end after the answer that is under way.
struct ServerIsStopping: Sendable {}
