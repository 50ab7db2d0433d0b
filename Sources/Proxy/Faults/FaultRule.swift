import Holdfast
import Transport

/// What a proxy does to one kind of message or request, and when: `drop toolUse#2`, `cut before done`, `refuse upgrade 503`.
package struct FaultRule: Sendable, Equatable {
    /// What is done.
    enum Action: Sendable, Equatable {
        case cut(Cut)
        case close(UInt16)
        case drop
        case duplicate
        case delay(Duration)
        case refuse(Int)
    }

    /// What it is done to.
    enum Target: Sendable, Equatable {
        /// A message of a canonical type.
        case type(String)
        /// A message whose `type` on the wire is this.
        case wire(String)
        /// Any message.
        case frame
        /// The request for a WebSocket.
        case upgrade
        /// A request of this method; nil for any.
        case request(String?)

        var isMessage: Bool {
            switch self {
            case .type, .wire, .frame: true
            case .upgrade, .request: false
            }
        }
    }

    /// The rule as it was written.
    package let text: String
    let action: Action
    let target: Target
    /// Whether it happens once the target has passed, instead of in its place.
    var isAfter = false
    /// Who sends the message; nil for both.
    var side: RelaySide?
    /// The conversation it belongs to; nil for any.
    var session: String?
    /// Which of its kind on a connection; nil for each.
    var nth: Int?
    /// How often it happens; nil for always.
    var times: Int? = 1

    init(text: String, action: Action, target: Target) {
        self.text = text
        self.action = action
        self.target = target
    }

    /// The grammar, for people.
    package static let grammar = """
        A rule is an action and what it is done to:
          cut|reset|silence|close CODE before|after TARGET   end in order, by a reset, by falling silent, by a close frame
          drop TARGET · duplicate TARGET · delay TIME TARGET TIME is a number with ms or s
          refuse upgrade|GET|POST|… [STATUS]                 the proxy answers itself; 503 unless told otherwise
        TARGET: a type of the specification (done, toolUse, chat, …), a type on the wire in quotes ('tool_use'), 'frame' for \
        any message, 'N frames', 'upgrade', or a method such as POST ('request' for any); '#N' is the Nth of its kind on a \
        connection.
        Further words: 'from client' or 'from server', 'in SESSION', 'times N' or 'always' (once unless told otherwise).
        """
}
