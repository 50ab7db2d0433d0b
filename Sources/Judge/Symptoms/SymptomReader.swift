import HoldfastBasics
import HoldfastTranscript

/// Finds in a history the usual traces of a problem.
struct SymptomReader {
    let history: Observations
    /// For questions without a proven ending: the next ending on their connection that belongs to no other question.
    private let likelyEnds: [Int: Int]
    /// The turns and keys of all endings whose owners are a guess.
    private let seen: Set<String>

    init(_ history: Observations) {
        self.history = history
        let isGuess = history.capture?.lacks.contains(.principals) == true
        let endings = isGuess ? history.shown.map(\.frame) + history.received.filter { $0.seq == nil } : []
        seen = Set(
            endings.filter { $0.isOf(.done, .error) }.flatMap { [$0.turnId, $0.clientMessageId] }.compactMap(\.self))
        let claimed = Set(history.questions.lazy.flatMap { [$0.endings, $0.copies].joined() }.map(\.event))
        // Questions are in the order of asking, so that each ending is examined once.
        var unclaimed = history.connections.map { connection in
            connection.received.filter { frame in
                let isEnding = frame.kind == .done || frame.kind == .error && frame.clientMessageId == nil
                return isEnding && !claimed.contains(frame.event)
            }.map(\.event)[...]
        }
        var ends: [Int: Int] = [:]
        for turn in history.questions where turn.ended == nil {
            guard let connection = turn.request.connection else { continue }
            unclaimed[connection] = unclaimed[connection].drop { $0 < turn.event }
            ends[turn.event] = unclaimed[connection].popFirst()
        }
        likelyEnds = ends
    }

    func end(of turn: ObservedTurn) -> Int? { turn.ended ?? turn.doubtfulEnd ?? likelyEnds[turn.event] }

    /// The outcome of a question in words, with the time since an event; nil if nothing shows it.
    private func outcome(of turn: ObservedTurn, since event: Int) -> String? {
        func phrase(_ frame: Frame?, _ how: String) -> String {
            frame?.kind == .error ? "it failed (\(frame?.code ?? "no code"))\(how)" : "the answer came\(how)"
        }
        if let ended = end(of: turn) {
            let frame = history.frames[ended]
            let device = frame == nil ? "" : " on \(history.events[ended].lane)"
            return phrase(frame, "\(device)\(later(event, ended))")
        }
        let copy = (turn.replayed + turn.doubtfulFrames + turn.copies).first { $0.isOf(.done, .error) }
        if let copy {
            let device = history.connections[copy.connection].device
            return phrase(copy, "\(copy.isReplayed ? " in a replay" : "") on \(device)\(later(event, copy.event))")
        }
        guard isSettled(turn), let read = readEnding(turn) else { return nil }
        let hasFailed = history.sessionReads.first { $0.event == read }?.entry(of: turn)?.status == "failed"
        return "a read shows \(hasFailed ? "that it failed" : "the answer")\(later(event, read))"
    }

    private func readEnding(_ turn: ObservedTurn) -> Int? {
        let reads = turn.session.map { history.reads(of: $0, by: turn.principal) } ?? history.sessionReads
        return reads.last { $0.isAfter(turn.event) && showsEnd(of: turn, in: $0) }?.event
    }

    /// Whether a read shows the answer or the failure of a turn: under the turn's id, or right after its question,
    /// which is found by its key or, without a key, by its text.
    private func showsEnd(of turn: ObservedTurn, in read: ObservedSessionRead) -> Bool {
        let isNamed = turn.turnId.map { id in
            read.messages.contains { $0.role == "assistant" && $0.turnId == id }
                || read.turns.contains { $0.status == "failed" && $0.turnId == id }
        }
        return isNamed == true
            || zip(read.messages, read.messages.dropFirst()).contains { message, next in
                // A message that names another turn answers another question.
                let names = Set([message.turnId, next.turnId, turn.turnId].compactMap(\.self))
                guard message.role == "user", next.role == "assistant", names.count < 2 else { return false }
                guard let key = message.clientMessageId, let own = turn.clientMessageId else {
                    return message.text == turn.request.prompt
                }
                return key == own
            }
    }

    /// All symptoms, by kind and then in time order.
    func symptoms() -> [Symptom] {
        unanswered() + repeatedQuestions() + repeatedAnswers() + repeatedInReads() + gaps() + unshownQuestions()
            + crossed() + emptyReads() + brokenOff() + idleCuts() + turnedAway() + silences()
    }

    func duration(_ first: Int, _ last: Int) -> String { readable(.microseconds(history.span(from: first, to: last))) }

    /// `, 1.2 s later`; empty if the time is unknown.
    private func later(_ first: Int, _ last: Int) -> String {
        history.knowsTimes ? ", \(duration(first, last)) later" : ""
    }

    // MARK: Questions

