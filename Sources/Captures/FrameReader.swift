import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastTranscript

/// Reads the messages in the lines of any program's log; ``FrameFinder`` finds them.
///
/// The best form is an object with a message and its description around it:
/// * `at`: the time, in RFC 3339, in seconds, milliseconds or microseconds since 1970, or in milliseconds since an
///   unknown time.
/// * `conn`: the connection, by any name. `principal`: its owner.
/// * `dir`: `>` if the client sent it, `<` if the server did. Without it the type of the frame decides.
/// * `frame`: the message as JSON; or `text`: its text; or `hex`: the bytes of a binary one.
/// * `event`: `open` (with `path`), `close` (with `code`, `reason`, `dir`) or `eof`, instead of a message.
/// * `http`: `"GET /api/sessions"`, with `status`, `request` and `response` (bodies, as JSON or text) and `headers`.
struct FrameReader {
    private(set) var leftOut = CaptureOmissions()
    var people: CapturePrincipals
    private var clock = CaptureClock()
    private let finder: FrameFinder
    private let isOfProtocol: @Sendable (_ method: String, _ path: String) -> Bool
    private let file: String
    var isReversed = false
    var nameWord: Int?
    private var joiner = JSONJoiner()
    private var http = HTTPLines()
    /// The letter of each open connection, by its name in the file.
    private var lanes: [String: (letter: String, lastUse: Int)] = [:]
    private var lineCount = 0
    /// The maximum number of connections that are distinguished; endless new names would accumulate.
    private static let maxLanes = 2000
    private var laneCount = 0
    /// The state of connections without a name: another `auth` or `connected` belongs to another connection.
    private var greeting = Greeting.none
    private var exchanges = 0
    /// The requests that wait for a response, by path.
    private var waiting: [String: [Int]] = [:]
    private var owners = CaptureOwners()
    /// The members in which messages were found, each with the number of messages.
    private(set) var members: [String: Int] = [:]
    private var problem: InputProblem?
    private var hasFound = false
    /// Whether requests are logged with their responses.
    private(set) var lacksRequestTimes = false
    /// Whether a request lacks the body that it surely had.
    private(set) var lacksBodies = false
    /// The bodies of requests whose responses are in separate lines, by path.
    private var asked: [String: String?] = [:]
    var knowsTimes: Bool { clock.isSound }

    private var unnamed = UnnamedConnections()

    private enum Greeting {
        case none, asked, greeted
    }

    init(
        file: String, people: CapturePrincipals, direction: @escaping @Sendable (JSONValue) -> Direction?,
        isOfProtocol: @escaping @Sendable (_ method: String, _ path: String) -> Bool
    ) {
        (self.file, self.people, self.isOfProtocol) = (file, people, isOfProtocol)
        finder = FrameFinder(direction: direction)
    }

    mutating func take(_ line: String, _ location: CaptureLocation) -> [CaptureItem] {
        joiner.take(line, location).flatMap { take(piece: $0.text, $0.location) }
    }

    /// Reads the lines that waited for more.
    /// - Throws: The problem, if nothing was found.
    mutating func finish() throws(InputProblem) -> [CaptureItem] {
        let items = joiner.finish().flatMap { take(piece: $0.text, $0.location) }
        guard hasFound || leftOut.entries.contains(where: { $0.reason == CaptureOmissions.noDirection }) else {
            throw problem ?? CaptureForm.noFrames(in: file, leftOut)
        }
        return items
    }

    private mutating func take(piece line: String, _ location: CaptureLocation) -> [CaptureItem] {
        if let part = http.take(line) { return take(part, line, location) }
        switch finder.find(line) {
        case .items(let items):
            if case .exchange? = items.first?.kind, let part = http.takeBody(line) {
                return take(part, line, location)
            }
            return items.flatMap { take($0, location) }
        case .nothing(let reason):
            if !reason.isEmpty {
                if let part = http.takeBody(line) { return take(part, line, location) }
                leftOut.note(reason, location)
            }
            return []
        case .unreadable(let reason, let position):
            leftOut.note(reason, location)
            problem =
                problem
                ?? InputProblem(
                    location: position.map {
                        "\(file):\(location.line + $0.line - 1):\($0.column) (byte \(location.offset + $0.byteOffset))"
                    } ?? location.problem(in: file), what: reason, expected: "one whole message per line",
                    fix: CaptureForm.fix(forCut: line))
            return [.gap]
        }
    }

