import HoldfastBasics
import HoldfastJSON
import HoldfastTranscript

/// Finds what each frame, response and read told a client of its own messages: by key, by the turn of that key, and for an
/// error without either, by the connection and the order.
struct ClientNewsReader {
    private let history: Observations

    init(_ history: Observations) { self.history = history }

    func tell(_ questions: inout [ClientQuestion]) {
        learnNames(&questions)
        learnIds(&questions)
        let owners = Owners(questions)
        let frames = history.framesTold.sorted { $0.event < $1.event }
        var reads = history.sessionReads.sorted { $0.event < $1.event }[...]
        for frame in frames {
            while let read = reads.first, read.event < frame.event { tell(reads.removeFirst(), to: &questions) }
            tell(frame, to: &questions, owners)
        }
        for read in reads { tell(read, to: &questions) }
        for index in questions.indices {
            for request in questions[index].requests { tellResponse(to: request, &questions[index]) }
            questions[index].news.sort { $0.event < $1.event }
        }
    }

    // MARK: Names

    private func learnNames(_ questions: inout [ClientQuestion]) {
        var pairs: [(key: String?, turnId: String?)] = []
        for frame in history.framesTold {
            pairs.append((frame.clientMessageId, frame.turnId))
        }
        for read in history.sessionReads {
            pairs += read.messages.map { ($0.clientMessageId, $0.turnId) }
            pairs += read.turns.map { ($0.clientMessageId, $0.turnId) }
        }
        var named: [String: Set<String>] = [:]
        for case (let key?, let turnId?) in pairs { named[key, default: []].insert(turnId) }
        for index in questions.indices {
            for key in questions[index].keys {
                for turnId in named[key] ?? [] { questions[index].turnIds.insert(turnId) }
            }
            for request in questions[index].requests {
                if let turnId = response(to: request)?.answer?.root.id("turnId") {
                    questions[index].turnIds.insert(turnId)
                }
            }
        }
    }

    /// Learns what the server calls each message, and what it calls others.
    private func learnIds(_ questions: inout [ClientQuestion]) {
        var keys: [String: Set<String>] = [:]
        var events: [String: Int] = [:]
        // What a server that remembers keys reads out without one was asked by somebody else.
        var keyless: Set<String> = []
        func note(_ id: String?, _ key: String?, _ event: Int) {
            guard let id else { return }
            if let key { keys[id, default: []].insert(key) }
            events[id] = min(events[id] ?? event, event)
        }
        for frame in history.framesTold {
            guard frame.type == "ack" || frame.type == "message" && frame.string("role") == "user" else { continue }
            note(frame.messageId, frame.clientMessageId, frame.event)
        }
        for read in history.sessionReads {
            for message in read.messages where message.role == "user" {
                note(message.id, message.clientMessageId, read.event)
                if message.clientMessageId == nil, let id = message.id { keyless.insert(id) }
            }
        }
        for state in history.client.states {
            for message in state.messages where message.role == "user" { note(message.id, nil, state.event) }
        }
        for index in questions.indices {
            let own = questions[index].keys
            // Nobody has a name for what was not sent yet.
            let sent = questions[index].requests.first?.event ?? questions[index].event
            let isKeyed = history.remembersKeys(before: sent) == true
            for (id, event) in events {
                let named = keys[id] ?? []
                if !named.isDisjoint(with: own) {
                    questions[index].ids.insert(id)
                } else if !named.isEmpty || event < sent || isKeyed && keyless.contains(id) {
                    questions[index].foreignIds.insert(id)
                }
            }
        }
    }

    private func response(to request: ObservedRequest) -> ObservedExchange? {
        guard case .exchange(let index) = request.origin, history.exchanges[index].response != nil else { return nil }
        return history.exchanges[index]
    }

    /// Which messages have a key or a turn.
    private struct Owners {
        private var byKey: [String: [Int]] = [:]
        private var byTurn: [String: [Int]] = [:]

        init(_ questions: [ClientQuestion]) {
            for (index, question) in questions.enumerated() {
                for key in question.keys { byKey[key, default: []].append(index) }
                for turnId in question.turnIds { byTurn[turnId, default: []].append(index) }
            }
        }

