import HoldfastBasics
import HoldfastTranscript

/// The story of a small capture: each question with its outcome, and the connections.
public struct Timeline: Sendable, Equatable {
    /// A question, or a connection, with its lines in time order.
    public struct Section: Sendable, Equatable {
        /// The heading: the text of a question with its ids, or `Connections`.
        public let title: String
        /// The events, in time order.
        public var lines: [Line] = []
    }

    /// One event in the story.
    public struct Line: Sendable, Equatable {
        /// The event that shows it.
        public let event: Int
        /// Microseconds from the first event; nil if the time is unknown.
        public let time: Int?
        /// The event in a few words.
        public let what: String
    }

    /// The questions in the order of asking, then the connections.
    public internal(set) var sections: [Section] = []

    /// The maximum number of questions and connections of one story; a longer one is not readable.
    private static let (maxQuestions, maxConnections) = (6, 8)
    /// The shortest wait between two lines that the story mentions, in microseconds.
    private static let minWait = 1_000_000

    /// The story of a history; nil if there is too little or too much to tell.
    init?(_ reader: SymptomReader) {
        let history = reader.history
        guard history.questions.count <= Self.maxQuestions, history.connections.count <= Self.maxConnections,
            !(history.questions.isEmpty && history.connections.isEmpty), history.capture?.carried == 0
        else { return nil }
        for turn in history.questions { sections.append(Self.section(of: turn, reader)) }
        var connections = Section(title: "Connections")
        for connection in history.connections {
            let name = connection.device
            connections.add(
                connection.refused == nil ? "\(name) begins" : "\(name) is refused", connection.opening, history)
            if let ending = connection.ending { connections.add("\(name) \(ending.words)", ending.event, history) }
            let isOpen = connection.ending == nil && connection.refused == nil
            if isOpen, let last = connection.events.last {
                connections.add("\(name) is last heard of; nothing shows its end", last, history)
            }
        }
        connections.lines.sort { $0.event < $1.event }
        if !history.connections.isEmpty { sections.append(connections) }
    }

    /// Details that can make a refusal look odd: its wait, or `busy` while no turn is seen to run.
    private static func detail(of request: ObservedRequest, _ refusal: Int, _ history: Observations) -> String {
        switch request.refusalCode {
        case "rate_limited":
            let exchange = history.exchange(ofResponse: refusal)
            let body = history.frames[refusal]?.value ?? exchange?.answer?.root
            let seconds = exchange?.received?.headers.first { $0.name == "retry-after" }?.value
            let wait = body?["retryAfterMs"]?.intValue.map { "\(readable($0)) ms" } ?? seconds.map { "\($0) s" }
            return wait.map { ", may retry after \($0)" } ?? ", without saying when to retry"
        case "busy":
            let others = history.turns.filter { $0.session == request.sessionAsked && $0.event < refusal }
            let isIdle = !others.isEmpty && others.allSatisfy { $0.isRefused || $0.ended ?? .max < request.event }
            return isIdle ? ", although no turn of the session is seen to run" : ""
        default: return ""
        }
    }

    private static func section(of turn: ObservedTurn, _ reader: SymptomReader) -> Section {
        let history = reader.history
        let names = [turn.clientMessageId, turn.sessionAsked.map { "in \($0)" }, turn.turnId].compactMap(\.self)
        var section = Section(
            title: "\(shown(turn.request.prompt))\(names.isEmpty ? "" : " (\(names.joined(separator: ", ")))")")
        func add(_ what: String, _ event: Int) { section.add(what, event, history) }
        func device(_ frame: Frame) -> String {
            "\(frame.isReplayed ? " in a replay" : "") on \(history.connections[frame.connection].device)"
        }
        for (index, request) in turn.requests.enumerated() {
            if request.connection != nil || history.capture?.lacks.contains(.requestTimes) != true {
                add("asked\(index == 0 ? "" : " again")\(reader.location(of: request))", request.event)
            }
            if let refusal = request.refusal {
                let code = request.refusalCode ?? "no code"
                add("refused: \(code)\(detail(of: request, refusal, history))", refusal)
            }
            if let outcome = request.outcome {
                add("\(request.success == nil ? "failed" : "answered") over REST", outcome)
            }
        }
        if let ended = turn.doubtfulEnd, history.frames[ended] == nil { add("answered over REST", ended) }
        let frames = turn.acks + turn.frames + turn.endings + turn.copies + turn.replayed + turn.doubtfulFrames
        let inOrder = frames.sorted { ($0.event, $0.replayIndex ?? 0) < ($1.event, $1.replayIndex ?? 0) }
        for frame in inOrder where frame.kind != .toolUse {
            let number = frame.seq.map { " #\($0)" } ?? ""
            let isElsewhere = turn.sessionAsked != nil && frame.sessionId != turn.sessionAsked
            let session = frame.sessionId.flatMap { isElsewhere ? " in session '\($0)'" : nil } ?? ""
            let what =
                switch frame.type {
                case "ack": frame.isDuplicate ? "acknowledged as a repeat" : "acknowledged"
                case "message": "its message\(number)"
                default: "\(frame.isDuplicate ? "a copy of " : "")\(called(frame))\(number)"
                }
            add("\(what)\(device(frame))\(session)", frame.event)
        }
        let tools = inOrder.filter { $0.kind == .toolUse }
        for (index, tool) in tools.enumerated() where index < 2 || index == tools.count - 1 {
            let number = tool.seq.map { " #\($0)" } ?? ""
            let rest = index == tools.count - 1 && tools.count > 3 ? ", after \(tools.count - 3) more" : ""
            add("tool \(tool.string("tool") ?? "")\(number)\(device(tool))\(rest)", tool.event)
        }
        if turn.endings.isEmpty, turn.doubtfulFrames.isEmpty, turn.ended ?? turn.doubtfulEnd == nil,
            let end = reader.end(of: turn)
        {
            add("likely \(history.frames[end].map(called) ?? "its end") on \(history.events[end].lane)", end)
        }
        var shownBefore: String?
        for read in history.sessionReads
        where read.request > turn.event && read.sessionId == turn.session ?? read.sessionId {
            let places = history.places(in: read)
            let (question, answer) = (!places.questions(of: turn).isEmpty, !places.answers(of: turn).isEmpty)
            let status = read.entry(of: turn)?.status.map { ", '\($0)'" } ?? ""
            let words =
                "a read shows \(answer ? "the answer" : question ? "the question, no answer" : "nothing of it")\(status)"
            if words != shownBefore { add(words, read.event) }
            shownBefore = words
        }
        section.lines.sort { $0.event < $1.event }
        let end = history.events.count - 1
        if !reader.isSettled(turn), let last = section.lines.last, last.event < end {
            add("nothing more of it until the capture ends", end)
        }
        return section.tellingWaits(from: minWait)
    }
}

extension Timeline.Section {
    fileprivate mutating func add(_ what: String, _ event: Int, _ history: Observations) {
        lines.append(.init(event: event, time: history.knowsTimes ? history.time(of: event) : nil, what: what))
    }

    fileprivate func tellingWaits(from least: Int) -> Self {
        var result = self
        for (index, (before, line)) in zip(lines, lines.dropFirst()).enumerated() {
            guard let first = before.time, let time = line.time, time - first >= least else { continue }
            result.lines[index + 1] = .init(
                event: line.event, time: time, what: "\(line.what), \(readable(.microseconds(time - first))) later")
        }
        return result
    }
}
