import Holdfast
import HoldfastJSON

/// Generates the ids of questions and turns that a wire lacks, by the rule of its dialect.
///
/// A server runs the questions of a session, or of a connection, one at a time; so a frame without ids belongs to the
/// oldest question that its connection shows as open. If the wire has acks, they tell which questions were
/// accepted, and in which order. In a capture, earlier questions are unknown, so only acks and the ids in them count.
struct InferredNames {
    var events: [Event]
    private(set) var frames: [Frame?]
    /// The generated members of bodies, by event.
    var generated: [Int: [JSONPointer]] = [:]
    /// The events of simultaneous questions whose order is unknown.
    private(set) var inDoubt: Set<Int> = []

    private let isByConnection: Bool
    private let hasAcks: Bool
    let isCapture: Bool
    var questions: [Question] = []
    private var connections: [Connection] = []
    /// The connection of each event, and, in `asked`, the question that an event asks.
    private var connectionOf: [Int?]
    private var asked: [Int: Int] = [:]
    var posts: [Int: Int] = [:]
    var reads: [Int: Event.Request] = [:]
    /// Indices of `questions` by [principal, "key" or "message", id], or by the identity of a frame.
    private var known: [[String?]: Int] = [:]
    private var firstSeen: [[String]: Int] = [:]
    /// Frames that other connections received before the ack, live or in `missed`, with their identity.
    private var early: [(event: Int, offset: Int?, identity: [String?])] = []
    private var life = 0
    /// The highest number that each principal received since the last start.
    private var newest: [String: Int] = [:]

    struct Question {
        let event: Int
        let connection: Int?
        let principal: String
        let life: Int
        let key: String
        let prompt: String
        let turnId: String
        /// The highest number that its principal received before it; lower ones belong to older questions.
        let after: Int
        var session: String?
        /// Its position among the accepted questions; nil until it is known to be accepted.
        var order: Int?
        var messageId: String?
        var answer: String?
        var isRefused = false
        var hasBegun = false
        var ended: Int?
        var endedOn: Set<Int> = []
    }

    private struct Connection {
        let opening: Int
        var principal: String
        /// Unanswered input: questions, and nil for anything that can only be refused.
        var waiting: [Int?] = []
    }

    init(_ events: [Event], _ frames: [Frame?], by series: Dialect.Series, hasAcks: Bool, isCapture: Bool) {
        (self.events, self.frames, self.hasAcks, self.isCapture) = (events, frames, hasAcks, isCapture)
        isByConnection = series == .connection
        connectionOf = events.map { _ in nil }
        findConnections()
        for index in events.indices {
            if case .act("start", _) = events[index].kind { (life, newest) = (life + 1, [:]) }
            if let connection = connectionOf[index], case .text(.fromServer, _) = events[index].kind,
                let frame = frames[index]
            {
                let principal = connections[connection].principal
                newest[principal] = max(newest[principal] ?? 0, frame.seq ?? 0, frame["lastSeq"]?.intValue ?? 0)
            }
            ask(at: index)
        }
        for index in events.indices { learnAck(at: index) }
        life = 0
        for index in events.indices { take(index) }
        for (event, offset, identity) in early {
            guard let question = known[identity] else { continue }
            let names = bothNames(of: question)
            if let offset { nameMissed(names, at: event, offset) } else { name(names, at: event) }
        }
    }

    private mutating func findConnections() {
        var current: [Lane: Int] = [:]
        for (index, event) in events.enumerated() {
            guard case .connection = event.lane else { continue }
            if case .opening(let opening) = event.kind {
                current[event.lane] = connections.count
                connections.append(Connection(opening: index, principal: opening.principal))
            } else if current[event.lane] == nil {
                current[event.lane] = connections.count
                connections.append(Connection(opening: index, principal: isCapture ? "\(event.lane)" : "p1"))
            }
            connectionOf[index] = current[event.lane]
            if case .act("belongs", let details) = event.kind, let connection = current[event.lane] {
                connections[connection].principal = details["to"]?.stringValue ?? connections[connection].principal
            }
        }
    }

