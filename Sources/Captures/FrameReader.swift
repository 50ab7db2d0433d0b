import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastTranscript

/// Reads frames, one a line: bare, or in an envelope that tells more than the frame does.
///
/// An envelope is an object with `dir` (or `direction`), `frame`, `event` or `http`. It may have:
/// * `at` (or `ts`, `time`): when, in RFC 3339, in seconds, milliseconds or microseconds since 1970, or in milliseconds since
///   some beginning.
/// * `conn` (or `connection`): the connection, by any name. `principal`: whose it is.
/// * `dir`: `>`, `out`, `send`, `client` for what the client sent; `<`, `in`, `receive`, `server` for what the server sent.
///   Without it the type of the frame tells.
/// * `frame`: the message as JSON; or `text` (or `data`): its text; or `hex`: the bytes of a binary one.
/// * `event`: `open` (with `path`), `close` (with `code`, `reason`, `dir`) or `eof`, instead of a message.
/// * `http`: `"GET /api/sessions"`, with `status`, `request` and `response` (bodies, as JSON or text) and `headers`.
struct FrameReader {
    private(set) var leftOut = CaptureLeftOut()
    private var people: CapturePeople
    private var clock = CaptureClock()
    private let direction: @Sendable (JSONValue) -> Direction?
    private let file: String
    /// The letter of each open connection, by its name in the file.
    private var lanes: [String: (letter: String, lastUse: Int)] = [:]
    private var lineCount = 0
    /// The most connections that are kept apart; names that never close would pile up.
    private static let mostLanes = 2000
    private var laneCount = 0
    /// Bare connections on which `connected` was seen: another one is another connection.
    private var greeted: Set<String> = []
    private var exchanges = 0
    private var belongings = CaptureBelongings()
    /// Whether every line so far told its time.
    var knowsTimes: Bool { clock.isSound }

    init(file: String, people: CapturePeople, direction: @escaping @Sendable (JSONValue) -> Direction?) {
        (self.file, self.people, self.direction) = (file, people, direction)
    }

    mutating func take(_ line: String, _ location: CaptureLocation) throws(InputProblem) -> [CaptureItem] {
        guard line.contains(where: { !$0.isWhitespace }) else { return [] }
        let value: JSONValue
        do {
            value = try JSONParser.value(line, limits: JSONLimits(maxBytes: .max))
        } catch {
            throw InputProblem(
                location:
                    "\(file):\(location.line):\(error.location.column) (byte \(location.offset + error.location.byteOffset))",
                what: "the line is not JSON: \(error)", expected: "one frame or envelope per line",
                fix: "delete the line if the capture was cut off, or record it again")
        }
        guard let object = value.objectValue else {
            throw problem(
                location, "the line contains a JSON \(value.typeName)",
                expected: "a frame or an envelope, each an object")
        }
        let isEnvelope = ["dir", "direction", "frame", "event", "http"].contains { object[$0] != nil }
        guard isEnvelope else { return bare(line, value, location) }
        return try envelope(line, Envelope(object: object, location: location, file: file))
    }

    // MARK: Bare frames

    private mutating func bare(_ line: String, _ value: JSONValue, _ location: CaptureLocation) -> [CaptureItem] {
        guard let direction = direction(value) else {
            leftOut.note(CaptureLeftOut.noDirection, location)
            return [.gap]
        }
        var items: [CaptureItem] = []
        if direction == .fromServer, value["type"] == "connected", !greeted.insert("A").inserted {
            // A stream of bare frames cannot say that a connection ended.
            items.append(.event(Event(at: clock.next(nil), lane: .connection("A"), kind: .eof(reason: "")), location))
            items += opening("A", "/", people.name(ofLane: "A"), clock.next(nil), location)
        }
        items += text(
            String(line.trimmed(\.isWhitespace)), direction, lane: "A", principal: nil, at: clock.next(nil), location)
        return items
    }

    // MARK: Envelopes

