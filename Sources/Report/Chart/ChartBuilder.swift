import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastJudge
import HoldfastTranscript

/// Converts a history to chart rows: one per word of the notation, but one per message of a handshake.
struct ChartBuilder {
    let participants: [SequenceChart.Participant]
    private let history: History
    private let items: [NotationPrinter.Item]
    private let marks: [Int: [ClauseID?: Bool]]
    private let verbatim: ChartVerbatim
    private let columns: [SequenceChart.Participant: Int]
    private let process: SequenceChart.Participant

    private typealias Row = SequenceChart.Row
    /// A future row: its word, its events, and whether it belongs to a handshake.
    private typealias Part = (text: String, events: Range<Int>, opens: Bool)

    private static let maxLabel = 160

    init(_ history: History, claims: [SequenceChart.Claim], maxVerbatim: Int) {
        self.history = history
        items = NotationPrinter(history).items
        verbatim = ChartVerbatim(history, limit: maxVerbatim)
        process = .init(kind: .process, name: history.header.subject.role == .client ? "app" : "process")
        participants = Self.participants(of: history, process: process)
        columns = Dictionary(uniqueKeysWithValues: participants.enumerated().map { ($0.element, $0.offset) })
        var marks: [Int: [ClauseID?: Bool]] = [:]
        for claim in claims {
            for event in claim.events where history.events.indices.contains(event) {
                marks[event, default: [:]][claim.clause, default: false] =
                    event == claim.events.last
                    || marks[event]?[claim.clause] == true
            }
        }
        self.marks = marks
    }

    /// Connections are left of the server and other participants right of it; an app is left of its connections.
    private static func participants(
        of history: History, process: SequenceChart.Participant
    ) -> [SequenceChart.Participant] {
        var devices: Set<String> = []
        var (hasREST, hasPush, hasProcess) = (false, false, false)
        for event in history.events {
            switch event.lane {
            case .connection(let device): devices.insert(device)
            case .exchange: hasREST = true
            case .push: hasPush = true
            case .server, .client:
                if case .wait = event.kind { continue }
                hasProcess = true
            }
        }
        let connections = devices.sorted { ($0.count, $0) < ($1.count, $1) }
            .map { SequenceChart.Participant(kind: .connection, name: $0) }
        let isApp = history.header.subject.role == .client
        let server = SequenceChart.Participant(kind: .server, name: "server")
        return (hasProcess && isApp ? [process] : []) + connections
            + (devices.isEmpty && !hasREST && !hasPush ? [] : [server])
            + (hasREST ? [.init(kind: .rest, name: "REST")] : [])
            + (hasPush ? [.init(kind: .push, name: "push")] : [])
            + (hasProcess && !isApp ? [process] : [])
    }

    func rows() -> [SequenceChart.Row] {
        let isTimed = history.header.capture?.lacks.contains(.times) != true
        return items.flatMap(parts).compactMap { item in
            guard let first = item.events.first, history.events.indices.contains(first) else { return nil }
            let event = history.events[first]
            return Row(
                events: item.events, at: isTimed ? event.at : nil, location: location(of: event),
                kind: item.opens ? .open : kind(of: event),
                label: PlainText.line(String(label(item, event).prefix(Self.maxLabel + 1)), limit: Self.maxLabel),
                verbatim: item.events.map { verbatim.verbatim(of: $0) }, marks: marks(on: item.events))
        }
    }

    /// Splits a handshake into the upgrade, the client's part, and the greeting.
    private func parts(of item: NotationPrinter.Item) -> [Part] {
        guard item.events.count > 1, history.events.indices.contains(item.events.lowerBound) else {
            return [(item.text, item.events, false)]
        }
        let lane = history.events[item.events.lowerBound].lane.description
        guard item.text.dropFirst(lane.count).first == "+" else { return [(item.text, item.events, false)] }
        let starts = item.events.filter { index in
            if case .text = history.events[index].kind { true } else { index == item.events.lowerBound }
        }
        return starts.enumerated().map { number, start in
            let isLast = number + 1 == starts.count
            var label = "connect"
            if case .text(_, let text) = history.events[start].kind { label = Frame(text).type ?? "text" }
            // The handshake's arguments describe the greeting.
            if isLast { label += item.text.dropFirst(lane.count + 1) }
            return ("\(lane)=\(label)", start..<(isLast ? item.events.upperBound : starts[number + 1]), true)
        }
    }

