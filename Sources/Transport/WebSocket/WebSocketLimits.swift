/// The bounds that keep a peer from filling this process's memory or time.
public struct WebSocketLimits: Sendable, Equatable {
    /// A larger message ends the connection with `failed(tooLarge)`, recognised by its header.
    public var maxMessageBytes: Int
    /// Events waiting for the consumer; when they hold more, reading stops until half of them are taken.
    public var maxQueuedBytes: Int
    /// Everything the peer may send in the connection's life, nil for no bound; beyond it comes `flooded`.
    public var maxReceivedBytes: Int?
    /// What may wait to be sent while the peer does not read; a send beyond it throws `peerTooSlow`.
    public var maxUnsentBytes: Int

    /// Bounds that suit a conversation; a suite lowers them to provoke what lies beyond.
    public init(
        maxMessageBytes: Int = 16 << 20,
        maxQueuedBytes: Int = 64 << 20,
        maxReceivedBytes: Int? = 256 << 20,
        maxUnsentBytes: Int = 64 << 20
    ) {
        self.maxMessageBytes = maxMessageBytes
        self.maxQueuedBytes = maxQueuedBytes
        self.maxReceivedBytes = maxReceivedBytes
        self.maxUnsentBytes = maxUnsentBytes
    }
}
