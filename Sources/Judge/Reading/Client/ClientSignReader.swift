import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastTranscript

/// Finds the signs of a client's own messages in each frame, response and read: by key, or by the turn of that key.
struct ClientSignReader {
    private let history: Observations

    init(_ history: Observations) { self.history = history }

    func addSigns(_ questions: inout [ClientQuestion]) {
        learnTurnIds(&questions)
        learnMessageIds(&questions)
        let owners = Owners(questions)
        let frames = history.allFrames.sorted { $0.event < $1.event }
        var reads = history.sessionReads.sorted { $0.event < $1.event }[...]
        for frame in frames {
            while let read = reads.first, read.event < frame.event { addSigns(reads.removeFirst(), to: &questions) }
            addSigns(frame, to: &questions, owners)
        }
        for read in reads { addSigns(read, to: &questions) }
        for index in questions.indices {
            for request in questions[index].requests { addResponse(to: request, &questions[index]) }
            questions[index].signs.sort { $0.event < $1.event }
        }
    }

    // MARK: Names

    private func learnTurnIds(_ questions: inout [ClientQuestion]) {
        var pairs: [(key: String?, turnId: String?)] = []
        for frame in history.allFrames {
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

    private func learnMessageIds(_ questions: inout [ClientQuestion]) {
        var keys: [String: Set<String>] = [:]
        var events: [String: Int] = [:]
        // A stored message without a key was sent by another device.
        var keyless: Set<String> = []
        func note(_ id: String?, _ key: String?, _ event: Int) {
            guard let id else { return }
            if let key { keys[id, default: []].insert(key) }
            events[id] = min(events[id] ?? event, event)
        }
        for frame in history.allFrames {
            guard frame.kind == .ack || frame.kind == .message && frame.string("role") == "user" else { continue }
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
            // A message that was not sent yet has no id.
            let sent = questions[index].requests.first?.event ?? questions[index].event
            for (id, event) in events {
                let named = keys[id] ?? []
                if !named.isDisjoint(with: own) {
                    questions[index].ids.insert(id)
                } else if !named.isEmpty || event < sent || keyless.contains(id) {
                    questions[index].foreignIds.insert(id)
                }
            }
        }
    }

    private func response(to request: ObservedRequest) -> ObservedExchange? {
        guard case .exchange(let index) = request.origin, history.exchanges[index].response != nil else { return nil }
        return history.exchanges[index]
    }

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

    private func addSigns(_ frame: Frame, to questions: inout [ClientQuestion], _ owners: Owners) {
        let input: ClientQuestion.Sign.Input
        switch frame.type {
        case "ack": input = .ack
        case "message", "toolUse": input = .frame
        case "done": input = .done
        case "error": input = frame.turnId == nil ? .init(refusal: frame.code) : .failure
        default: return
        }
        guard let owner = owners.owner(of: frame, among: questions) else { return }
        var sign = ClientQuestion.Sign(
            event: frame.event, input: input, connection: frame.connection, sessionId: frame.sessionId)
        if frame.kind == .error {
            sign.error = ClientQuestion.ClientError(
                code: frame.code, text: frame.string("error"), retryAfter: retryAfter(in: frame.value))
        }
        questions[owner].signs.append(sign)
    }

    /// The time after which an error allows the message to be resent, in microseconds.
    private func retryAfter(in value: JSONValue?) -> Int? {
        value?["retryAfterMs"]?.intValue.map { min(max($0, 0), 1 << 40) * 1_000 }
    }

    // MARK: REST

    private func addSigns(_ read: ObservedSessionRead, to questions: inout [ClientQuestion]) {
        for index in questions.indices where questions[index].event < read.event {
            let (keys, turnIds) = (questions[index].keys, questions[index].turnIds)
            let turn = read.turns.last { $0.clientMessageId.map(keys.contains) == true }
            guard turn != nil || read.messages.contains(where: { $0.clientMessageId.map(keys.contains) == true }) else {
                continue
            }
            let isAnswered = read.messages.contains {
                $0.role == "assistant" && $0.turnId.map(turnIds.contains) == true
            }
            let hasEnded = isAnswered || turn?.status == "done"
            let input: ClientQuestion.Sign.Input =
                turn?.status == "failed" ? .failed : hasEnded ? .answer : .question
            questions[index].signs.append(.init(event: read.event, input: input, sessionId: read.sessionId))
        }
    }

    private func addResponse(to request: ObservedRequest, _ question: inout ClientQuestion) {
        // A response that arrives after the end of the app is not read.
        guard let exchange = response(to: request), let event = exchange.response, let status = exchange.status,
            history.endOfLife(at: request.event) > event
        else { return }
        let answer = exchange.answer?.root
        let input: ClientQuestion.Sign.Input
        switch ChatOutcome(status: status, body: answer) {
        case .answered: input = .done
        case .failed: input = .failure
        case .refused: input = .init(refusal: answer?.string("code"), status: status)
        case .unknown: return
        }
        var sign = ClientQuestion.Sign(event: event, input: input, sessionId: answer?.id("sessionId"))
        guard input != .done else {
            question.signs.append(sign)
            return
        }
        let inHeader = exchange.received?[header: "retry-after"].flatMap { Int($0) }
            .map { min(max($0, 0), 1 << 30) * 1_000_000 }
        sign.error = ClientQuestion.ClientError(
            code: answer?.string("code"), text: answer?.string("error"),
            retryAfter: [retryAfter(in: answer), inHeader].compactMap(\.self).min())
        question.signs.append(sign)
    }
}