        func owner(of frame: Frame, among questions: [ClientQuestion]) -> Int? {
            let places =
                frame.clientMessageId.map { byKey[$0] ?? [] } ?? frame.turnId.flatMap { byTurn[$0] } ?? []
            return places.last { questions[$0].event < frame.event }
        }
    }

    // MARK: Frames

    private func tell(_ frame: Frame, to questions: inout [ClientQuestion], _ owners: Owners) {
        guard let type = frame.type, ["ack", "message", "toolUse", "done", "error"].contains(type) else { return }
        let hasName = frame.clientMessageId != nil || frame.turnId != nil
        var places: [Int] = []
        if hasName {
            places = [owners.owner(of: frame, among: questions)].compactMap(\.self)
        } else if type == "error" {
            places = questionsMeant(by: frame, among: questions)
        } else {
            places = [unnamedOwner(of: frame, questions)].compactMap(\.self)
        }
        guard let place = places.first else { return }
        var news = ClientQuestion.News(
            event: frame.event, kind: type == "done" ? .ending : .proof, connection: frame.connection,
            sessionId: frame.sessionId, isAnswer: type == "done", isCertain: hasName || type != "done")
        if type == "error" {
            let isKnown = questions[place].news.contains { $0.kind == .proof && $0.event < frame.event }
            let ends = ErrorMeaning.endsTurn(frame, acksAreSent: true, wasAcked: isKnown)
            news.kind = ends ? .ending : .refusal
            news.error = ClientQuestion.ClientError(
                code: frame.code, text: frame.string("error"), retryAfter: retryAfter(in: frame.value),
                namesTurn: frame.turnId != nil)
            // A server names what had a name (TURN-21): an error without one may be about anything else.
            news.isCertain =
                hasName || places.count == 1 && questions[place].keys.isEmpty
                || places.count == 1 && history.remembersKeys(before: frame.event) == false
                    && (frame.sessionId.map(questions[place].namedSessions(before: frame.event).contains) ?? true)
            for other in places.dropFirst() {
                news.alsoMeant.formUnion(questions[other].keys)
                var suspicion = news
                suspicion.kind = .refusal
                questions[other].suspicions.append(suspicion)
            }
            if !hasName { suspect(news, butOf: places, in: &questions) }
        }
        questions[place].news.append(news)
    }

    /// What was on its way when an error without a name came, or typed before it had arrived, may be meant as well.
    private func suspect(_ news: ClientQuestion.News, butOf places: [Int], in questions: inout [ClientQuestion]) {
        let limit = history.patience(of: news.event) + history.timeouts.scheduling.microseconds
        for index in questions.indices where !places.contains(index) {
            let isSent = questions[index].requests.contains { $0.event < news.event }
            guard !isSent, history.patience(of: questions[index].event) < limit,
                history.endOfLife(at: questions[index].event) > news.event
            else { continue }
            var suspicion = news
            suspicion.kind = .refusal
            suspicion.isCertain = false
            questions[index].suspicions.append(suspicion)
        }
    }

    /// When an error says that the message may be sent again, in microseconds.
    private func retryAfter(in value: JSONValue?) -> Int? {
        value?["retryAfterMs"]?.intValue.map { min(max($0, 0), 1 << 40) * 1_000 }
    }

    /// The messages an error without names may be about, the likeliest first: those that wait on that connection, as they were
    /// sent; else the last turn of its session that runs.
    private func questionsMeant(by error: Frame, among questions: [ClientQuestion]) -> [Int] {
        if let code = error.code, ["parse_error", "unknown_type", "not_authenticated"].contains(code) {
            let before = history.connections[error.connection].sent.last {
                $0.event < error.event && $0.type != "ping"
            }
            guard before?.type == "chat" else { return [] }
        }
        let open = questions.indices.filter { index in
            questions[index].event < error.event && !questions[index].requests.isEmpty
                && !questions[index].news.contains { $0.event < error.event && $0.kind != .proof }
        }
        let waiting = open.filter { index in
            questions[index].news.allSatisfy { $0.event > error.event }
                && questions[index].requests.contains {
                    $0.connection == error.connection && $0.event < error.event
                        && (error.sessionId == nil || $0.sessionAsked == nil || $0.sessionAsked == error.sessionId)
                }
        }
        let refuses = error.code.map(ErrorMeaning.refusals.contains) ?? false
        if !waiting.isEmpty { return waiting }
        guard !refuses else { return [] }
        let running = open.last { index in
            error.sessionId == nil || questions[index].sessions(before: error.event).contains(error.sessionId ?? "")
        }
        return [running].compactMap(\.self)
    }

