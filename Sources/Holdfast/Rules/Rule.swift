import HoldfastBasics
import HoldfastJSON
import HoldfastJSONSchema

/// How a scripted server, a proxy or an agent changes its behavior for certain events, and how often.
///
/// Rules are written as words (`drop toolUse#2`), as steps of client scenarios (`when`) and in files of replies. Each
/// notation allows only the events and actions that its interpreter supports.
package struct Rule: Sendable, Equatable {
    package enum Event: String, Sendable, CaseIterable {
        /// A request for a WebSocket.
        case upgrade
        /// A message from a client.
        case auth, chat, sync, ping
        /// A message from a server.
        case connected, ack, message, toolUse, done, error, syncResult, pong
        /// Any message.
        case frame
        /// A message by its wire type, or a request by its method, as given in the name; any if there is no name.
        case wire, request
        /// Over REST: a question, a read of a session, or a read of the list.
        case post, read, list
        /// A question to an agent.
        case question

        /// The sender of such a message; nil for other events, or if both can send it.
        package var sender: Role? {
            switch self {
            case .auth, .chat, .sync, .ping: .client
            case .connected, .ack, .message, .toolUse, .done, .error, .syncResult, .pong: .server
            default: nil
            }
        }

        package var isMessage: Bool { sender != nil || self == .frame || self == .wire }
    }

    package enum Action: String, Sendable {
        /// Serve it normally.
        case serve
        /// Refuse it with an error of the protocol.
        case refuse
        /// Refuse it like a broken server, with a status but no code of the protocol; a turn fails.
        case fail
        /// Never answer.
        case silent
        /// Accept it, but do not answer before it is released or its turn has ended.
        case hold
        /// Answer or forward it later.
        case delay
        /// Neither accept nor forward it.
        case drop
        /// Forward it twice.
        case duplicate
        /// Accept and acknowledge a question, and run its turn without an ending.
        case ack
        /// Accept a question and run its turn, without sending anything about it.
        case store
        /// Answer with the state at the time when the rule was made.
        case stale
        /// Answer with a replay that is marked incomplete.
        case incomplete
        /// Answer with a replay in pages.
        case page
        /// End the connection with a reset, with a close frame, or as `cut` says.
        case reset, close, cut
        /// Make the agent follow the steps.
        case script
    }

    package var event: Event
    package var action: Action
    package var text: String
    /// The wire type or the method.
    var name: String?
    /// Only messages from this side, if given.
    var side: Role?
    /// Only this session, if given.
    package var session: String?
    /// Only questions with this text, if given.
    var condition: TextCondition?
    /// Only the nth of its kind on a connection; nil for all.
    var index: Int?
    /// How often it applies; nil for no limit.
    package var times: Int?
    /// Whether the change follows the event instead of replacing it.
    package var isAfter = false

    package var status: Int?
    /// A close code.
    package var code: Int?
    package var error: String?
    /// A frame in place of the usual answer; references are filled in on use.
    package var frame: JSONValue?
    /// A body in place of the usual one; references are filled in on use.
    package var body: JSONValue?
    /// `Retry-After` in whole seconds.
    package var retryAfter: Int?
    /// The length of a delay.
    package var milliseconds: Int?
    /// The reason for an incomplete replay, or for a failure.
    package var reason: String?
    /// The maximum number of frames in a page.
    package var size: Int?
    /// Members to set in `connected`, or to remove if null.
    package var greeting: JSONObject?
    /// How to cut the connection immediately afterwards.
    package var cut: Cut?
    package var steps: [AgentStep] = []

    package init(_ event: Event, _ action: Action = .serve, text: String? = nil, times: Int? = nil) {
        self.event = event
        self.action = action
        self.text = text ?? "\(event.rawValue) \(action.rawValue)"
        self.times = times
    }

    /// Whether it matches an event, apart from its index and its limit.
    func applies(to arrival: Arrival) -> Bool {
        arrival.events.contains(event) && (name ?? arrival.name) == arrival.name
            && (side ?? arrival.sender) == arrival.sender && (session.map(arrival.sessions.contains) ?? true)
            && (condition?.holds(for: arrival.text) ?? true)
    }

    package struct Arrival: Sendable {
        var events: Set<Event>
        var name: String?
        var sessions: [String] = []
        var sender: Role?
        var text = ""

        package init(_ event: Event, session: String? = nil) {
            events = [event]
            sessions = session.map { [$0] } ?? []
        }

        package init(request method: String, isUpgrade: Bool) {
            events = [isUpgrade ? .upgrade : .request]
            name = method
        }

        /// A message on a WebSocket: its wire type, and its frame in the specification's form.
        package init(message type: String?, _ frame: JSONValue?, from sender: Role) {
            let known = (frame?["type"]?.stringValue).flatMap(Event.init).flatMap { $0.sender == nil ? nil : $0 }
            events = Set([.frame, .wire] + [known].compactMap(\.self))
            name = type
            sessions = [frame?["sessionId"]?.stringValue].compactMap(\.self)
            self.sender = sender
        }

        /// A question to an agent; only its start is examined.
        package init(question: String) {
            events = [.question]
            text = String(question.prefix(Self.maxCharacters))
        }

        private static let maxCharacters = 10_000
    }
}

enum TextCondition: Sendable, Equatable {
    /// The text equals this one, ignoring case and surrounding blanks.
    case exactly(String)
    /// The text contains this one, ignoring case.
    case containing(String)
    /// The text matches this pattern; matching takes linear time, whatever the pattern.
    case matching(Pattern)

    func holds(for text: String) -> Bool {
        switch self {
        case .exactly(let wanted): text.lowercased().trimmed(\.isWhitespace) == wanted
        case .containing(let part): text.lowercased().contains(part)
        case .matching(let pattern): pattern.matches(text)
        }
    }

    static func == (left: TextCondition, right: TextCondition) -> Bool {
        switch (left, right) {
        case (.exactly(let one), .exactly(let other)), (.containing(let one), .containing(let other)): one == other
        case (.matching(let one), .matching(let other)): one.text == other.text
        default: false
        }
    }
}