    private func unanswered() -> [Symptom] {
        // Skipped lines after a part may contain the answers.
        if history.capture?.endsInGap == true { return [] }
        return history.questions.compactMap { turn in
            guard !isSettled(turn) else { return nil }
            let ack = turn.ack
            var what = "\(shown(turn.request.prompt)) was asked\(location(of: turn.request))"
            what += ack == nil ? " and never answered" : ", acknowledged and never answered"
            if history.knowsTimes, let last = history.events.indices.last, last > turn.event {
                what += " in the \(duration(turn.event, last)) that follow"
            }
            return Symptom(.unanswered, what, at: [turn.event] + [ack?.event].compactMap(\.self))
        }
    }

    /// Whether anything shows the outcome of the question: an ending, a refusal, a replay, or a read with the answer.
    func isSettled(_ turn: ObservedTurn) -> Bool {
        if end(of: turn) != nil || turn.isRefused || !turn.copies.isEmpty { return true }
        return [turn.replayed, turn.doubtfulFrames].joined().contains(where: \.isEnding) || readEnding(turn) != nil
            || [turn.turnId, turn.clientMessageId].contains { $0.map(seen.contains) == true }
    }

    private func repeatedQuestions() -> [Symptom] {
        let requests = history.questions.filter { !$0.isRefused }.flatMap(\.requests).sorted { $0.event < $1.event }
        let alike = Dictionary(grouping: requests.filter { !$0.prompt.isEmpty }) {
            ScopedName($0.prompt, of: $0.principal)
        }
        return alike.values.flatMap { requests in
            zip(requests, requests.dropFirst()).compactMap { first, second -> Symptom? in
                let ids = [first.clientMessageId, second.clientMessageId]
                if let id = ids[0], id == ids[1] { return nil }
                let names = ids.map { $0.map { shown($0) } ?? "no id" }
                let under = ids == [nil, nil] ? "without a clientMessageId" : "under \(names[0]) and \(names[1])"
                return Symptom(
                    .repeated, "\(shown(first.prompt)) was sent twice, \(under)\(later(first.event, second.event))",
                    at: [first.event, second.event])
            }
        }.sorted { $0.events[1] < $1.events[1] }
    }

    // MARK: Answers

    /// The same answer twice in a row on one connection, not marked as a copy.
    private func repeatedAnswers() -> [Symptom] {
        history.connections.flatMap { connection in
            let answers = connection.received.filter {
                $0.kind == .done && !$0.isDuplicate && $0.text?.isEmpty == false
            }
            return zip(answers, answers.dropFirst()).compactMap { first, second -> Symptom? in
                guard first.text == second.text, first.sessionId == second.sessionId,
                    first.turnId == second.turnId || first.turnId == nil || second.turnId == nil
                else { return nil }
                return Symptom(
                    .repeated,
                    "the answer \(shown(first.text)) came twice on \(connection.device)\(later(first.event, second.event))",
                    at: [first.event, second.event])
            }
        }
    }

    /// A conversation with the same question or answer twice, reported at the first read that shows it.
    private func repeatedInReads() -> [Symptom] {
        var seen: Set<[String]> = []
        return history.sessionReads.flatMap { read in
            ["user", "assistant"].flatMap { role -> [Symptom] in
                let stated = read.messages.filter { $0.role == role && !$0.text.isEmpty }
                return zip(stated, stated.dropFirst()).compactMap { first, second in
                    guard first.text == second.text, role == "user" || first.turnId == second.turnId,
                        seen.insert([read.sessionId, role, first.text]).inserted
                    else { return nil }
                    let what = role == "user" ? "question" : "answer"
                    return Symptom(
                        .repeated, "a read of \(shown(read.sessionId)) shows the \(what) \(shown(first.text)) twice",
                        at: [read.request, read.event])
                }
            }
        }
    }

    // MARK: The stream

    private func gaps() -> [Symptom] {
        let byDevice = Dictionary(grouping: history.shown, by: \.stream).flatMap { stream, items in
            Dictionary(grouping: items) { history.connections[$0.frame.connection].device }
                .map { (device: $0.key, stream: stream, items: $0.value) }
        }
        return byDevice.flatMap { device, stream, items -> [Symptom] in
            let inOrder = items.sorted { ($0.seq, $0.event) < ($1.seq, $1.event) }
            return zip(inOrder, inOrder.dropFirst()).compactMap { before, after -> Symptom? in
                guard before.seq >= 0, after.seq > before.seq, after.seq - before.seq > 1 else { return nil }
                let missing = (before.seq + 1)...(after.seq - 1)
                let other = history.streams[stream]?.firstShown(after: before.seq).first.flatMap {
                    missing.contains($0.seq) ? $0 : nil
                }
                let names =
                    missing.count == 1 ? "#\(missing.lowerBound)" : "#\(missing.lowerBound) to #\(missing.upperBound)"
                let seen = other.map {
                    " Device \(history.connections[$0.frame.connection].device) was shown #\($0.seq)."
                }
                return Symptom(
                    .gap,
                    "device \(device) was never shown \(names): #\(after.seq) follows #\(before.seq)."
                        + (seen ?? " A server may leave numbers unused."),
                    at: [before.event, after.event].sorted())
            }
        }.sorted { ($0.events[1], $0.events[0]) < ($1.events[1], $1.events[0]) }
    }

