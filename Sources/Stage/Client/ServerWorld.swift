import Holdfast
import HoldfastBasics
import HoldfastJSON

/// A small correct server of one principal, in memory, with rules that make it misbehave.
///
/// Pure: events go in, and the results are left in ``effects``; nothing here waits or touches a socket.
package struct ServerWorld {
    struct Stored {
        var id: String
        var role: ClientWorld.Message.Role
        var content: JSONValue
        /// Milliseconds since 1970.
        var at: Int
        var turn: Int?
        var key: String?
    }

    struct Session {
        var id: String
        var createdAt: Int
        var messages: [Stored] = []
        /// Numbers, in order.
        var turns: [Int] = []

        var updatedAt: Int { messages.last?.at ?? createdAt }
    }

    struct Turn {
        enum Status: Equatable {
            case running, done
            case failed(code: String)

            var word: String {
                switch self {
                case .running: "running"
                case .done: "done"
                case .failed: "failed"
                }
            }
        }

        var number: Int
        var session: String
        var question: WorldQuestion?
        var status = Status.running
        var answer: String?
        /// Whether it ends as soon as the earlier ones have ended.
        var isServed = false
        /// Requests that are answered when it ends.
        var waiting: [Int] = []
        /// The requests among these that repeat the question.
        var repeats: Set<Int> = []

        /// The key of its question, even if another device asked.
        var key: String { question?.key ?? "other-\(number)" }
    }

    struct Connection {
        enum State {
            /// No `auth` yet.
            case open
            /// `auth` arrived and was not answered.
            case unanswered
            /// `connected` was sent.
            case greeted
            /// Gone, closed, or silent.
            case over
        }

        var state = State.open
        /// The owner of the credentials in the upgrade.
        var principal: String?
        /// The messages that were sent on it when they were stored.
        var shownIDs: Set<String> = []
        /// Whether the client waits for something that will never come on it.
        var isStuck = false
        /// The sessions of frames that were lost on it.
        var lost: Set<String> = []
    }

    struct Kept {
        var seq: Int
        var frame: JSONValue
    }

    let profiles: Set<Profile>
    let limits: JSONObject
    let heartbeatSeconds: Int?
    let newer: JSONObject
    let hasRareForms: Bool
    let token: String
    /// The time of day, set from outside before anything happens.
    package var now = 1_767_225_600_000
    var effects: [WorldEffect] = []
    var isUnreachable = false
    var withholdsReads = false
    /// The last change of each session at the time when it was compared with a screen.
    var comparedAt: [String: Int] = [:]
    /// Sessions that lost a frame before a later `seq` was sent, so that nothing makes a client ask for the frame.
    private(set) var passedOver: Set<String> = []
    /// Whether the client was sent away for good, and has not returned.
    package var isSentAway = false

    var epoch: String
    /// Whether a `sync` has no place for its epoch, so that the connection's epoch counts.
    var inheritsEpochs = false
    var lastSeq: Int
    var sessions: [Session] = []
    var turns: [Int: Turn] = [:]
    var turnByKey: [String: Int] = [:]
    var kept: [Kept] = []
    var evictedThrough: Int
    var connections: [Int: Connection] = [:]
    private var rules = Rules()
    /// Dropped rules that were never used.
    private var pastUnused: [String] = []
    /// The conversations at the time when each rule was made.
    private var past: [[Session]] = []
    var held: [Held] = []
    var lastTurn = 0
    /// The turn of the latest question of this client.
    var latest: Int?
    /// Every question that arrived, even if refused, in order.
    var questions: [WorldQuestion] = []
    var connectionNumber = 0
    var lastToken = 0

    package init(_ world: ClientWorld, token: String, now: Int = 1_767_225_600_000) {
        profiles = world.profiles.union([.core])
        limits = world.limits
        heartbeatSeconds = world.heartbeatSeconds
        newer = world.newer
        hasRareForms = world.hasRareForms
        epoch = world.epoch
        lastSeq = world.profiles.contains(.sync) ? world.lastSeq : 0
        evictedThrough = lastSeq
        self.token = token
        self.now = now
        // Messages from before the scenario are an hour old, and a quarter of a second apart.
        var time = (now / 1000 - 3600) * 1000
        for session in world.sessions {
            sessions.append(Session(id: session.id, createdAt: time))
            for message in session.messages {
                time += 250
                store(message, in: session.id, at: time)
            }
            time += 1000
        }
    }

    var isNumbered: Bool { profiles.contains(.sync) }

    package mutating func takeEffects() -> [WorldEffect] {
        defer { effects = [] }
        return effects
    }

    // MARK: rules

    mutating func add(_ rule: Rule) {
        rules.add(rule)
        past.append(sessions)
    }

    /// The newest applicable rule for an event, counted as applied; the usual behavior if there is none.
    mutating func follow(_ event: Rule.Event, session: String? = nil) -> (rule: Rule, past: [Session]) {
        let position = rules.follow(Rule.Arrival(event, session: session), newest: true)
        return position.map { (rules.entries[$0].rule, past[$0]) } ?? (Rule(event), [])
    }

    /// The rule for a REST question; if it has none, a `chat` rule that keeps the turn open applies, because a client
    /// may use either transport.
    mutating func followPost(of question: WorldQuestion) -> Rule {
        let session = question.session
        if let position = rules.follow(Rule.Arrival(.post, session: session), newest: true) {
            return rules.entries[position].rule
        }
        var followed = rules
        guard knownTurn(of: question) == nil,
            let position = followed.follow(Rule.Arrival(.chat, session: session), newest: true),
            followed.entries[position].rule.action == .ack
        else { return Rule(.post) }
        rules = followed
        return Rule(.post, .hold)
    }

    /// Rules that were never used, in words such as `read hold`.
    package var unusedRules: [String] { pastUnused + unused }

    private var unused: [String] {
        rules.unused.filter { $0.action != .serve || $0.greeting != nil }.map { rule in
            [rule.text, rule.session].compactMap { $0 }.joined(separator: " ")
        }
    }

    mutating func dropRules() {
        pastUnused = unusedRules
        (rules, past) = (Rules(), [])
    }

    // MARK: storing

    func index(of session: String) -> Int? { sessions.firstIndex { $0.id == session } }

    func freeSession() -> String {
        var number = sessions.count + 1
        while index(of: "s\(number)") != nil { number += 1 }
        return "s\(number)"
    }

    /// The number in an id such as `u3` or `a3`.
    static func turn(in id: String) -> Int? {
        guard id.first == "u" || id.first == "a", let number = Int(id.dropFirst()), number > 0 else { return nil }
        return number
    }

    /// The text of a message for which a scenario gives none.
    static func defaultText(of id: String) -> String {
        guard let turn = turn(in: id) else { return "message \(id)" }
        return id.first == "u" ? "question \(turn)" : "answer \(turn)"
    }

    /// Stores a message of another device, once; if its id names a turn, it belongs to that turn.
    ///
    /// - Returns: The stored message; nil if it was already there.
    @discardableResult
    mutating func store(_ message: ClientWorld.Message, in session: String, at time: Int) -> Stored? {
        guard let position = index(of: session),
            !sessions[position].messages.contains(where: { $0.id == message.id })
        else { return nil }
        let turn = Self.turn(in: message.id)
        let text = message.text ?? Self.defaultText(of: message.id)
        let key = message.role == .user ? turn.map { turns[$0]?.key ?? "other-\($0)" } : nil
        let stored = Stored(
            id: message.id, role: message.role, content: .string(text), at: time, turn: turn, key: key)
        sessions[position].messages.append(stored)
        guard let turn else { return stored }
        lastTurn = max(lastTurn, turn)
        if turns[turn] == nil {
            turns[turn] = Turn(number: turn, session: session)
            sessions[position].turns.append(turn)
        }
        if message.role == .assistant {
            turns[turn]?.status = .done
            turns[turn]?.answer = text
        }
        return stored
    }

    // MARK: sending

    mutating func tell(
        _ frame: JSONValue, isNumbered: Bool = true, to audience: ServerAudience = .all, except: Int? = nil
    ) {
        var frame = withNewer(frame)
        if isNumbered, self.isNumbered {
            lastSeq += 1
            frame["seq"] = JSONValue(lastSeq)
            kept.append(Kept(seq: lastSeq, frame: frame))
        }
        guard audience != .none else { return noteLostFrame(in: frame["sessionId"]?.stringValue) }
        for (number, connection) in connections.sorted(by: { $0.key < $1.key }) where number != except {
            switch connection.state {
            case .greeted: break
            case .open, .unanswered: if audience != .open { continue }
            case .over: continue
            }
            if let id = frame["messageId"]?.stringValue { connections[number]?.shownIDs.insert(id) }
            if frame["seq"] != nil { passedOver.formUnion(connection.lost) }
            effects.append(.send(connection: number, frame))
        }
    }

    /// Notes that the current connections will never get the frame.
    mutating func noteLostFrame(in session: String?) {
        for number in connections.keys {
            connections[number]?.isStuck = true
            if let session { connections[number]?.lost.insert(session) }
        }
    }

    mutating func send(_ frame: JSONValue, to connection: Int) {
        guard let state = connections[connection]?.state, state != .over else { return }
        effects.append(.send(connection: connection, withNewer(frame)))
    }

    private func withNewer(_ frame: JSONValue) -> JSONValue {
        var frame = frame
        for member in newer { frame[member.key] = member.value }
        return frame
    }

    package mutating func close(_ connection: Int, code: Int) {
        guard connections[connection].map({ $0.state != .over }) ?? false else { return }
        connections[connection]?.state = .over
        isSentAway = isSentAway || code == 4001 || code == 4010
        effects.append(.close(connection: connection, code: code))
    }

    mutating func cut(_ connection: Int, _ how: Cut) {
        guard connections[connection].map({ $0.state != .over }) ?? false else { return }
        connections[connection]?.state = .over
        connections[connection]?.isStuck = how == .silence
        effects.append(.cut(connection: connection, how))
    }
}