    /// The turn that a frame of a server without names belongs to: the only one that runs in its session.
    private func unnamedOwner(of frame: Frame, _ questions: [ClientQuestion]) -> Int? {
        guard frame.type != "message", let session = frame.sessionId else { return nil }
        // In a replay, what stands before a question is not of its turn.
        let later =
            frame.replayIndex.map { place in
                history.framesTold.filter { other in
                    other.event == frame.event && other.replayIndex.map { $0 > place } == true
                        && other.type == "message" && other.string("role") == "user"
                }
            } ?? []
        let open = questions.indices.filter { index in
            questions[index].event < frame.event && !questions[index].requests.isEmpty
                && !later.contains { message in
                    message.messageId.map(questions[index].ids.contains) == true
                        || message.clientMessageId == nil && message.text.map(questions[index].says) == true
                }
                && !questions[index].news.contains {
                    questions[index].settles($0, before: frame.event) && ($0.kind == .ending || $0.isCertain)
                }
        }
        return open.first { questions[$0].requests.contains { $0.sessionAsked == session && $0.event < frame.event } }
            ?? open.first { questions[$0].sessions(before: frame.event).contains(session) }
            ?? beginner(of: session, among: open, questions)
    }

    /// The only question that can have begun a session nobody had named before it.
    private func beginner(of session: String, among open: [Int], _ questions: [ClientQuestion]) -> Int? {
        let beginners = open.filter { index in
            questions[index].requests.allSatisfy { $0.sessionAsked == nil } && questions[index].news.isEmpty
        }
        guard beginners.count == 1, let only = beginners.first else { return nil }
        let named = [
            history.received.first { $0.sessionId == session }?.event,
            history.sessionReads.first { $0.sessionId == session }?.event,
            history.listReads.first { $0.ids.contains(session) }?.event,
        ].compactMap(\.self).min()
        let sent = questions[only].requests.first?.event ?? questions[only].event
        return named.map { $0 > sent } == false ? nil : only
    }

    // MARK: REST

    private func tell(_ read: ObservedSessionRead, to questions: inout [ClientQuestion]) {
        var taken: Set<Int> = []
        // What was refused is not there; of equal words it comes last.
        let told = questions.indices.filter { questions[$0].event < read.event }
        let refused = told.filter { questions[$0].news.last?.kind == .refusal }
        for index in told.filter({ !refused.contains($0) }) + refused {
            let keys = questions[index].keys
            var places = read.messages.indices.filter { read.messages[$0].clientMessageId.map(keys.contains) == true }
            if places.isEmpty {
                // Of equal words the first asked for stands first.
                places = newWords(of: questions[index], in: read).filter { !taken.contains($0) }
                taken.formUnion(places.prefix(1))
                for id in places.compactMap({ read.messages[$0].id }) { questions[index].ids.insert(id) }
            }
            let turn = read.turns.last { $0.clientMessageId.map(keys.contains) == true }
            let isAlone = !questions.indices.contains {
                $0 != index && questions[$0].event < read.event && questions[$0].says(questions[index].text)
            }
            if places.isEmpty, turn == nil, !isAlone, history.remembersKeys(before: read.event) == false {
                questions[index].suspicions.append(
                    .init(event: read.event, kind: .ending, sessionId: read.sessionId, isCertain: false))
            }
            guard let place = places.first ?? (turn == nil ? nil : read.messages.endIndex) else { continue }
            let turnIds = questions[index].turnIds
            let following = read.messages[min(place + 1, read.messages.endIndex)...].prefix { $0.role != "user" }
            let answers = read.messages.contains {
                $0.role == "assistant" && $0.turnId.map(turnIds.contains) == true
            }
            let isEnded =
                answers || following.contains { $0.role == "assistant" && $0.turnId == nil }
                || turn?.status == "done" || turn?.status == "failed"
            // Who names no turns may mean an answer that stands further down.
            if !isEnded,
                read.messages[min(place + 1, read.messages.endIndex)...].contains(where: {
                    $0.role == "assistant" && $0.turnId == nil
                })
            {
                questions[index].suspicions.append(
                    .init(event: read.event, kind: .ending, sessionId: read.sessionId, isCertain: false))
            }
            questions[index].news.append(
                .init(
                    event: read.event, kind: isEnded ? .ending : .proof, sessionId: read.sessionId,
                    isAnswer: isEnded && turn?.status != "failed" && (answers || turn?.status == "done")))
        }
    }

