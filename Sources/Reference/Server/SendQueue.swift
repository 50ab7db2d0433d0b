import HoldfastTransport

/// Holds messages back from one client, in order: behind a delayed frame, or because the server is silent.
struct SendQueue {
    enum Held {
        case text(String)
        /// A text that the watcher has already seen.
        case seen(String)
        case close(UInt16, String)
    }

    /// The longest silence; after it the connection is reset, so that none stays forever.
    static let longestSilence = Duration.seconds(600)
    /// The same limit as for bytes that a client leaves unread.
    static let maxHeldBytes = 16 << 20

    /// Whether the server neither sends nor reads.
    var isSilent = false
    /// Tasks that wait for the end of the silence; they learn whether the connection goes on.
    var listeners: [CheckedContinuation<Bool, Never>] = []
    private var delayed: (text: String, action: RelayAction)?
    private var held: [Held] = []
    private var heldBytes = 0

    var isIdle: Bool { !isSilent && delayed == nil && held.isEmpty && listeners.isEmpty }

    var isOverfull: Bool { heldBytes > Self.maxHeldBytes }

    mutating func hold(_ what: Held) -> Bool {
        guard isSilent || delayed != nil else { return false }
        held.append(what)
        heldBytes += what.bytes
        return true
    }

    mutating func delay(_ text: String, _ action: RelayAction) { delayed = (text, action) }

    /// Ends the delay; nil if nothing was delayed, or if the server is still silent.
    mutating func endDelay() -> (text: String, action: RelayAction)? {
        defer { delayed = nil }
        guard isSilent, let delayed else { return delayed }
        held.insert(contentsOf: Array(repeating: .seen(delayed.text), count: delayed.action.copies), at: 0)
        heldBytes += held.prefix(delayed.action.copies).reduce(0) { $0 + $1.bytes }
        return nil
    }

    /// Nil if there is none or it must wait.
    mutating func next() -> Held? {
        guard !isSilent, delayed == nil, !held.isEmpty else { return nil }
        let first = held.removeFirst()
        heldBytes -= first.bytes
        return first
    }

    mutating func forget() {
        held = []
        heldBytes = 0
        delayed = nil
    }

    mutating func takeListeners() -> [CheckedContinuation<Bool, Never>] {
        defer { listeners = [] }
        return listeners
    }
}

extension SendQueue.Held {
    fileprivate var bytes: Int {
        switch self {
        case .text(let text), .seen(let text), .close(_, let text): 64 + text.utf8.count
        }
    }
}
