extension History {
    /// The gaps of a history that no stage recorded.
    ///
    /// Such a history starts in the middle: sessions, turns and frames existed before its first event. It may end at
    /// any point, other devices may use the same server unseen, and the stage injected no faults. A judge must not
    /// report a violation because events are missing.
    public struct Capture: Sendable, Equatable {
        /// The missing information, besides everything before the first event.
        public var lacks: Set<Lack>
        /// The number of leading events that were judged before; they only set the state at the start of this part.
        public var carried: Int
        /// Whether events are missing after the last one, so that open turns and connections may have ended there.
        public var endsInGap: Bool

        /// A capture that lacks the given information.
        public init(lacks: Set<Lack> = [], carried: Int = 0, endsInGap: Bool = false) {
            (self.lacks, self.carried, self.endsInGap) = (lacks, carried, endsInGap)
        }
    }
}

extension History.Capture {
    /// Information that a capture may lack.
    public enum Lack: String, Sendable, Hashable, CaseIterable {
        /// The time of each event: all are at 0, and only their order is known.
        case times
        /// Some frames, at any place: there may have been others between two recorded ones.
        case frames
        /// Principals: one name may stand for several people, and two names for one.
        case principals
        /// Whether a token was issued by the server.
        case credentials
        /// Whether the server or the network caused a missing close frame or a late answer.
        case network
        case headers
        case requestBodies
        /// The start times of requests: each is placed at its response, but may have started much earlier.
        case requestTimes
    }
}
