import Holdfast
import HoldfastBasics
import HoldfastJSON

/// A line of notation, expanded to the events that a stage would record.
///
/// For example, `A+(e1 #0) A>chat(c1) A<ack(c1)` gives six events. Events are 1 ms apart; a wait adds to that and means
/// that the stage was watching.
public struct NotationExpansion {
    /// The events, with the given declaration.
    public let history: History
    /// The indices of events marked with `^`, in order.
    public let citations: [Int]

    /// Expands a line.
    /// - Parameters:
    ///   - text: Events and waits, separated by spaces or line ends.
    ///   - header: The declaration; its profiles decide which fields are filled in.
    ///   - source: The name of the text in problems.
    /// - Throws: The first problem, with line and column.
    public init(_ text: String, header: History.Header, source: String = "notation") throws(InputProblem) {
        var parser = NotationParser(text, name: source)
        var builder = EventBuilder(header: header)
        for item in try parser.items() { try builder.add(item) }
        history = History(header: header, events: builder.events)
        citations = builder.citations
    }
}

private struct EventBuilder {
    let frames: FrameExpansion
    let exchanges = ExchangeExpansion()
    let pushes = PushExpansion()
    let states = StateExpansion()
    let idleLane: Lane
    var events: [Event] = []
    var citations: [Int] = []
    private var now = 0
    private var openings: [Lane: Int] = [:]
    private var asked: [Lane: ExchangeExpansion.RequestKind] = [:]

    init(header: History.Header) {
        frames = FrameExpansion(profiles: header.subject.profiles)
        idleLane = header.subject.role == .server ? .server : .client
    }

    mutating func add(_ item: NotationItem) throws(InputProblem) {
        switch (item.content, item.lane) {
        case (.wait(let duration), _):
            now += duration
            events.append(Event(at: now, lane: idleLane, kind: .wait(awaited: "time", met: true)))
        case (.handshake(let frame), .connection?): try handshake(frame, item)
        case (.verbatim(let direction, let text), .connection?): append(.text(direction, text), item)
        case (.frame(let direction, let frame), .connection?):
            if let kind = try socket(frame, direction) {
                append(kind, item)
            } else {
                append(try text(frame, direction, item), item)
            }
        case (.frame(.toServer, let frame), .exchange?):
            let (request, asked) = try exchanges.request(frame)
            if let lane = item.lane { self.asked[lane] = asked }
            append(.request(request), item)
        case (.frame(.fromServer, let frame), .exchange(let number)?):
            guard let asked = asked[.exchange(number)] else {
                throw item.location.problem(
                    "exchange \(number) has a response but no request",
                    expected: "\(number)>GET or \(number)>POST before it", fix: "write the request")
            }
            append(try exchanges.response(frame, to: asked), item)
        case (.frame(let direction, let frame), .push?): append(try push(frame, direction), item)
        case (.act(let frame), _?): append(try act(frame), item)
        case (.state(let frame), _?): append(try state(frame), item)
        default:
            throw item.location.problem(
                "this mark does not apply to lane '\(item.lane?.description ?? "")'",
                expected:
                    "a mark that fits the lane: + and verbatim text on A to Z, > and < on all but server and client",
                fix: "correct the lane or the mark")
        }
        if item.isCited { citations.append(events.count - 1) }
    }

    private mutating func append(_ kind: Event.Kind, _ item: NotationItem) {
        guard let lane = item.lane else { return }
        now += 1_000
        if case .opening = kind { openings[lane, default: 0] += 1 }
        events.append(Event(at: now, lane: lane, kind: kind))
    }

    /// The name of a lane's current connection: `A`, then `A2`, ….
    private func connection(_ lane: Lane?) -> String {
        guard let lane else { return "" }
        let count = openings[lane] ?? 1
        return count > 1 ? "\(lane)\(count)" : lane.description
    }

    private mutating func handshake(_ frame: NotationFrame, _ item: NotationItem) throws(InputProblem) {
        let ids = try NotationArguments(frame, NotationWord("enp", .among(NotationWord.capabilities), position: true))
        append(.opening(.init(principal: ids.principal ?? "")), item)
        append(.opened, item)
        let principal = frame.arguments.filter { argument in
            if case .id("p", _, _) = argument.content { return true }
            if case .dropped("p") = argument.content { return true }
            return false
        }
        let auth = NotationFrame(name: "auth", arguments: principal, frames: nil, location: frame.location)
        append(try text(auth, .toServer, item), item)
        append(try text(frame, .fromServer, item), item)
    }