    /// Where a server that remembers no keys shows a message of the same words that nobody was shown before it was sent: in
    /// the session that it was sent to, or first of all the person said in one that it may have begun.
    private func newWords(of question: ClientQuestion, in read: ObservedSessionRead) -> [Int] {
        guard let first = question.requests.first?.event, history.remembersKeys(before: read.event) != true else {
            return []
        }
        let asked = Set(question.requests.map(\.sessionAsked))
        let old = Set(history.sessionReads.filter { $0.event < first }.flatMap { known(of: $0, before: first) })
        let words = read.messages.indices.filter { read.messages[$0].role == "user" }
        return words.filter { place in
            let message = read.messages[place]
            return message.clientMessageId == nil && question.says(message.text)
                && message.id.map(old.contains) == false
                && (asked.contains(read.sessionId)
                    || asked.contains(nil) && place == words.first && mayHaveBegun(by: first, read))
        }
    }

    /// What a client surely had of a read when it sent something: all of it after a while, and before what it showed.
    private func known(of read: ObservedSessionRead, before sent: Int) -> [String] {
        let ids = read.messages.compactMap(\.id)
        if history.hadTime(for: read.event, before: sent) { return ids }
        let looks = history.client.states.filter { $0.event > read.event && $0.event < sent }
        return ids.filter { id in looks.contains { $0.ids.contains(id) } }
    }

    /// Whether a session is not older than the connection that a client had last when it first sent a message.
    ///
    /// The server's clock says both times; some write whole seconds.
    private func mayHaveBegun(by sent: Int, _ read: ObservedSessionRead) -> Bool {
        let greeting = history.connections.lazy.compactMap(\.connected).last { $0 < sent }
        guard let greeting, let told = history.frames[greeting]?.string("serverTime").flatMap({ Instant($0) }),
            let began = read.session.string("createdAt").flatMap({ Instant($0) })
        else { return true }
        return began.microseconds / 1_000_000 >= told.microseconds / 1_000_000
    }

    private func tellResponse(to request: ObservedRequest, _ question: inout ClientQuestion) {
        // What comes after the app's end reaches nobody.
        guard let exchange = response(to: request), let event = exchange.response, let status = exchange.status,
            history.endOfLife(at: request.event) > event
        else { return }
        let answer = exchange.answer?.root
        var news = ClientQuestion.News(event: event, kind: .ending, sessionId: answer?.id("sessionId"))
        if (200...299).contains(status) {
            news.isAnswer = true
            question.news.append(news)
            return
        }
        let code = answer?.string("code")
        let inHeader = exchange.received?[header: "retry-after"].flatMap { Int($0) }
            .map { min(max($0, 0), 1 << 30) * 1_000_000 }
        news.error = ClientQuestion.ClientError(
            code: code, text: answer?.string("error"),
            retryAfter: [retryAfter(in: answer), inHeader].compactMap { $0 }.min(),
            namesTurn: answer?["turnId"] != nil)
        if answer?["turnId"] == nil, code.map(ErrorMeaning.failures.contains) != true {
            let refuses = (400...499).contains(status) || code.map(ErrorMeaning.refusals.contains) == true
            guard refuses else { return }
            news.kind = .refusal
        }
        question.news.append(news)
    }
}
