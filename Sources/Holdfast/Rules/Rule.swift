import HoldfastBasics
import HoldfastJSON
import HoldfastJSONSchema

/// What is done otherwise than usual when something comes, and how often: by a scripted server, a proxy or an agent.
///
/// People write rules as words (`drop toolUse#2`), as steps of client scenarios (`when`) and as files of replies. Each notation has
/// words for some of the events and deeds and refuses the others, so whoever follows its rules meets only what they can do.
package struct Rule: Sendable, Equatable {
    /// What comes.
    package enum Event: String, Sendable, CaseIterable {
        /// The request for a WebSocket.
        case upgrade
        /// A message that a client sends.
        case auth, chat, sync, ping
        /// A message that a server sends.
        case connected, ack, message, toolUse, done, error, syncResult, pong
        /// Any message.
        case frame
        /// A message by its type on the wire, or a request by its method, which is the name; without one, any.
        case wire, request
        /// Over REST: a question, a read of a session, or of the list.
        case post, read, list
        /// What an agent is asked.
        case question

        /// Who sends such a message; nil for what is none, or may be either's.
        package var sender: Role? {
            switch self {
            case .auth, .chat, .sync, .ping: .client
            case .connected, .ack, .message, .toolUse, .done, .error, .syncResult, .pong: .server
            default: nil
            }
        }

        /// Whether it is a message on a WebSocket.
        package var isMessage: Bool { sender != nil || self == .frame || self == .wire }
    }

    /// What becomes of it.
    package enum Deed: String, Sendable {
        /// What is usual.
        case serve
        /// It is refused in words.
        case refuse
        /// It is refused as a broken server does, with a status and no code of the protocol; a turn fails.
        case fail
        /// Nothing is answered, ever.
        case silent
        /// Taken up and not answered before it is released, or its turn has ended.
        case hold
        /// Answered or passed on later.
        case delay
        /// Neither taken up nor passed on.
        case drop
        /// Passed on twice.
        case duplicate
        /// A question is taken up and its turn runs on; acknowledged.
        case ack
        /// A question is taken up and its turn runs on; nothing is said of it.
        case store
        /// Answered with what was so when the rule was made.
        case stale
        /// A replay that says it is not whole.
        case incomplete
        /// A replay in pages.
        case page
        /// The connection ends by a reset, with a close frame, or as `cut` says.
        case reset, close, cut
        /// The agent follows the steps.
        case script
    }

    package var event: Event
    package var deed: Deed
    /// The rule as people know it.
    package var text: String
    /// The type on the wire or the method.
    var name: String?
    /// Only what this side sends, where given.
    var side: Role?
    /// Only what concerns this session, where given.
    package var session: String?
    /// Only a question that says this, where given.
    var condition: TextCondition?
    /// Which of its kind on a connection; nil for each.
    var index: Int?
    /// How often it holds; nil for ever.
    package var times: Int?
    /// Whether it happens once the event has passed, instead of in its place.
    package var isAfter = false

    package var status: Int?
    /// A close code.
    package var code: Int?
    /// The code of an `error`.
    package var error: String?
    /// A frame in place of the usual answer; references are filled in when it is used.
    package var frame: JSONValue?
    /// A body in place of the usual one; references are filled in when it is used.
    package var body: JSONValue?
    /// Whole seconds of `Retry-After`.
    package var retryAfter: Int?
    /// How long something is put off.
    package var milliseconds: Int?
    /// The reason of an incomplete replay, or of a failure.
    package var reason: String?
    /// The most frames of a page.
    package var size: Int?
    /// What is set, or with null removed, in `connected`.
    package var greeting: JSONObject?
    /// How the connection is cut, right after the deed.
    package var cut: Cut?
    package var steps: [AgentStep] = []

    package init(_ event: Event, _ deed: Deed = .serve, text: String? = nil, times: Int? = nil) {
        self.event = event
        self.deed = deed
        self.text = text ?? "\(event.rawValue) \(deed.rawValue)"
        self.times = times
    }

    /// Whether it is for what comes, its index and its times apart.
    func applies(to arrival: Arrival) -> Bool {
        arrival.events.contains(event) && (name ?? arrival.name) == arrival.name
            && (side ?? arrival.sender) == arrival.sender && (session.map(arrival.sessions.contains) ?? true)
            && (condition?.holds(for: arrival.text) ?? true)
    }

    /// What comes, as far as rules ask.
    package struct Arrival: Sendable {
        var events: Set<Event>
        var name: String?
        var sessions: [String] = []
        var sender: Role?
        var text = ""

        /// Something that concerns a session, or none.
        package init(_ event: Event, session: String? = nil) {
            events = [event]
            sessions = session.map { [$0] } ?? []
        }

        /// A request over HTTP.
        package init(request method: String, isUpgrade: Bool) {
            events = [isUpgrade ? .upgrade : .request]
            name = method
        }

        /// A message on a WebSocket: its type on the wire, and the frames of the specification that it stands for.
        package init(message type: String?, _ frames: [JSONValue], from sender: Role) {
            let known = frames.compactMap { $0["type"]?.stringValue }.compactMap(Event.init).filter { $0.sender != nil }
            events = Set([.frame, .wire] + known)
            name = type
            sessions = frames.compactMap { $0["sessionId"]?.stringValue }
            self.sender = sender
        }

        /// A question to an agent, of which the beginning is looked at.
        package init(question: String) {
            events = [.question]
            text = String(question.prefix(Self.maxCharacters))
        }

        private static let maxCharacters = 10_000
    }
}

/// Which texts a rule is for.
enum TextCondition: Sendable, Equatable {
    /// Those that say just this, whatever the case and the blanks around it.
    case exactly(String)
    /// Those that have this in them, whatever the case.
    case containing(String)
    /// Those that match; matching takes time in proportion to the text, whatever the pattern.
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