    // MARK: Results

    private mutating func take(_ item: LogItem, _ location: CaptureLocation) -> [CaptureItem] {
        var around = item.around
        let direction = around.direction.map { isReversed ? $0.other : $0 }
        if let nameWord, around.connection == nil {
            if case .text = item.kind {
                around.connection = nameWord < around.names.count ? around.names[nameWord] : nil
            } else {
                around.connection = around.names.first { lanes[$0] != nil } ?? around.names.first
            }
        }
        switch item.kind {
        case .exchange(let exchange): return take(exchange, around, location)
        case .opening(let path):
            hasFound = true
            // A word that names the connection of messages may be absent from its opening line.
            guard nameWord == nil || item.around.connection != nil else { return [] }
            let name = around.connection ?? "A"
            let lane = assignedLane(for: name)
            greeting = .none
            let (redacted, owner) = people.redacted(path: HARReader.path(of: path))
            if around.principal != nil { people.noteOwner(of: lane, isNamed: true) }
            let principal = around.principal ?? owner ?? people.name(ofLane: lane)
            return opening(lane, redacted, principal, clock.next(around.time), location)
        case .closing(let code, let reason):
            // Both sides close, and libraries report it once more.
            guard let known = lanes.removeValue(forKey: around.connection ?? "A") else { return [] }
            greeting = .none
            if around.connection == nil { unnamed.close() }
            owners.close(known.letter)
            let kind = Event.Kind.ending(direction, code: code, reason: code == nil ? "" : reason)
            return [event(clock.next(around.time), known.letter, kind, location)]
        case .binary(let bytes):
            guard let direction else { return unknown(location) }
            hasFound = true
            let lane = assignedLane(for: around.connection ?? "A")
            return [event(clock.next(around.time), lane, .binary(direction, bytes), location)]
        case .text(let text):
            let value = try? JSONParser.value(text)
            guard let direction = direction ?? value.flatMap(finder.direction) else { return unknown(location) }
            hasFound = true
            if !around.path.isEmpty { members[around.path.joined(separator: "."), default: 0] += 1 }
            if around.connection == nil, unnamed.isOfAnother(value, text, direction) {
                leftOut.note("a message of another connection, and nothing names the connections", location)
                return []
            }
            let at = clock.next(around.time)
            let change = around.connection == nil ? anotherConnection(value, direction, at, location) : []
            let lane = assignedLane(for: around.connection ?? "A")
            return change
                + people.textEvents(text, direction, on: lane, by: around.principal, &owners, guesses: true)
                .map { event(at, lane, $0, location) }
        }
    }

    private mutating func unknown(_ location: CaptureLocation) -> [CaptureItem] {
        leftOut.note(CaptureOmissions.noDirection, location)
        return [.gap]
    }

    /// The end of an unnamed connection, because a message can only belong to the next one.
    private mutating func anotherConnection(
        _ value: JSONValue?, _ direction: Direction, _ at: Int, _ location: CaptureLocation
    ) -> [CaptureItem] {
        let was = greeting
        switch (value?["type"]?.stringValue, direction) {
        case ("auth", .toServer): greeting = .asked
        case ("connected", .fromServer): greeting = .greeted
        default: return []
        }
        guard was == .greeted || was == greeting, let old = lanes.removeValue(forKey: "A")?.letter else { return [] }
        owners.close(old)
        let new = assignedLane(for: "A")
        return [event(at, old, .eof(reason: ""), location)]
            + opening(new, "/", people.name(ofLane: new), at, location)
    }

    // MARK: Requests