    private func text(
        _ frame: NotationFrame, _ direction: Direction, _ item: NotationItem
    ) throws(InputProblem) -> Event.Kind {
        guard let object = try frames.object(frame, direction, connection: connection(item.lane)) else {
            let known = (direction == .toServer ? NotationWord.toServer : NotationWord.fromServer).keys.sorted()
            throw unknown(frame, known, after: direction.rawValue)
        }
        return .text(direction, JSONValue.object(object).text())
    }

    private func socket(
        _ frame: NotationFrame, _ direction: Direction
    ) throws(InputProblem) -> Event.Kind? {
        let table = direction == .toServer ? NotationWord.toServer : NotationWord.fromServer
        guard let word = table[frame.name] else { return nil }
        switch frame.name {
        case "open", "refused", "close", "eof", "binary", "pingFrame", "pongFrame": break
        default: return nil
        }
        let arguments = try NotationArguments(frame, word)
        let number = arguments.words.first.flatMap { Int($0) }
        switch (frame.name, direction) {
        case ("open", .toServer):
            return .opening(.init(principal: arguments.principal ?? "", path: arguments.field("path") ?? "/ws"))
        case ("open", .fromServer): return .opened
        case ("refused", _): return .refused(status: number, reason: arguments.text ?? "")
        case ("close", _): return .close(direction, code: number, reason: arguments.text ?? "")
        case ("eof", _): return .eof(reason: arguments.text ?? "")
        case ("pingFrame", _): return .ping(direction)
        case ("pongFrame", _): return .pong(direction)
        default:
            let digits = arguments.words.first ?? ""
            guard let bytes = bytes(ofHexDigits: digits) else {
                throw frame.location.problem(
                    "'\(digits)' is not hexadecimal", expected: "pairs of digits such as 00ff",
                    fix: "correct the digits")
            }
            return .binary(direction, bytes)
        }
    }

    private func act(_ frame: NotationFrame) throws(InputProblem) -> Event.Kind {
        guard NotationWord.verbs.contains(frame.name) else { throw unknown(frame, NotationWord.verbs, after: "!") }
        let arguments = try NotationArguments(frame, NotationWord("csptua", .any, text: true))
        let name = frame.name == "act" ? arguments.field("name") ?? "act" : frame.name
        if let text = arguments.field("details") {
            guard let details = (try? JSONParser.value(text))?.objectValue else {
                throw frame.location.problem(
                    "the details are not a JSON object", expected: "details='{…}'", fix: "correct the text")
            }
            return .act(name, details)
        }
        if frame.name == "send" { return .act("send", ActPrinting.sent(arguments)) }
        var details = JSONObject()
        let short = ["rst": "reset"]
        if let how = arguments.words.first ?? (frame.name == "cut" ? "fin" : nil) {
            details["how"] = .string(short[how] ?? how)
        }
        details["clientMessageId"] = arguments.id("c")
        details["sessionId"] = arguments.id("s")
        details["principal"] = arguments.id("p")
        details["turnId"] = arguments.id("t")
        let messages = arguments.ids.filter { $0.letter == "u" || $0.letter == "a" }
        if !messages.isEmpty {
            details["messages"] = .array(
                messages.map { .string($0.value?.characters ?? "\($0.letter)\($0.number)") })
        }
        details["text"] = arguments.text.map { .string($0) }
        for (name, value) in arguments.fields where frame.name != "act" || name != "name" {
            details[name] = NotationArguments.json(value)
        }
        for name in arguments.dropped { details[NotationWord.field(droppedBy: name)] = nil }
        return .act(name, details)
    }

    private func state(_ frame: NotationFrame) throws(InputProblem) -> Event.Kind {
        guard NotationWord.states.contains(frame.name) else { throw unknown(frame, NotationWord.states, after: "=") }
        return .state(try states.state(frame))
    }

    private func push(_ frame: NotationFrame, _ direction: Direction) throws(InputProblem) -> Event.Kind {
        switch direction {
        case .fromServer: .request(try pushes.request(frame))
        case .toServer: .response(try pushes.response(frame))
        }
    }

    private func unknown(_ frame: NotationFrame, _ known: [String], after mark: String) -> InputProblem {
        frame.unknown("unknown word '\(frame.name)' after '\(mark)'", known: known.sorted())
    }
}