    // MARK: Questions and acks

    private mutating func ask(at index: Int) {
        switch events[index].kind {
        case .text(.toServer, _):
            guard let connection = connectionOf[index], let frame = frames[index], frame.type == "chat",
                let value = frame.value,
                let key = ask(value, by: connections[connection].principal, on: connection, at: index)
            else { return }
            name(["clientMessageId": key], at: index)
        case .request(var request) where request.method == "POST" && request.path == "/api/chat":
            guard let body = request.body, let value = try? JSONParser.value(body),
                let key = ask(value, by: request.principal ?? "", on: nil, at: index)
            else { return }
            generated[index] = value.adding(["clientMessageId": key]).generated
            request.body = Dialect.text(of: body) { $0.adding(["clientMessageId": key]).value }
            events[index].kind = .request(request)
        default: break
        }
    }

    /// Notes a question and returns its key; nil if it is not a question.
    private mutating func ask(_ value: JSONValue, by principal: String, on connection: Int?, at index: Int) -> String? {
        guard let last = value["messages"]?.arrayValue?.last, last["role"] == "user" else { return nil }
        // In a capture, other askers are unknown, so a generated key must be unique.
        if isCapture, value["clientMessageId"] == nil { return "question-at-\(index)" }
        let key = value["clientMessageId"]?.stringValue ?? "question-\(questions.count + 1)"
        let session = value["sessionId"]?.stringValue
        if let session { noteSession(session, of: principal, at: index) }
        if let first = known[[principal, "key", key]] {
            asked[index] = first
            return key
        }
        asked[index] = questions.count
        known[[principal, "key", key]] = questions.count
        questions.append(
            Question(
                event: index, connection: connection, principal: principal, life: life, key: key,
                prompt: MessageContent.text(of: last["content"]), turnId: "turn-\(questions.count + 1)",
                after: newest[principal] ?? 0, session: session, order: hasAcks ? nil : index))
        return key
    }

    /// Notes an ack; if it names a message other than the known one, the server treated a repeat as a new question.
    private mutating func learnAck(at index: Int) {
        guard case .text(.fromServer, _) = events[index].kind, let ack = frames[index], ack.type == "ack",
            let key = ack.clientMessageId, let connection = connectionOf[index],
            var question = known[[connections[connection].principal, "key", key]]
        else { return }
        let first = questions[question]
        if let id = first.messageId, let given = ack.messageId, given != id {
            guard known[[first.principal, "message", given]] == nil else { return }
            question = questions.count
            questions.append(
                Question(
                    event: first.event, connection: connection, principal: first.principal, life: first.life, key: key,
                    prompt: first.prompt, turnId: "turn-\(questions.count + 1)", after: first.after,
                    session: first.session))
        }
        questions[question].order = questions[question].order ?? index
        questions[question].session = questions[question].session ?? ack.sessionId
        // The ack of a repeat can lack the id that the first one gave.
        guard let id = ack.messageId else { return }
        questions[question].messageId = id
        known[[first.principal, "message", id]] = question
    }

    // MARK: Frames

    private mutating func take(_ index: Int) {
        switch (events[index].lane, events[index].kind) {
        case (.server, .act("start", _)): life += 1
        case (.connection, .text(.toServer, _)), (.connection, .binary(.toServer, _)):
            guard let connection = connectionOf[index] else { return }
            if let question = asked[index] {
                questions[question].isRefused = false
                connections[connection].waiting.append(question)
            } else if ["auth", "ping", "sync"].contains(frames[index]?.type) == false {
                connections[connection].waiting.append(nil)
            }
        case (.connection, .text(.fromServer, _)):
            guard let connection = connectionOf[index], let frame = frames[index] else { return }
            if frame.type == "syncResult" { return takeMissed(of: frame, on: connection, at: index) }
            name(namesOrNote(of: frame, on: connection, at: index), at: index)
        case (.exchange(let number), .request(let request)):
            (posts[number], reads[number]) = (asked[index], request.method == "GET" ? request : nil)
        case (.exchange(let number), .response(let response)): take(response, of: number, at: index)
        default: break
        }
    }