    // MARK: Reads

    private func emptyReads() -> [Symptom] {
        history.exchanges.compactMap { exchange in
            guard let response = exchange.response, let status = exchange.status else { return nil }
            let path = "GET \(exchange.sent.path.prefix { $0 != "?" })"
            let found: String
            if exchange.sessionRead != nil, status == 404 {
                found = "\(path) found no conversation (404)"
            } else if exchange.sessionRead != nil,
                exchange.answer?.root["session"]?["messages"]?.arrayValue?.isEmpty == true
            {
                found = "\(path) found a conversation without messages"
            } else if exchange.isRead(of: .sessions), exchange.answer?.root["sessions"]?.arrayValue?.isEmpty == true {
                found = "\(path) found no conversations"
            } else {
                return nil
            }
            return Symptom(.emptyRead, found, at: [exchange.request, response])
        }
    }

    // MARK: Connections

    private func brokenOff() -> [Symptom] {
        history.connections.enumerated().flatMap { index, connection -> [Symptom] in
            guard let ending = connection.ending else { return [] }
            return history.turns(on: index).compactMap { turn in
                guard turn.event < ending.event, turn.requests.contains(where: { $0.connection == index }),
                    end(of: turn).map({ $0 > ending.event }) ?? !turn.isRefused
                else { return nil }
                let after = later(turn.event, ending.event)
                let isLeftOut = history.capture?.endsInGap == true
                let unknown = isLeftOut ? "its outcome is left out" : "the answer never came"
                return Symptom(
                    .brokenOff,
                    "\(connection.device) \(ending.words) before the answer to \(shown(turn.request.prompt))\(after); "
                        + (outcome(of: turn, since: ending.event) ?? unknown), at: [turn.event, ending.event])
            }
        }
    }

    /// The longest waits of more than ten seconds in which the server sent nothing while a question was open; agents
    /// report their progress sooner.
    private func silences() -> [Symptom] {
        guard history.knowsTimes else { return [] }
        let all = history.connections.indices.flatMap(silences) + latePongs()
        return Array(all.sorted { ($1.lasted, $0.events[0]) < ($0.lasted, $1.events[0]) }.prefix(Self.maxSilences))
    }

    private static let maxSilences = 3
    static let minSilence = 10_000_000
    /// If this many frames follow a question, later silences are not attributed to it.
    private static let maxHeard = 200

    /// The longest silence of each question on a connection; each one counts only for the question that waited longest.
    private func silences(on index: Int) -> [Symptom] {
        let connection = history.connections[index]
        let last = end(of: connection)
        let waits = history.turns(on: index).compactMap { turn -> (asked: Int, end: Int, prompt: String)? in
            guard let asked = turn.requests.first(where: { $0.connection == index })?.event, asked < last else {
                return nil
            }
            let refusal = turn.isRefused ? turn.requests.compactMap(\.refusal).last : nil
            let end = (refusal ?? end(of: turn)).map { $0 > asked ? min($0, last) : last } ?? last
            return (asked, end, turn.request.prompt)
        }.sorted { $0.asked < $1.asked }
        let heard = connection.received.map(\.event).filter { $0 < last } + [last]
        var seen: Set<Int> = []
        return waits.compactMap { asked, end, prompt in
            let frames = heard[heard.boundary { $0 > asked }...].prefix(Self.maxHeard).map { min($0, end) }
            let spans = zip([asked] + frames, frames).filter { $0 < $1 && !seen.contains($1) }
            seen.formUnion(frames.filter { $0 < end })
            let longest = spans.max { history.span(from: $0.0, to: $0.1) < history.span(from: $1.0, to: $1.1) }
            guard let (start, stop) = longest else { return nil }
            let length = history.span(from: start, to: stop)
            guard length >= Self.minSilence else { return nil }
            let isOpen =
                stop == history.events.count - 1 && connection.ending == nil && stop == last
                && connection.received.last?.event != stop
            return Symptom(
                .silence,
                "\(duration(start, stop)) without a frame on \(connection.device) while \(shown(prompt)) waited"
                    + (isOpen ? ", until the end of the capture or of the connection" : ""),
                at: [start, stop], lasted: length)
        }
    }

    /// The last event at which a connection existed; if its end is unknown, as in a HAR file, it counts as over once
    /// the same person has opened another one.
    func end(of connection: ObservedConnection) -> Int {
        if let ending = connection.ending { return ending.event }
        let own = connection.events.last ?? connection.opening
        let wasReplaced = history.connections.contains { $0.principal == connection.principal && $0.opening > own }
        return wasReplaced ? own : history.events.count - 1
    }

    func location(of request: ObservedRequest) -> String {
        request.connection.map { " on \(history.connections[$0].device)" } ?? " over REST"
    }
}

extension ObservedConnection.Ending {
    var words: String {
        switch kind {
        case .cut: "was cut"
        case .lost: "ended without a close frame"
        case .closed(let side, let code):
            "was closed by the \(side == .fromServer ? "server" : "client")" + (code.map { " (\($0))" } ?? "")
        }
    }
}
