import HoldfastTransport

/// What is held back on its way to one client, in order: behind a frame that is delayed, or because the server is silent.
struct SendingLine {
    /// Something on its way.
    enum Held {
        case text(String)
        /// One that its watcher has seen already.
        case seen(String)
        case close(UInt16, String)
    }

    /// The longest time without a word; then the connection is reset, so that none stays for ever.
    static let longestSilence = Duration.seconds(600)
    /// The most that is held, in bytes; as much as a client may leave unread.
    static let maxHeldBytes = 16 << 20

    /// Whether nothing is said and nothing heard.
    var isSilent = false
    /// Who waits for the end of the silence, and is told whether the connection goes on.
    var listeners: [CheckedContinuation<Bool, Never>] = []
    private var delayed: (text: String, deed: RelayDeed)?
    private var held: [Held] = []
    private var heldBytes = 0

    /// Whether nothing waits here and nothing has to.
    var isIdle: Bool { !isSilent && delayed == nil && held.isEmpty && listeners.isEmpty }

    var isOverfull: Bool { heldBytes > Self.maxHeldBytes }

    /// Holds something back; false when nothing has to be.
    mutating func hold(_ what: Held) -> Bool {
        guard isSilent || delayed != nil else { return false }
        held.append(what)
        heldBytes += what.bytes
        return true
    }

    /// Delays a text, and everything after it.
    mutating func delay(_ text: String, _ deed: RelayDeed) { delayed = (text, deed) }

    /// The time of the delay is over; nil when nothing was delayed, and when a silence goes on.
    mutating func endDelay() -> (text: String, deed: RelayDeed)? {
        defer { delayed = nil }
        guard isSilent, let delayed else { return delayed }
        held.insert(contentsOf: Array(repeating: .seen(delayed.text), count: delayed.deed.copies), at: 0)
        heldBytes += held.prefix(delayed.deed.copies).reduce(0) { $0 + $1.bytes }
        return nil
    }

    /// The next thing to send; nil when nothing may be.
    mutating func next() -> Held? {
        guard !isSilent, delayed == nil, !held.isEmpty else { return nil }
        let first = held.removeFirst()
        heldBytes -= first.bytes
        return first
    }

    /// Nothing that is held will be sent.
    mutating func forget() {
        held = []
        heldBytes = 0
        delayed = nil
    }

    /// Those that wait for the end of the silence, once.
    mutating func takeListeners() -> [CheckedContinuation<Bool, Never>] {
        defer { listeners = [] }
        return listeners
    }
}

extension SendingLine.Held {
    /// What it holds of memory, roughly.
    fileprivate var bytes: Int {
        switch self {
        case .text(let text), .seen(let text), .close(_, let text): 64 + text.utf8.count
        }
    }
}
