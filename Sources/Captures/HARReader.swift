import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastTranscript

/// Reads a HAR file as browsers export it: requests, and the messages of WebSockets in `_webSocketMessages`.
///
/// HAR is one JSON document, so it is held whole; `maxBytes` bounds it.
struct HARReader {
    static let maxBytes = 64 << 20

    private(set) var leftOut = CaptureLeftOut()
    private var people: CapturePeople
    private let isOfProtocol: @Sendable (_ method: String, _ path: String) -> Bool
    private let file: String
    /// The document, for the lines of what is wrong in it.
    private var document: [UInt8] = []
    private var events: [(time: Int, order: Int, event: Event, location: CaptureLocation)] = []
    private var sockets = 0
    private var exchanges = 0

    init(
        file: String, people: CapturePeople,
        isOfProtocol: @escaping @Sendable (_ method: String, _ path: String) -> Bool
    ) {
        (self.file, self.people, self.isOfProtocol) = (file, people, isOfProtocol)
    }

    /// Everything in a document, in the order of time.
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
        let entries = try array(root["log"]?["entries"], "/log/entries")
        guard !entries.isEmpty else {
            throw InputProblem(
                location: "\(file)\(line(of: "/log/entries")) /log/entries", what: "the HAR file contains no entries",
                expected: "the requests and messages of a session",
                fix: "open the network panel before the page connects, then export again with content")
        }
        for (index, entry) in entries.enumerated() { try take(entry, "/log/entries/\(index)") }
        let first = events.map(\.time).min() ?? 0
        return events.sorted { ($0.time, $0.order) < ($1.time, $1.order) }.map { item in
            .event(Event(at: item.time - first, lane: item.event.lane, kind: item.event.kind), item.location)
        }
    }

    private mutating func take(_ entry: JSONValue, _ pointer: String) throws(InputProblem) {
        let url = try string(entry["request"]?["url"], "\(pointer)/request/url")
        let method = try string(entry["request"]?["method"], "\(pointer)/request/method")
        let text = try string(entry["startedDateTime"], "\(pointer)/startedDateTime")
        guard let start = Instant(text, leniently: true)?.microseconds else {
            throw problem(
                "\(pointer)/startedDateTime", "'\(visible(text.prefix(40)))' is not a time", expected: "ISO 8601")
        }
        let status = entry["response"]?["status"]?.intValue ?? 0
        let location = CaptureLocation(pointer: pointer)
        if let messages = entry["_webSocketMessages"] {
            let list = try array(messages, "\(pointer)/_webSocketMessages")
            try socket(list, path: Self.path(of: url), status: status, start: start, pointer)
            return
        }
        if url.hasPrefix("ws:") || url.hasPrefix("wss:") {
            leftOut.note("a WebSocket without its messages in the export", location)
            return
        }
        guard isOfProtocol(method, Self.path(of: url)) else {
            leftOut.note("a request outside the protocol", location)
            return
        }
        try exchange(entry, method: method, path: Self.path(of: url), status: status, start: start, location)
    }

    private mutating func socket(
        _ messages: [JSONValue], path: String, status: Int, start: Int, _ pointer: String
    ) throws(InputProblem) {
        let lane = Lane.connection(number: sockets)
        sockets += 1
        let location = CaptureLocation(pointer: pointer)
        let (path, owner) = people.redacted(path: path)
        add(
            start, lane, .opening(.init(principal: owner ?? people.name(ofLane: lane.description), path: path)),
            location)
        // Some exports say 0 or 200 for a socket that lives.
        if status == 101 || !messages.isEmpty { add(start, lane, .opened, location) }
        if messages.isEmpty, status >= 400 { add(start, lane, .refused(status: status, reason: ""), location) }
        var before = start
        for (index, message) in messages.enumerated() {
            let own = "\(pointer)/_webSocketMessages/\(index)"
            let location = CaptureLocation(pointer: own)
            let data = try string(message["data"], "\(own)/data")
            guard let seconds = message["time"]?.doubleValue, (0..<1e11).contains(seconds) else {
                throw problem("\(own)/time", "it is not a time", expected: "seconds since 1970, as browsers write")
            }
            let direction: Direction
            switch message["type"]?.stringValue {
            case "send": direction = .toServer
            case "receive": direction = .fromServer
            default: throw problem("\(own)/type", "it is neither of these", expected: "'send' or 'receive'")
            }
            // A socket keeps its order, whatever the clock did.
            before = max(before, Int(seconds * 1e6))
            // Where nothing is said it is text; what is said and is no number is none.
            switch message["opcode"].map({ $0.intValue ?? -1 }) ?? 1 {
            case 1:
                var text = data
                if direction == .toServer, let known = people.redacted(text) {
                    text = known.text
                    if let owner = known.owner {
                        add(before, lane, .act(CaptureBelongings.act, ["to": .string(owner)]), location)
                    }
                }
                add(before, lane, .text(direction, text), location)
            case 2:
                guard let bytes = Base64.bytes(data) else {
                    throw problem("\(own)/data", "it is not base64", expected: "base64, as opcode 2 has it")
                }
                add(before, lane, .binary(direction, bytes), location)
            case 9: add(before, lane, .ping(direction), location)
            case 10: add(before, lane, .pong(direction), location)
            default:
                let opcode = message["opcode"].map { visible($0.text().prefix(40)) } ?? ""
                leftOut.note("a WebSocket message of opcode \(opcode)", location)
            }
        }
    }

    private mutating func exchange(
        _ entry: JSONValue, method: String, path: String, status: Int, start: Int, _ location: CaptureLocation
    ) throws(InputProblem) {
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
            if let token = CapturePeople.bearer(header.value) { owner = people.name(of: token, isUsual: true) }
        }
        let (path, queried) = people.redacted(path: path)
        let isRefused = status == 401 || status == 403
        let asked = Event.Request(
            method: method.uppercased(), path: path,
            principal: owner ?? queried ?? (isRefused ? nil : people.name(ofLane: "HTTP")),
            body: (request?["postData"]?["text"]?.stringValue).map { people.redacted(body: $0) })
        let duration = entry["time"]?.doubleValue ?? 0
        let end = start + Int(min(max(duration, 0), 1e9) * 1e3)
        add(start, lane, .request(asked), location)
        add(
            end, lane,
            .response(.init(status: status, headers: headers(response), body: body ?? "", bodyIsText: isText)), location
        )
    }

    private mutating func add(_ time: Int, _ lane: Lane, _ kind: Event.Kind, _ location: CaptureLocation) {
        events.append((time, events.count, Event(at: 0, lane: lane, kind: kind), location))
    }

    /// Header fields without those that hold secrets.
    private func headers(_ message: JSONValue?) -> [Event.Header] {
        (message?["headers"]?.arrayValue ?? []).compactMap { header in
            guard let name = header["name"]?.stringValue?.lowercased(), let value = header["value"]?.stringValue,
                name != "cookie", name != "set-cookie"
            else { return nil }
            return Event.Header(name: name, value: value)
        }
    }

    private static func path(of url: String) -> String {
        guard let scheme = url.firstRange(of: "://") else { return url }
        let rest = url[scheme.upperBound...]
        guard let slash = rest.firstIndex(where: { $0 == "/" || $0 == "?" }) else { return "/" }
        let path = rest[slash...].prefix { $0 != "#" }
        return path.first == "?" ? "/\(path)" : String(path)
    }

    private func array(_ value: JSONValue?, _ pointer: String) throws(InputProblem) -> [JSONValue] {
        guard let array = value?.arrayValue else {
            throw problem(
                pointer, value == nil ? "it is missing" : "it is \(value?.typeName ?? "")", expected: "an array")
        }
        return array
    }

    private func string(_ value: JSONValue?, _ pointer: String) throws(InputProblem) -> String {
        guard let text = value?.stringValue else {
            throw problem(
                pointer, value == nil ? "it is missing" : "it is \(value?.typeName ?? "")", expected: "a string")
        }
        return text
    }

    private func problem(_ pointer: String, _ what: String, expected: String) -> InputProblem {
        InputProblem(
            location: "\(file)\(line(of: pointer)) \(pointer)", what: what, expected: expected,
            fix: "export the HAR file again, with content, from the network panel of a browser")
    }
    /// The line and column of a value, or of what it is missing in.
    private func line(of pointer: String) -> String {
        var location = JSONPointer(pointer)
        while let known = location {
            if let location = JSONParser.location(of: known, in: document) { return ":\(location)" }
            location = known.tokens.isEmpty ? nil : JSONPointer(tokens: Array(known.tokens.dropLast()))
        }
        return ""
    }
}
