import Holdfast

/// Something a running reference server is told to do, for people who develop a client.
///
/// Where a session or a principal is not named, the newest session is meant, of the first principal.
package enum ServerOrder: Sendable {
    /// Questions are failed (`fail`), refused with `rate_limited` (`refuse`) or answered later (`delay`) from now on, in place of
    /// what was ordered of the same kind.
    case rule(Rule)
    /// The agent answers so from now on.
    case replies(Replies)
    /// The agent says something that nobody asked for; devices are told of it when nobody takes it live.
    case say(String, ServerPlace)
    /// Somebody asks a question on another device.
    case ask(String, ServerPlace)
    /// Devices are told of a new message with this text, or of the newest answer.
    case push(String?, ServerPlace)
    /// Nothing that was ordered holds any longer, but for the replies.
    case heal
}

package struct ServerPlace: Sendable, Equatable {
    /// Whose session; nil for the first principal, or the owner of the session.
    package var principal: String?
    /// The conversation; nil for the newest one.
    package var session: String?
    package var isNew: Bool

    package init(principal: String? = nil, session: String? = nil, isNew: Bool = false) {
        (self.principal, self.session, self.isNew) = (principal, session, isNew)
    }
}