    private mutating func envelope(_ line: String, _ envelope: Envelope) throws(InputProblem) -> [CaptureItem] {
        let at = clock.next(try envelope.time())
        if envelope.object["http"] != nil { return try exchange(line, envelope, at) }
        let name = try envelope.string("conn", "connection") ?? "A"
        let principal = try envelope.string("principal")
        let lane = lane(of: name)
        if let event = try envelope.string("event") {
            switch event {
            case "open", "opened":
                let asked = try envelope.string("path") ?? "/"
                let (path, owner) = people.redacted(path: asked)
                let name = principal ?? owner ?? people.name(ofLane: lane)
                return opening(lane, path, name, at, envelope.location)
            case "close", "closed":
                lanes[name] = nil
                belongings.close(lane)
                let code = try envelope.integer("code")
                guard let code, ![1005, 1006, 1015].contains(code) else {
                    return [.event(Event(at: at, lane: .connection(lane), kind: .eof(reason: "")), envelope.location)]
                }
                // Without a word who closed, it is nobody's fault.
                let by = try envelope.direction() ?? .toServer
                let kind = Event.Kind.close(by, code: code, reason: try envelope.string("reason") ?? "")
                return [.event(Event(at: at, lane: .connection(lane), kind: kind), envelope.location)]
            case "eof", "lost":
                lanes[name] = nil
                belongings.close(lane)
                return [.event(Event(at: at, lane: .connection(lane), kind: .eof(reason: "")), envelope.location)]
            default:
                throw envelope.problem("'event' is '\(visible(event.prefix(40)))'", expected: "open, close or eof")
            }
        }
        return try message(line, envelope, lane: lane, principal: principal, at: at)
    }

    private mutating func message(
        _ line: String, _ envelope: Envelope, lane: String, principal: String?, at: Int
    ) throws(InputProblem) -> [CaptureItem] {
        if let hex = try envelope.string("hex") {
            guard let bytes = bytes(ofHexDigits: hex), let direction = try envelope.direction() else {
                throw envelope.problem("'hex' is not valid", expected: "pairs of hexadecimal digits, with 'dir'")
            }
            return [.event(Event(at: at, lane: .connection(lane), kind: .binary(direction, bytes)), envelope.location)]
        }
        let text: String
        if envelope.object["frame"] != nil, let raw = RawMember.text(of: "frame", in: line) {
            text = raw
        } else if let given = ["text", "data"].lazy.compactMap({ envelope.object[$0]?.stringValue }).first {
            text = given
        } else if envelope.object["data"]?.objectValue != nil, let raw = RawMember.text(of: "data", in: line) {
            text = raw
        } else {
            throw envelope.problem("the envelope contains no message", expected: "'frame', 'text', 'data' or 'hex'")
        }
        let given = try envelope.direction()
        guard let direction = given ?? (try? JSONParser.value(text)).flatMap(direction) else {
            leftOut.note(CaptureLeftOut.noDirection, envelope.location)
            return [.gap]
        }
        return self.text(text, direction, lane: lane, principal: principal, at: at, envelope.location)
    }

    private mutating func exchange(
        _ line: String, _ envelope: Envelope, _ at: Int
    ) throws(InputProblem) -> [CaptureItem] {
        let words = (try envelope.string("http") ?? "").split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[1].first == "/" else {
            throw envelope.problem("'http' has no request", expected: "\"http\": \"GET /api/sessions\"")
        }
        exchanges += 1
        let (path, owner) = people.redacted(path: String(words[1]))
        let lane = Lane.exchange(exchanges)
        let status = try envelope.integer("status")
        let isRefused = status == 401 || status == 403
        let known = try envelope.string("principal") ?? owner
        let asked = Event.Request(
            method: words[0].uppercased(), path: path,
            principal: known ?? (isRefused ? nil : people.name(ofLane: "HTTP")),
            body: body("request", line, envelope).map { people.redacted(body: $0) })
        var items: [CaptureItem] = [.event(Event(at: at, lane: lane, kind: .request(asked)), envelope.location)]
        guard let status else { return items }
        guard let body = body("response", line, envelope) else {
            leftOut.note("a response without its body", envelope.location)
            return []
        }
        let headers = (envelope.object["headers"]?.objectValue.map { Array($0) } ?? []).compactMap { name, value in
            value.stringValue.map { Event.Header(name: name.lowercased(), value: $0) }
        }
        let response = Event.Response(status: status, headers: headers, body: body)
        items.append(.event(Event(at: at, lane: lane, kind: .response(response)), envelope.location))
        return items
    }

