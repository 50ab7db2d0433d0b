/// The one connection a client has, or tries to have.
struct Link: Sendable {
    enum Phase: Sendable, Equatable {
        /// None, and none is due.
        case none
        /// None; an attempt follows when a wait is over.
        case waiting
        /// The upgrade was asked for.
        case opening(socket: Int)
        /// `auth` was sent; nothing else may be.
        case greeting(socket: Int)
        /// `connected` came.
        case live(socket: Int)
        /// The server refused credentials or version: trying again does not help.
        case refused
    }

    var phase = Phase.none
    /// Attempts that failed since the last `connected`.
    var failures = 0
    /// Connections that ended and brought nothing but `connected`, since one brought more; the wait grows by them as
    /// well.
    var fruitless = 0
    /// When the last attempts began, as many as are counted.
    var attempts: [Int] = []
    /// The stream of the live connection, where it has one.
    var epoch: String?
    /// The largest message the server takes.
    var maxFrameBytes = Int.max
    /// The versions that were offered and refused since the last `connected` or return.
    var refusedVersions: Set<Int> = []
    /// The version offered last: offered again until it is refused.
    var offeredVersion: Int?
    /// The versions that the refusal of the newest connection listed; nil where it had no list.
    var supported: Set<Int>?
    /// When the live connection brought something last, or a question was sent on it.
    var heardAt = 0
    /// Whether a ping asks whether the connection lives.
    var isAsked = false
    /// Whether the last REST request was answered.
    var restWorks = false
    /// Whether the live connection brought a frame after `connected` other than `syncResult` and `pong`.
    private(set) var hasProved = false
    private var lastSocket = 0

    /// The connection in use or in the making.
    var socket: Int? {
        switch phase {
        case .opening(let socket), .greeting(let socket), .live(let socket): socket
        case .none, .waiting, .refused: nil
        }
    }

    /// The connection that may be used.
    var live: Int? {
        guard case .live(let socket) = phase else { return nil }
        return socket
    }

    /// A number no other connection has.
    mutating func nextSocket() -> Int {
        lastSocket += 1
        return lastSocket
    }

    /// `connected` came.
    mutating func settle(on socket: Int) {
        phase = .live(socket: socket)
        isAsked = false
        hasProved = false
        failures = 0
    }

    /// The next wait is a short one: the system says that something has changed.
    mutating func startAnew() { (failures, fruitless) = (0, 0) }

    /// The connection brought a frame after `connected`: only now are waits short again.
    mutating func proved() {
        hasProved = true
        fruitless = 0
    }
}
