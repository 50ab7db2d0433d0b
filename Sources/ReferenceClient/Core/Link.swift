/// The client's only connection, or its attempts to make one.
struct Link: Sendable {
    enum Phase: Sendable, Equatable {
        /// No connection exists, and no attempt is planned.
        case none
        case waiting
        /// The upgrade was requested.
        case opening(socket: Int)
        /// `auth` was sent; nothing else may be sent yet.
        case greeting(socket: Int)
        /// `connected` arrived.
        case live(socket: Int)
        /// The server refused credentials or version, so retrying is pointless.
        case refused
    }

    var phase = Phase.none
    /// The number of failed attempts since the last `connected`.
    var failures = 0
    /// Consecutive connections that delivered nothing but `connected`; they also make the wait longer.
    var fruitless = 0
    /// The start times of the latest attempts, at most `attemptsPerMinute`.
    var attempts: [Int] = []
    var epoch: String?
    /// The largest frame that the server accepts.
    var maxFrameBytes = Int.max
    /// The versions refused since the last `connected` or the last return to the foreground.
    var refusedVersions: Set<Int> = []
    /// The version offered last; it is offered again until it is refused.
    var offeredVersion: Int?
    /// The versions listed by the newest refusal, if it had a list.
    var supported: Set<Int>?
    /// When the live connection last delivered something or sent a question.
    var heardAt = 0
    var isPinged = false
    var restWorks = false
    /// Whether the live connection delivered a frame other than `connected`, `syncResult` and `pong`.
    private(set) var hasDelivered = false
    private var lastSocket = 0

    var socket: Int? {
        switch phase {
        case .opening(let socket), .greeting(let socket), .live(let socket): socket
        case .none, .waiting, .refused: nil
        }
    }

    var live: Int? { if case .live(let socket) = phase { socket } else { nil } }

    mutating func nextSocket() -> Int {
        lastSocket += 1
        return lastSocket
    }

    mutating func settle(on socket: Int) {
        phase = .live(socket: socket)
        isPinged = false
        hasDelivered = false
        failures = 0
    }

    mutating func startAnew() { (failures, fruitless) = (0, 0) }

    /// Notes that the connection delivered a frame after `connected`, so waits are short again.
    mutating func delivered() {
        hasDelivered = true
        fruitless = 0
    }
}