    private mutating func takeMissed(of answer: Frame, on connection: Int, at index: Int) {
        var assumed: [JSONPointer] = []
        let missed = (answer["missed"]?.arrayValue ?? []).enumerated().map { offset, value in
            let frame = Frame(value, replayedBy: answer, at: offset)
            let (named, generated) = value.adding(namesOrNote(of: frame, on: connection, at: index, missed: offset))
            assumed += generated.map { JSONPointer(tokens: ["missed", "\(offset)"] + $0.tokens) }
            return named
        }
        if !assumed.isEmpty { replace(missed, at: index, assuming: assumed) }
    }

    /// The ids for a server's frame; a frame without known ids is noted, because a later ack may provide them.
    private mutating func namesOrNote(
        of frame: Frame, on connection: Int, at index: Int, missed offset: Int? = nil
    ) -> [String: String] {
        let names = names(of: frame, on: connection, at: index)
        if names.isEmpty, hasAcks, frame.turnId == nil,
            let identity = identity(of: frame, connections[connection].principal)
        {
            early.append((index, offset, identity))
        }
        return names
    }

    /// The ids for a server's frame; empty if its question is unknown.
    private mutating func names(of frame: Frame, on connection: Int, at index: Int) -> [String: String] {
        guard frame.turnId == nil, let type = frame.type else { return [:] }
        let principal = connections[connection].principal
        if type != "error", let session = frame.sessionId { noteSession(session, of: principal, at: index) }
        switch type {
        case "ack":
            guard
                let question = find("message", frame.messageId, principal)
                    ?? find("key", frame.clientMessageId, principal)
            else { return [:] }
            settle(known[[principal, "key", questions[question].key]], on: connection)
            questions[question].hasBegun = true
            return ["turnId": questions[question].turnId]
        case "error": return namesOfError(frame, on: connection, at: index)
        case "message", "toolUse", "done":
            guard let question = owner(of: frame, on: connection, at: index) else { return [:] }
            begin(question, by: frame, on: connection, at: index)
            return bothNames(of: question)
        default: return [:]
        }
    }

    private mutating func namesOfError(_ error: Frame, on connection: Int, at index: Int) -> [String: String] {
        let principal = connections[connection].principal
        let waiting = connections[connection].waiting
        let isRefusal = error.code.map(Frame.refusalCodes.contains) ?? false
        if let key = error.clientMessageId {
            let runs = questions.indices.filter { questions[$0].key == key && questions[$0].principal == principal }
            let open = runs.first { questions[$0].order ?? .max < index && !questions[$0].endedOn.contains(connection) }
            guard let question = open ?? find("key", key, principal) else { return [:] }
            if waiting.contains(question) { return refuse(question, on: connection) }
            return isRefusal ? [:] : end(question, by: error, on: connection, at: index)
        }
        if let question = identity(of: error, principal).flatMap({ known[$0] }) {
            return end(question, by: error, on: connection, at: index)
        }
        guard !isCapture else { return [:] }
        if waiting.last == .some(nil) {
            connections[connection].waiting.remove(at: waiting.firstIndex(of: nil) ?? 0)
            return [:]
        }
        let running = open(for: error, on: connection, at: index).filter { questions[$0].hasBegun || !hasAcks }
        let unanswered = waiting.compactMap(\.self)
        guard let first = isRefusal ? unanswered.first : running.first ?? unanswered.first else {
            // A turn's failure is sent to every device, but a refusal only to the asker.
            let others = open(for: error, on: connection, at: index, ofOthers: true).filter { questions[$0].hasBegun }
            guard !isRefusal, running.isEmpty, others.count == 1 else { return [:] }
            return end(others[0], by: error, on: connection, at: index)
        }
        let possible = Set(isRefusal && hasAcks ? [first] : running + unanswered)
        if possible.count > 1 || waiting.contains(nil) { inDoubt.formUnion(possible.map { questions[$0].event }) }
        return questions[first].hasBegun && !isRefusal
            ? end(first, by: error, on: connection, at: index) : refuse(first, on: connection)
    }

