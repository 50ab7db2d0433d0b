import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastTranscript

/// Reads a HAR file as exported by browsers: requests, and the messages of WebSockets in `_webSocketMessages`.
///
/// HAR is one JSON document, so it is held whole; `maxBytes` bounds it.
struct HARReader {
    static let maxBytes = 64 << 20

    private(set) var leftOut = CaptureOmissions()
    private(set) var people: CapturePrincipals
    private let dialect: Dialect
    private let file: String
    /// The document, for the lines of problems.
    private var document: [UInt8] = []
    private var events: [(time: Int, order: Int, event: Event, location: CaptureLocation)] = []
    private var sockets = 0
    private var exchanges = 0
    private var orientation = CaptureOpening()
    private var owners = CaptureOwners()
    private var (messageCount, timelessCount) = (0, 0)
    private var hasBeenRead = false

    init(file: String, people: CapturePrincipals, dialect: Dialect) {
        (self.file, self.people, self.dialect) = (file, people, dialect)
    }

    /// Whether most messages have a time.
    var knowsTimes: Bool { timelessCount * 10 <= messageCount }

    var lacksMessages: Bool { hasBeenRead && messageCount == 0 }

    var remarks: [String] {
        let lacking =
            "no WebSocket message in this HAR file: Firefox, Safari and attached debuggers leave them out. Open the network "
            + "panel of Chrome or Edge before the page connects, repeat what went wrong, and choose 'Export HAR'; or record "
            + "with 'conformance proxy --upstream URL --out capture.ndjson'"
        return [orientation.remark, people.remark, lacksMessages ? lacking : nil].compactMap(\.self)
    }

    mutating func items(in bytes: [UInt8]) throws(InputProblem) -> [CaptureItem] {
        let root: JSONValue
        do {
            let text = bytes.starts(with: CaptureForm.byteOrderMark) ? Array(bytes.dropFirst(3)) : bytes
            document = text
            root = try JSONParser.value(bytes: text, limits: JSONLimits(maxBytes: Self.maxBytes))
        } catch {
            throw InputProblem(
                location: "\(file):\(error.location.line):\(error.location.column) (byte \(error.location.byteOffset))",
                what: "the file is not JSON: \(error)", expected: "a HAR file, one JSON document",
                fix: "export it again; closing the browser early leaves half a file")
        }
        let list = root["log"]?["entries"]
        let location = "\(file)\(line(of: "/log/entries")) /log/entries"
        guard let entries = list?.arrayValue else {
            throw InputProblem(
                location, list.map { "it is \($0.typeName)" } ?? "it is missing", expected: "an array",
                fix: "export the HAR file again, with content, from the network panel of a browser")
        }
        guard !entries.isEmpty else {
            throw InputProblem(
                location, "the HAR file contains no entries", expected: "the requests and messages of a session",
                fix: "open the network panel before the page connects, then export again with content")
        }
        for (index, entry) in entries.enumerated() { note(entry, "/log/entries/\(index)") }
        people.take(orientation.identities, ofForm: .har)
        for (index, entry) in entries.enumerated() { take(entry, "/log/entries/\(index)") }
        hasBeenRead = true
        leaveOutStrays()
        let first = events.map(\.time).min() ?? 0
        return events.sorted { ($0.time, $0.order) < ($1.time, $1.order) }.map { item in
            .event(Event(at: item.time - first, lane: item.event.lane, kind: item.event.kind), item.location)
        }
    }

    /// Notes whether the directions of an entry's messages fit their types, and who owns them.
    private mutating func note(_ entry: JSONValue, _ pointer: String) {
        let url = entry["request"]?["url"]?.stringValue.map(Self.path) ?? ""
        if entry["_webSocketMessages"] != nil || dialect.knows(entry["request"]?["method"]?.stringValue ?? "GET", url) {
            orientation.identities.take(path: url)
            for header in headers(entry["request"]) where header.name == "authorization" {
                if let token = CapturePrincipals.bearer(header.value) { orientation.identities.take(token: token) }
            }
        }
        for (index, message) in (entry["_webSocketMessages"]?.arrayValue ?? []).enumerated() {
            guard let given = message["type"]?.stringValue.flatMap(LogWords.side),
                let text = message["data"]?.stringValue, let value = try? JSONParser.value(text),
                let direction = dialect.direction(of: value)
            else { continue }
            if direction == .toServer { orientation.identities.take(value, dialect) }
            orientation.note(
                isFitting: given == direction, CaptureLocation(pointer: "\(pointer)/_webSocketMessages/\(index)"))
        }
    }

