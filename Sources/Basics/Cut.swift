/// The ways to end a connection without a close frame.
package enum Cut: String, Sendable, Hashable, CaseIterable {
    /// The TCP connection ends cleanly, without a close frame.
    case fin
    /// The TCP connection is reset; undelivered data is lost.
    case reset
    /// The TCP connection stays open, but nothing is read or written and pings are not answered.
    case silence
}

package enum ConnectionEnding: Sendable, Equatable {
    /// Without a close frame, or by falling silent.
    case cut(Cut)
    /// By a close frame with this code.
    case close(UInt16)
}

/// Whether a close frame may carry a code (RFC 6455 section 7.4 and its registry).
package func isCloseCode(_ code: Int) -> Bool {
    switch code {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
}