    private mutating func refuse(_ question: Int, on connection: Int) -> [String: String] {
        settle(question, on: connection)
        questions[question].isRefused = !questions[question].hasBegun
        return ["clientMessageId": questions[question].key]
    }

    private mutating func end(_ question: Int, by error: Frame, on connection: Int, at index: Int) -> [String: String] {
        begin(question, by: error, on: connection, at: index)
        return bothNames(of: question)
    }

    func bothNames(of question: Int) -> [String: String] {
        ["clientMessageId": questions[question].key, "turnId": questions[question].turnId]
    }

    private mutating func settle(_ question: Int?, on connection: Int) {
        if let first = connections[connection].waiting.firstIndex(where: { $0 != nil && $0 == question }) {
            connections[connection].waiting.remove(at: first)
        }
    }

    private mutating func begin(_ question: Int, by frame: Frame, on connection: Int, at index: Int) {
        questions[question].hasBegun = true
        if questions[question].session == nil { questions[question].session = frame.sessionId }
        let own = questions[question]
        if let identity = identity(of: frame, own.principal) { known[identity] = known[identity] ?? question }
        guard frame.type == "done" || frame.type == "error" else { return }
        settle(question, on: connection)
        questions[question].ended = own.ended ?? index
        questions[question].answer = own.answer ?? frame.text
        if frame.type == "done", let id = frame.messageId { known[[own.principal, "message", id]] = question }
        // The questions before it have ended too.
        for other in questions.indices
        where other == question
            || questions[other].session == own.session && questions[other].principal == own.principal
                && questions[other].order ?? .max < own.order ?? 0
        {
            questions[other].endedOn.insert(connection)
        }
    }

    mutating func noteSession(_ session: String, of principal: String, at index: Int) {
        firstSeen[[principal, session]] = min(firstSeen[[principal, session]] ?? index, index)
    }

    // MARK: Owners of frames

    /// The identity of a frame, which several connections may receive; nil without number and id.
    private func identity(of frame: Frame, _ principal: String) -> [String?]? {
        guard let id = frame.messageId ?? frame.seq.map({ "\($0) in \(life)" }) else { return nil }
        return [
            principal, frame.type, id, frame.sessionId, frame.text ?? frame.string("tool") ?? frame.string("error"),
        ]
    }

    private mutating func owner(of frame: Frame, on connection: Int, at index: Int) -> Int? {
        let principal = connections[connection].principal
        if let same = identity(of: frame, principal).flatMap({ known[$0] }) { return same }
        if frame.type == "message" {
            let own = find("key", frame.clientMessageId, principal) ?? find("message", frame.messageId, principal)
            if let own { return own }
        }
        guard !isCapture else { return nil }
        if frame.type == "message" { return questionShown(by: frame, to: principal, at: index) }
        var open = open(for: frame, on: connection, at: index)
        switch frame.type {
        case "done":
            // A frame that ended a question on a socket is known; this one is not, so it belongs to another question.
            if hasAcks, identity(of: frame, principal) != nil {
                open.removeAll { questions[$0].connection != nil && questions[$0].ended ?? .max < index }
            }
            let fitting = open.filter { questions[$0].answer.map { exactlyEqual($0, frame.text ?? "") } ?? true }
            open = fitting.isEmpty ? open : fitting
        default:
            // After its REST answer, a question uses no more tools.
            open.removeAll { questions[$0].connection == nil && questions[$0].ended != nil }
        }
        guard let first = open.first else { return nil }
        let rivals = open.dropFirst().filter { isUnordered(first, $0) }
        if !rivals.isEmpty { inDoubt.formUnion(([first] + rivals).map { questions[$0].event }) }
        return first
    }

