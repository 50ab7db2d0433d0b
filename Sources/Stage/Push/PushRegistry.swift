import HoldfastPlatform

/// Assigns pushes to scenarios, and remembers those that belong to none.
final class PushRegistry: Sendable {
    enum Destination {
        case route(PushRoute, principal: String)
        /// The push concerns a session of an ended scenario, or a principal that is not lent.
        case late
        case unknown
    }

    private struct State {
        var routes: [String: (route: PushRoute, principal: String)] = [:]
        var devices: [String: PushSink.TokenState] = [:]
        var ended: Set<String> = []
        var endedInOrder: [String] = []
        var strays: [PushSink.Stray] = []
        var lateCount = 0
    }

    private static let maxStrays = 100
    private static let maxEnded = 20_000

    /// The required `apns-topic`, which names an app; nil for any.
    let topic: String?
    private let state = Mutex(State())

    init(topic: String? = nil) { self.topic = topic }

    var strays: [PushSink.Stray] { state.withLock { $0.strays } }
    /// The number of pushes that arrived after their scenario had ended.
    var lateCount: Int { state.withLock { $0.lateCount } }

    /// Registers devices, even while their principals are not lent.
    func expect(_ devices: [String]) {
        state.withLock { state in
            for device in devices where state.devices[Self.key(device)] == nil {
                state.devices[Self.key(device)] = .fresh
            }
        }
    }

    func tokenState(of device: String) -> PushSink.TokenState {
        state.withLock { $0.devices[Self.key(device)] ?? .fresh }
    }

    /// `refused` is final.
    func note(_ tokenState: PushSink.TokenState, of device: String) {
        state.withLock { state in
            if state.devices[Self.key(device)] != .refused { state.devices[Self.key(device)] = tokenState }
        }
    }

    func open(_ route: PushRoute, devices: [String: String]) {
        expect(Array(devices.values))
        state.withLock { state in
            for (principal, device) in devices { state.routes[Self.key(device)] = (route, principal) }
        }
    }

    /// Ends a route; from now on, pushes about its sessions are late, even if another scenario has the device.
    func close(_ route: PushRoute, sessions: Set<String>) {
        state.withLock { state in
            state.routes = state.routes.filter { $0.value.route !== route }
            for session in sessions where state.ended.insert(session).inserted {
                state.endedInOrder.append(session)
            }
            let surplus = state.endedInOrder.count - Self.maxEnded
            guard surplus > 0 else { return }
            for session in state.endedInOrder.prefix(surplus) { state.ended.remove(session) }
            state.endedInOrder.removeFirst(surplus)
        }
    }

    func destination(of device: String, session: String?) -> Destination {
        state.withLock { state in
            let key = Self.key(device)
            let isLate = session.map(state.ended.contains) ?? false
            if !isLate, let found = state.routes[key] { return .route(found.route, principal: found.principal) }
            guard state.devices[key] != nil else { return .unknown }
            state.lateCount += 1
            return .late
        }
    }

    func noteStray(_ method: String, _ path: String, status: Int) {
        state.withLock { state in
            guard state.strays.count < Self.maxStrays else { return }
            state.strays.append(PushSink.Stray(method: method, path: path, status: status))
        }
    }

    /// Tokens are hexadecimal, and some servers write them in capitals.
    private static func key(_ device: String) -> String { device.lowercased() }
}
