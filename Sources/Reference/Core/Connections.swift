/// The open sockets: their principals, and when each peer last gave a sign of life.
struct Connections: Sendable {
    struct Connection: Sendable {
        /// The id the peer knows.
        let id: String
        /// The principal that the upgrade named.
        let upgradePrincipal: String?
        /// Known once `connected` is sent.
        var principal: String?
        let openedAt: Int
        private(set) var heardAt: Int
        private(set) var pingedAt: Int
        /// The time of the first ping since the last sign of life.
        private(set) var unansweredPingAt: Int?
        /// A close was requested; nothing more is sent or read.
        var isClosing = false

        init(id: String, upgradePrincipal: String?, openedAt: Int) {
            (self.id, self.upgradePrincipal, self.openedAt) = (id, upgradePrincipal, openedAt)
            heardAt = openedAt
            pingedAt = openedAt
        }

        mutating func hear(at time: Int) {
            guard time > heardAt else { return }
            heardAt = time
            if let pinged = unansweredPingAt, pinged < time { unansweredPingAt = nil }
        }

        /// With `anew`, earlier unanswered pings do not count.
        mutating func ping(at time: Int, anew: Bool = false) {
            pingedAt = time
            unansweredPingAt = anew ? time : unansweredPingAt ?? time
        }

        /// Whether the peer is gone: no sign of life for two and a half heartbeats, and no answer to a ping for one.
        ///
        /// The half heartbeat is for an answer still in transit when the second heartbeat ends.
        func isSilent(at time: Int, heartbeat: Int) -> Bool {
            guard let unansweredPingAt else { return false }
            return time - heardAt >= heartbeat * 5 / 2 && time - unansweredPingAt >= heartbeat
        }
    }

    private var connections: [Int: Connection] = [:]
    private var socketsByPrincipal: [String: [Int]] = [:]

    subscript(socket: Int) -> Connection? {
        get { connections[socket] }
        set {
            // Only changes open sockets; `open` and `remove` add and remove them.
            if let newValue, connections[socket] != nil { connections[socket] = newValue }
        }
    }

    mutating func open(_ socket: Int, id: String, upgradePrincipal: String?, at now: Int) {
        connections[socket] = Connection(id: id, upgradePrincipal: upgradePrincipal, openedAt: now)
    }

    mutating func join(_ socket: Int, principal: String) {
        connections[socket]?.principal = principal
        socketsByPrincipal[principal, default: []].append(socket)
    }

    mutating func remove(_ socket: Int) {
        guard let principal = connections.removeValue(forKey: socket)?.principal else { return }
        socketsByPrincipal[principal]?.removeAll { $0 == socket }
        if socketsByPrincipal[principal]?.isEmpty == true { socketsByPrincipal[principal] = nil }
    }

    /// The sockets of a principal, oldest first.
    func sockets(of principal: String) -> [Int] { socketsByPrincipal[principal] ?? [] }

    var principals: Int { socketsByPrincipal.count }

    func lastHeard(of principal: String) -> Int {
        sockets(of: principal).compactMap { connections[$0]?.heardAt }.max() ?? 0
    }

    /// Every open socket, oldest first.
    var all: [Int] { connections.keys.sorted() }
}
