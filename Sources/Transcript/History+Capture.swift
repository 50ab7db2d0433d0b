extension History {
    /// What is not known of a history that no stage recorded.
    ///
    /// Such a history begins in the middle: sessions exist, turns run and frames were shown before its first event. It ends
    /// anywhere, other devices speak to the same server unseen, and nobody armed a fault. A judge accuses nobody because of
    /// what such a history does not hold.
    public struct Capture: Sendable, Equatable {
        /// What it lacks beyond its beginning.
        public var lacks: Set<Lack>
        /// How many of its first events were judged before; they only tell what was open when this part began.
        public var carried: Int

        /// A capture that lacks what is named.
        public init(lacks: Set<Lack> = [], carried: Int = 0) { (self.lacks, self.carried) = (lacks, carried) }
    }
}

extension History.Capture {
    /// What a capture may lack.
    public enum Lack: String, Sendable, Hashable, CaseIterable {
        /// The time of each event: all stand at 0, and only their order is known.
        case times
        /// Frames, anywhere: two that stand side by side need not have followed each other.
        case frames
        /// Who is who: connections and requests of one name need not be one person's, nor of two names two persons'.
        case principals
        /// Whether a token is one that the server gave out.
        case credentials
        /// Whether a socket that ended without a close frame, or a late answer, is the server's doing or the network's.
        case network
        /// The header fields of HTTP responses.
        case headers
        /// The bodies of HTTP requests.
        case requestBodies
        /// When requests began: each stands at its response, and may have begun long before.
        case requestTimes
    }
}