    private func marks(on events: Range<Int>) -> [SequenceChart.Mark] {
        guard !marks.isEmpty else { return [] }
        var found: [ClauseID?: Bool] = [:]
        for event in events {
            for (clause, isCited) in marks[event] ?? [:] { found[clause] = isCited || found[clause] == true }
        }
        return found.map { .init(clause: $0.key, isCited: $0.value) }.sorted { one, other in
            guard let first = one.clause, let second = other.clause else { return one.clause != nil }
            return first < second
        }
    }

    private func column(_ kind: SequenceChart.Participant.Kind, _ name: String) -> Int {
        columns[.init(kind: kind, name: name)] ?? 0
    }

    private func column(of lane: Lane) -> Int {
        switch lane {
        case .connection(let device): column(.connection, device)
        case .exchange: column(.rest, "REST")
        case .push: column(.push, "push")
        case .server, .client: columns[process] ?? 0
        }
    }

    private func location(of event: Event) -> SequenceChart.Row.Location {
        let own = column(of: event.lane)
        let server = column(.server, "server")
        // The push service receives the request.
        let towards = SequenceChart.Row.Location.message(from: own, to: server)
        let away = SequenceChart.Row.Location.message(from: server, to: own)
        switch event.kind {
        case .text(let direction, _), .binary(let direction, _), .ping(let direction), .pong(let direction),
            .close(let direction, _, _):
            return direction == .toServer ? towards : away
        case .opening: return towards
        case .opened, .refused: return away
        case .request: return event.lane == .push ? away : towards
        case .response: return event.lane == .push ? towards : away
        case .failed, .eof, .act, .state: return .note(own)
        case .wait: return .pause
        }
    }

    private func kind(of event: Event) -> SequenceChart.Row.Kind {
        switch event.kind {
        case .text, .binary, .request, .response: .message
        case .ping, .pong: .heartbeat
        case .opening, .opened: .open
        case .refused, .close, .eof, .failed: .end
        case .act: .act
        case .state: .state
        case .wait: .wait
        }
    }

    /// `+2002ms` in readable form.
    private func time(of wait: String) -> String {
        let digits = wait.drop { !$0.isNumber }.prefix { $0.isNumber }
        let unit = wait.drop { !$0.isLetter }
        return "\(Int(digits).map { readable($0) } ?? String(digits)) \(unit)"
    }

    /// The word without its lane and direction, which the chart draws.
    private func label(_ item: Part, _ event: Event) -> String {
        var word = item.text[...]
        switch event.kind {
        case .wait(let awaited, let met):
            return "watched \(time(of: item.text)) for \(awaited): \(met ? "it came" : "it did not come")"
        // The notation has no word for this act.
        case .act(let verb, _) where word.dropFirst(event.lane.description.count).hasPrefix("!act("): return verb
        // `lend` assigns principals to a scenario.
        case .act("lend", _): return "assign"
        case .eof(let reason): return reason.isEmpty ? "socket ended" : "socket ended: \(reason)"
        case .opening where item.events.count == 1: return "open"
        case .opened: return "opened"
        default: break
        }
        word = word.dropFirst(event.lane.description.count)
        guard let sign = word.first else { return item.text }
        if sign == "+" {
            let arguments = word.dropFirst()
            return "connect" + (arguments.isEmpty ? "" : " \(arguments)")
        }
        word = "<>!=".contains(sign) ? word.dropFirst() : word
        // A verbatim text has backticks, which have no meaning here.
        return String(word.hasPrefix("`") ? word.dropFirst().replacing("`", with: "") : word)
    }
}