    /// A time far from all others is not real: some programs write the start of an epoch for an unknown time.
    private mutating func leaveOutStrays() {
        let times = events.map(\.time).sorted()
        guard !times.isEmpty else { return }
        let middle = times[times.count / 2]
        for (_, _, event, location) in events.filter({ abs($0.time - middle) > Self.farAway }) {
            if case .response = event.kind { continue }
            leftOut.note("an entry long before or after all others", location)
        }
        events.removeAll { abs($0.time - middle) > Self.farAway }
    }

    private static let farAway = 30 * 86_400_000_000

    /// Reads an entry; an unreadable one is skipped and counted.
    private mutating func take(_ entry: JSONValue, _ pointer: String) {
        let location = CaptureLocation(pointer: pointer)
        guard let url = entry["request"]?["url"]?.stringValue else {
            leftOut.note("an entry without an address", location)
            return
        }
        let method = entry["request"]?["method"]?.stringValue ?? "GET"
        let start = entry["startedDateTime"].flatMap(CaptureClock.microseconds)
        let status = entry["response"]?["status"]?.intValue ?? 0
        if let messages = entry["_webSocketMessages"]?.arrayValue {
            return socket(messages, path: Self.path(of: url), status: status, start: start, pointer)
        }
        if url.hasPrefix("ws:") || url.hasPrefix("wss:") {
            leftOut.note("a WebSocket without its messages in the export", location)
            return
        }
        guard dialect.knows(method, Self.path(of: url)) else {
            leftOut.note("a request outside the protocol", location)
            return
        }
        guard let start else {
            leftOut.note("a request without a time", location)
            return
        }
        exchange(entry, method: method, path: Self.path(of: url), status: status, start: start, location)
    }

    private mutating func socket(
        _ messages: [JSONValue], path: String, status: Int, start: Int?, _ pointer: String
    ) {
        let location = CaptureLocation(pointer: pointer)
        let times = messages.map { $0["time"].flatMap(CaptureClock.microseconds) }
        let first = times.lazy.compactMap(\.self).first
        let near = start.flatMap { start in first.map { abs(start - $0) <= Self.farAway } ?? true ? start : nil }
        guard let known = [near, first].compactMap(\.self).min() else {
            leftOut.note("a WebSocket without any time", location)
            return
        }
        if start != known {
            leftOut.note("the start of a WebSocket, taken from its first message", location)
        }
        let lane = Lane.connection(number: sockets)
        sockets += 1
        let (path, owner) = people.redacted(path: path)
        add(
            known, lane, .opening(.init(principal: owner ?? people.name(ofLane: lane.description), path: path)),
            location)
        // Some exports have 0 or 200 for an open socket.
        if status == 101 || !messages.isEmpty { add(known, lane, .opened, location) }
        if messages.isEmpty, status >= 400 { add(known, lane, .refused(status: status, reason: ""), location) }
        var before = known
        for (index, message) in messages.enumerated() {
            let location = CaptureLocation(pointer: "\(pointer)/_webSocketMessages/\(index)")
            // Messages of a socket keep their order, whatever their times.
            before = max(before, times[index] ?? before)
            guard take(message, lane, before, hasTime: times[index] != nil, location) else { continue }
            for next in messages.indices.dropFirst(index + 1) {
                leftOut.note(
                    "a WebSocket message after the end of its socket",
                    CaptureLocation(pointer: "\(pointer)/_webSocketMessages/\(next)"))
            }
            return
        }
    }

