import Foundation
import HoldfastJSON
import HoldfastPlatform

@testable import ReferenceClient

/// A network between a client and a server that breaks where it is told to: real connections, cut or silenced at one frame.
final class CuttingTransport: ClientTransport {
    /// What happens at a frame.
    enum Deed: Sendable, CaseIterable {
        /// The connection ends, and the frame is lost with it.
        case cutBefore
        /// The frame passes, and the connection ends behind it.
        case cutAfter
        /// The frame passes, and after it nothing does, while the connection seems to be open.
        case silence
    }

    private struct State {
        var armed: (type: String, deed: Deed)?
        var isDown = false
        /// The types of all frames that passed, either way.
        var passed: [String] = []
        var sockets: [CuttingSocket] = []
    }

    private let state = Mutex(State())
    private let network = NetworkTransport()

    /// The types of all frames that passed so far.
    var passed: [String] { state.withLock { $0.passed } }
    /// Whether nothing is armed that has not happened.
    var isSpent: Bool { state.withLock { $0.armed == nil } }

    /// At the next frame of a type, once, whichever way it goes.
    func arm(_ deed: Deed, at type: String) { state.withLock { $0.armed = (type, deed) } }

    /// What was armed and did not happen is forgotten.
    func disarm() { state.withLock { $0.armed = nil } }

    /// Nothing can be reached, or everything can be again; what is open ends.
    func setDown(_ isDown: Bool) {
        let open = state.withLock { state in
            state.isDown = isDown
            defer { state.sockets = [] }
            return state.sockets
        }
        for socket in open { socket.cut() }
    }

    func open(_ url: String, headers: [(String, String)], within limit: Duration) async throws -> any ClientSocket {
        guard !state.withLock({ $0.isDown }) else { throw Unreachable() }
        let socket = CuttingSocket(try await network.open(url, headers: headers, within: limit), of: self)
        state.withLock { $0.sockets.append(socket) }
        return socket
    }

    func perform(_ request: RESTRequest, within limit: Duration) async throws -> RESTAnswer {
        guard !state.withLock({ $0.isDown }) else { throw Unreachable() }
        return try await network.perform(request, within: limit)
    }

    struct Unreachable: Error {}

    /// What is done at a frame; nil for most.
    fileprivate func deed(at text: String) -> Deed? {
        let type = (try? JSONParser.value(text))?.type ?? ""
        return state.withLock { state in
            defer { if state.armed?.type == type { state.armed = nil } }
            let deed = state.armed?.type == type ? state.armed?.deed : nil
            if deed != .cutBefore { state.passed.append(type) }
            return deed
        }
    }
}

/// A connection that may be cut or fall silent.
private final class CuttingSocket: ClientSocket {
    private enum Condition { case whole, silent, gone }

    private let socket: any ClientSocket
    private let network: CuttingTransport
    private let condition = Mutex(Condition.whole)

    init(_ socket: any ClientSocket, of network: CuttingTransport) {
        self.socket = socket
        self.network = network
    }

    /// Ends it without a word.
    func cut() {
        condition.withLock { $0 = .gone }
        Task { await socket.close(code: nil) }
    }

    func send(_ text: String) async throws {
        switch condition.withLock({ $0 }) {
        case .gone: throw CuttingTransport.Unreachable()
        case .silent: return
        case .whole: break
        }
        let deed = network.deed(at: text)
        if deed == .cutBefore {
            cut()
            throw CuttingTransport.Unreachable()
        }
        try await socket.send(text)
        follow(deed)
    }

    func next() async -> ClientSocketEvent? {
        while condition.withLock({ $0 != .gone }), let event = await socket.next() {
            if condition.withLock({ $0 }) == .silent { continue }
            guard case .text(let text) = event else { return event }
            let deed = network.deed(at: text)
            if deed == .cutBefore { break }
            follow(deed)
            return event
        }
        // A silent end is none that anybody hears of.
        while condition.withLock({ $0 }) == .silent, !Task.isCancelled { try? await Task.sleep(for: .seconds(1)) }
        if condition.withLock({ $0 }) != .gone { cut() }
        return nil
    }

    func close(code: UInt16?) async {
        condition.withLock { $0 = .gone }
        await socket.close(code: code)
    }

    private func follow(_ deed: CuttingTransport.Deed?) {
        switch deed {
        case .cutAfter: cut()
        case .silence: condition.withLock { $0 = .silent }
        case .cutBefore, nil: return
        }
    }
}