    private mutating func take(
        _ exchange: LogItem.Exchange, _ around: LogContext, _ location: CaptureLocation
    ) -> [CaptureItem] {
        guard exchange.isExplicit || isOfProtocol(exchange.method, exchange.path) else {
            leftOut.note("a request outside the protocol", location)
            return []
        }
        guard exchange.status == nil || exchange.response != nil else {
            leftOut.note("a response without its body", location)
            return []
        }
        guard exchange.status != nil || exchange.isExplicit else {
            // If two requests are open, a log does not say which one is answered.
            asked.updateValue(asked[exchange.path] == nil ? exchange.request : nil, forKey: exchange.path)
            return []
        }
        hasFound = true
        let at = clock.next(around.time)
        let lane = Lane.exchange(exchanges + 1)
        let body = exchange.request ?? asked.removeValue(forKey: exchange.path) ?? nil
        if body == nil, exchange.method == "POST" { lacksBodies = true }
        var items = [
            request(
                exchange.method, exchange.path, body, principal: around.principal, status: exchange.status,
                at, location)
        ]
        if let status = exchange.status, let body = exchange.response {
            // Without times, separate lines keep their order.
            lacksRequestTimes = lacksRequestTimes || around.time != nil
            let response = Event.Response(status: status, headers: exchange.headers, body: body)
            items.append(.event(Event(at: at, lane: lane, kind: .response(response)), location))
        }
        return items
    }

    private mutating func take(_ part: HTTPLines.Part, _ line: String, _ location: CaptureLocation) -> [CaptureItem] {
        switch part {
        case .more: return []
        case .request(let method, let path, let body):
            guard isOfProtocol(method, path) else { return [] }
            hasFound = true
            lacksRequestTimes = lacksRequestTimes || http.isPrintedAtResponses
            waiting[path, default: []].append(exchanges + 1)
            let at = clock.next(LogTime.microseconds(in: line))
            return [request(method, path, body, principal: nil, status: nil, at, location)]
        case .response(let path, let status, let body):
            guard let number = waiting[path]?.first else { return [] }
            waiting[path]?.removeFirst()
            if body == nil { leftOut.note("a response without its body", location) }
            let kind: Event.Kind =
                body.map { .response(.init(status: status, body: $0)) } ?? .failed(reason: "the body was not logged")
            let at = clock.next(LogTime.microseconds(in: line))
            return [.event(Event(at: at, lane: .exchange(number), kind: kind), location)]
        }
    }

    private mutating func request(
        _ method: String, _ path: String, _ body: String?, principal: String?, status: Int?, _ at: Int,
        _ location: CaptureLocation
    ) -> CaptureItem {
        exchanges += 1
        let asked = people.request(method, path, by: principal, status: status, body: body)
        return .event(Event(at: at, lane: .exchange(exchanges), kind: asked), location)
    }

    // MARK: Events

    private func event(_ at: Int, _ lane: String, _ kind: Event.Kind, _ location: CaptureLocation) -> CaptureItem {
        .event(Event(at: at, lane: .connection(lane), kind: kind), location)
    }

    private mutating func opening(
        _ lane: String, _ path: String, _ principal: String, _ at: Int, _ location: CaptureLocation
    ) -> [CaptureItem] {
        owners.open(lane, principal)
        return [Event.Kind.opening(.init(principal: principal, path: path)), .opened].map {
            event(at, lane, $0, location)
        }
    }

    /// The letter of a connection, in the order of first appearance.
    private mutating func assignedLane(for name: String) -> String {
        lineCount += 1
        if let lane = lanes[name]?.letter {
            lanes[name]?.lastUse = lineCount
            return lane
        }
        let lane = Lane.connection(number: laneCount).description
        laneCount += 1
        lanes[name] = (lane, lineCount)
        // The connection that was silent longest counts as a new one if it sends again.
        for (_, old) in lanes.dropOldest(beyond: Self.maxLanes, by: \.lastUse) { owners.close(old.letter) }
        return lane
    }
}
