/// The ways to end a connection without saying goodbye.
public enum Cut: String, Sendable, Hashable, CaseIterable {
    /// The TCP connection ends in order, without a close frame.
    case fin
    /// The TCP connection is reset; what was not yet delivered is lost.
    case reset
    /// Nothing is read or written any more and pings stay unanswered, while the TCP connection stays open.
    case silence
}