    /// A body as it was, or as JSON in the line.
    private func body(_ name: String, _ line: String, _ envelope: Envelope) -> String? {
        envelope.object[name].flatMap { $0.stringValue ?? RawMember.text(of: name, in: line) }
    }

    // MARK: Events

    private mutating func text(
        _ text: String, _ direction: Direction, lane: String, principal: String?, at: Int, _ location: CaptureLocation
    ) -> [CaptureItem] {
        var text = text
        var owner = principal
        if direction == .toServer, let known = people.redacted(text) {
            text = known.text
            owner = principal ?? known.owner
        }
        let named = belongings.note(lane, to: owner ?? people.name(ofLane: lane), isCertain: owner != nil)
        let kinds = [named, .text(direction, text)].compactMap { $0 }
        return kinds.map { .event(Event(at: at, lane: .connection(lane), kind: $0), location) }
    }

    private mutating func opening(
        _ lane: String, _ path: String, _ principal: String, _ at: Int, _ location: CaptureLocation
    ) -> [CaptureItem] {
        belongings.open(lane, principal)
        return [Event.Kind.opening(.init(principal: principal, path: path)), .opened].map {
            .event(Event(at: at, lane: .connection(lane), kind: $0), location)
        }
    }

    /// The letter of a connection; a name that is one already stays.
    private mutating func lane(of name: String) -> String {
        lineCount += 1
        if let lane = lanes[name]?.letter {
            lanes[name]?.lastUse = lineCount
            return lane
        }
        let lane = Lane.connection(number: laneCount).description
        laneCount += 1
        lanes[name] = (lane, lineCount)
        // Whoever was silent longest is a new connection when it speaks again.
        for (_, old) in lanes.dropOldest(beyond: Self.mostLanes, by: \.lastUse) { belongings.close(old.letter) }
        return lane
    }

    private func problem(_ location: CaptureLocation, _ what: String, expected: String) -> InputProblem {
        InputProblem(
            location: location.problem(in: file), what: what, expected: expected,
            fix: "correct the line, or remove it")
    }
}

private struct Envelope {
    let object: JSONObject
    let location: CaptureLocation
    let file: String

    func problem(_ what: String, expected: String) -> InputProblem {
        InputProblem(
            location: location.problem(in: file), what: what, expected: expected,
            fix: "correct the line, or remove it")
    }

    func string(_ name: String) throws(InputProblem) -> String? {
        guard let value = object[name], !value.isNull else { return nil }
        if let number = value.numberValue { return number.text }
        guard let text = value.stringValue else {
            throw problem("'\(name)' is \(value.typeName)", expected: "a string")
        }
        return text
    }

    func string(_ name: String, _ other: String) throws(InputProblem) -> String? {
        if let text = try string(name) { return text }
        return try string(other)
    }

    func integer(_ name: String) throws(InputProblem) -> Int? {
        guard let value = object[name], !value.isNull else { return nil }
        guard let number = value.intValue else { throw problem("'\(name)' is not an integer", expected: "an integer") }
        return number
    }

    func time() throws(InputProblem) -> Int? {
        guard let value = ["at", "ts", "time"].lazy.compactMap({ object[$0] }).first, !value.isNull else { return nil }
        guard let time = CaptureClock.microseconds(value) else {
            throw problem(
                "\(visible(value.text().prefix(60))) is not a time",
                expected: "RFC 3339, or a number of seconds or milliseconds")
        }
        return time
    }

    func direction() throws(InputProblem) -> Direction? {
        guard let text = try string("dir", "direction") else { return nil }
        switch text.lowercased() {
        case ">", "->", "out", "outgoing", "send", "sent", "up", "client", "toserver", "c2s": return .toServer
        case "<", "<-", "in", "incoming", "receive", "received", "recv", "down", "server", "fromserver", "s2c":
            return .fromServer
        default:
            throw problem(
                "'\(visible(text.prefix(40)))' is not a direction",
                expected: "'>', 'out', 'send' or 'client'; '<', 'in', 'receive' or 'server'")
        }
    }
}