    /// Reads a message of a socket, and returns whether it ended the socket.
    private mutating func take(
        _ message: JSONValue, _ lane: Lane, _ time: Int, hasTime: Bool, _ location: CaptureLocation
    ) -> Bool {
        let type = message["type"]?.stringValue ?? ""
        if type == "error" {
            leftOut.note("an error of a WebSocket, after which nothing of it is known", location)
            add(time, lane, .eof(reason: ""), location)
            return true
        }
        guard let said = LogWords.side(type), let data = message["data"]?.stringValue ?? message["data"]?.text() else {
            leftOut.note("a WebSocket message without \(LogWords.side(type) == nil ? "a direction" : "data")", location)
            return false
        }
        let direction = orientation.isReversed ? said.other : said
        messageCount += 1
        if !hasTime {
            timelessCount += 1
            leftOut.note("the time of a WebSocket message, taken from the one before", location)
        }
        // The default is text; a stated value that is not a number is invalid.
        switch message["opcode"].map({ $0.intValue ?? -1 }) ?? 1 {
        case 1:
            for kind in people.textEvents(data, direction, on: lane.description, &owners) {
                add(time, lane, kind, location)
            }
        case 2:
            if let bytes = Base64.bytes(data) {
                add(time, lane, .binary(direction, bytes), location)
            } else {
                leftOut.note("a binary WebSocket message that is not base64", location)
            }
        case 9: add(time, lane, .ping(direction), location)
        case 10: add(time, lane, .pong(direction), location)
        case 8:
            // Browsers write the two bytes of the code as two characters.
            let code = data.unicodeScalars.prefix(2).reduce(0) { $0 << 8 | Int($1.value) }
            guard data.unicodeScalars.count >= 2, (1000...4999).contains(code) else { fallthrough }
            add(
                time, lane, .close(direction, code: code, reason: String(data.unicodeScalars.dropFirst(2))), location)
            return true
        default:
            let opcode = message["opcode"].map { visible($0.text().prefix(40)) } ?? ""
            leftOut.note("a WebSocket message of opcode \(opcode)", location)
        }
        return false
    }

    private mutating func exchange(
        _ entry: JSONValue, method: String, path: String, status: Int, start: Int, _ location: CaptureLocation
    ) {
        let request = entry["request"]
        let response = entry["response"]
        let content = response?["content"]
        guard status >= 100 else {
            leftOut.note("a request without a response", location)
            return
        }
        var body = content?["text"]?.stringValue
        var isText = true
        if let encoded = body, content?["encoding"]?.stringValue == "base64" {
            guard let bytes = Base64.bytes(encoded) else {
                leftOut.note("a response whose body is not base64", location)
                return
            }
            isText = String(utf8: bytes) != nil
            body = String(decoding: bytes, as: UTF8.self)
        }
        if body == nil, content?["size"]?.intValue ?? 0 != 0 || status == 304 {
            leftOut.note("a response without its body in the export", location)
            return
        }
        exchanges += 1
        let lane = Lane.exchange(exchanges)
        var owner: String?
        for header in headers(request) where header.name == "authorization" {
            if let token = CapturePrincipals.bearer(header.value) { owner = people.name(of: token) }
        }
        let asked = people.request(
            method.uppercased(), path, by: owner, status: status, body: request?["postData"]?["text"]?.stringValue)
        let duration = entry["time"]?.doubleValue ?? 0
        let end = start + Int(min(max(duration, 0), 1e9) * 1e3)
        add(start, lane, asked, location)
        add(
            end, lane,
            .response(.init(status: status, headers: headers(response), body: body ?? "", bodyIsText: isText)), location
        )
    }

    private mutating func add(_ time: Int, _ lane: Lane, _ kind: Event.Kind, _ location: CaptureLocation) {
        events.append((time, events.count, Event(at: 0, lane: lane, kind: kind), location))
    }

    /// Header fields except secret ones.
    private func headers(_ message: JSONValue?) -> [Event.Header] {
        (message?["headers"]?.arrayValue ?? []).compactMap { header in
            guard let name = header["name"]?.stringValue?.lowercased(), let value = header["value"]?.stringValue,
                name != "cookie", name != "set-cookie"
            else { return nil }
            return Event.Header(name: name, value: value)
        }
    }

    static func path(of url: String) -> String {
        guard let scheme = url.firstRange(of: "://") else { return url }
        let rest = url[scheme.upperBound...]
        guard let slash = rest.firstIndex(where: { $0 == "/" || $0 == "?" }) else { return "/" }
        let path = rest[slash...].prefix { $0 != "#" }
        return path.first == "?" ? "/\(path)" : String(path)
    }

    /// The line and column of a value, or of the value that should contain it.
    private func line(of pointer: String) -> String {
        var location = JSONPointer(pointer)
        while let known = location {
            if let location = JSONParser.location(of: known, in: document) { return ":\(location)" }
            location = known.tokens.isEmpty ? nil : JSONPointer(tokens: Array(known.tokens.dropLast()))
        }
        return ""
    }
}
