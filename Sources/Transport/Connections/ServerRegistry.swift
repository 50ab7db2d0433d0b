import HoldfastPlatform
import NIOCore

/// The connections and handler tasks of one server, so that a stop ends all of them.
final class ServerRegistry: Sendable {
    typealias CloseSender = @Sendable (_ code: UInt16, _ reason: String) -> Void

    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        var closeSenders: [ObjectIdentifier: CloseSender] = [:]
        var tasks: [Int: Task<Void, Never>] = [:]
        var nextTask = 0
        var stopping = false
        var heldBytes = 0
    }

    let emptied = OneShot<Void>(address: "server")
    private let state = Mutex(State())
    private let maxConnections: Int

    init(maxConnections: Int) { self.maxConnections = maxConnections }

    /// Registers a new connection; false if the server is full or stopping.
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
                $0.closeSenders[ObjectIdentifier(channel)] = nil
            }
        }
        return true
    }

    func add(_ channel: any Channel, sendClose: @escaping CloseSender) {
        state.withLock { $0.closeSenders[ObjectIdentifier(channel)] = sendClose }
    }

    /// Counts bytes of a body against the server's total; false if the total is reached.
    func hold(_ bytes: Int, of limit: Int) -> Bool {
        state.withLock { state in
            guard state.heldBytes + bytes <= limit else { return false }
            state.heldBytes += bytes
            return true
        }
    }

    func release(_ bytes: Int) {
        if bytes > 0 { state.withLock { $0.heldBytes -= bytes } }
    }

    /// Runs a handler in a task, which ``abort()`` cancels.
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

    /// Asks every client to disconnect: WebSockets by a close frame, other connections by ending them.
    func sendClose(code: UInt16, reason: String) {
        let (channels, closeSenders) = state.withLock { state in
            state.stopping = true
            return (state.channels, state.closeSenders)
        }
        for (id, channel) in channels {
            if let sendClose = closeSenders[id] {
                sendClose(code, reason)
            } else {
                channel.pipeline.fireUserInboundEventTriggered(ServerIsStopping())
            }
        }
        change { _ in }
    }

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
        if isEmpty { emptied.fulfill(.success(())) }
    }
}

/// Makes an HTTP connection end after its current answer.
package struct ServerIsStopping: Sendable {}