    /// The unacknowledged question with the text of a message; the message proves that it was accepted.
    private mutating func questionShown(by message: Frame, to principal: String, at index: Int) -> Int? {
        let question = questions.firstIndex { question in
            question.principal == principal && question.event < index && question.messageId == nil
                && !question.isRefused && !isOlder(message, than: question) && (question.connection == nil || !hasAcks)
                && (question.session.map { $0 == message.sessionId } ?? true)
                && exactlyEqual(question.prompt, message.text ?? "")
        }
        guard let question, message.string("role") == "user" else { return nil }
        questions[question].messageId = message.messageId ?? ""
        if let id = message.messageId { known[[principal, "message", id]] = question }
        questions[question].order = questions[question].order ?? index
        return question
    }

    /// Whether a frame's number was already received before a question was asked.
    private func isOlder(_ frame: Frame, than question: Question) -> Bool {
        question.life == life && frame.seq.map { $0 <= question.after } ?? false
    }

    /// The questions that a frame without ids may belong to, in order of acceptance.
    private func open(for frame: Frame, on connection: Int, at index: Int, ofOthers: Bool = false) -> [Int] {
        let (seen, session) = (connections[connection], ofOthers ? nil : frame.sessionId)
        var open = questions.indices.filter { position in
            let question = questions[position]
            guard question.principal == seen.principal, question.event < index, question.order ?? .max < index,
                !question.isRefused, !question.endedOn.contains(connection), question.ended ?? .max > seen.opening,
                !isOlder(frame, than: question)
            else { return false }
            guard !isByConnection, let session else { return (question.connection == connection) != ofOthers }
            if let own = question.session { return own == session }
            return firstSeen[[question.principal, session]] ?? .max > question.event
        }.sorted { questions[$0].order ?? 0 < questions[$1].order ?? 0 }
        // Prefer questions of this life, since a start ends running ones, and then those of the session.
        for holds in [{ questions[$0].life == life }, { session == nil || questions[$0].session == session }]
            as [(Int) -> Bool]
        {
            let likely = open.filter(holds)
            if !likely.isEmpty { open = likely }
        }
        return open
    }

    private func isUnordered(_ one: Int, _ two: Int) -> Bool {
        let (first, second) = (questions[one], questions[two])
        if first.ended ?? .max < second.event || hasAcks { return false }
        return first.connection == nil || first.connection != second.connection
            || !isByConnection && (first.session == nil || second.session == nil)
    }

    func find(_ kind: String, _ id: String?, _ principal: String) -> Int? {
        id.flatMap { known[[principal, kind, $0]] }
    }

    // MARK: Writing

    private mutating func name(_ names: [String: String], at index: Int) {
        guard let value = frames[index]?.value else { return }
        let (_, generated) = value.adding(names)
        if !generated.isEmpty { change(at: index, assuming: generated) { $0.adding(names).value } }
    }

    private mutating func nameMissed(_ names: [String: String], at index: Int, _ offset: Int) {
        guard var missed = frames[index]?["missed"]?.arrayValue else { return }
        let (named, added) = missed[offset].adding(names)
        missed[offset] = named
        replace(missed, at: index, assuming: added.map { JSONPointer(tokens: ["missed", "\(offset)"] + $0.tokens) })
    }

    private mutating func replace(_ missed: [JSONValue], at index: Int, assuming generated: [JSONPointer]) {
        change(at: index, assuming: generated) { root in
            var root = root
            root["missed"] = .array(missed)
            return root
        }
    }

    private mutating func change(at index: Int, assuming generated: [JSONPointer], _ change: (JSONValue) -> JSONValue) {
        guard case .text(let direction, let text) = events[index].kind, let old = frames[index] else { return }
        let shown = Dialect.text(of: text, change)
        events[index].kind = .text(direction, shown)
        frames[index] = Frame(shown, wireBytes: old.wireBytes, assumed: old.assumed + generated)
    }
}
