import Holdfast
import HoldfastBasics
import HoldfastJSON

/// Writes a history as NDJSON, line by line, so that an interrupted run leaves all complete lines.
public enum TranscriptWriter {
    /// The whole transcript; each line ends with a line feed.
    public static func text(_ history: History) -> String {
        var text = line(history.header) + "\n"
        for event in history.events { text += line(event) + "\n" }
        return text
    }

    /// The whole transcript with long texts compressed, as its header states.
    package static func packedText(_ history: History) -> String {
        packed(history).map { $0.text() + "\n" }.joined()
    }

    /// The lines as values with long texts compressed, for reports that contain transcripts.
    package static func packed(_ history: History) -> [JSONValue] {
        var texts = CopiedTexts()
        var header = object(history.header)
        let events = history.events.map { event -> JSONValue in
            var line = object(event)
            guard let text = event.kind.body, let (written, copies) = texts.packed(text) else { return .object(line) }
            header["copies"] = true
            line[event.kind.bodyMember] = .string(written)
            line["copies"] = .array(
                copies.map { [JSONValue($0.offset), JSONValue($0.distance), JSONValue($0.length)] })
            return .object(line)
        }
        return [.object(header)] + events
    }

    /// The first line, without its line feed.
    public static func line(_ header: History.Header) -> String { JSONValue.object(object(header)).text() }

    /// The line of one event, without its line feed.
    public static func line(_ event: Event) -> String { JSONValue.object(object(event)).text() }

    /// Appends an event's line with its line feed; messages have a fast path, because there are many.
    package static func append(_ event: Event, to bytes: inout [UInt8]) {
        if case .text(let direction, let text) = event.kind {
            let head =
                #"{"at":\#(event.at),"lane":"\#(event.lane)","kind":"text","direction":"\#(direction.rawValue)","text":"#
            bytes.append(contentsOf: head.utf8)
            text.appendJSON(to: &bytes)
            bytes.append(UInt8(ascii: "}"))
        } else {
            bytes.append(contentsOf: line(event).utf8)
        }
        bytes.append(UInt8(ascii: "\n"))
    }

    private static func object(_ header: History.Header) -> JSONObject {
        let subject = header.subject
        let limits = subject.limits.sorted { $0.key < $1.key }.map { (key: $0.key, value: JSONValue($0.value)) }
        let defaults = Timeouts().byName
        let changed = header.timeouts.byName.filter { $0.value != defaults[$0.key] }.sorted { $0.key < $1.key }
        let lateness = header.lateness.map {
            JSONValue(members: ["from": $0.from, "to": $0.to, "slowness": $0.slowness])
        }
        let object = JSONValue(members: [
            "format": TranscriptFormat.name, "version": TranscriptFormat.version, "specification": header.specification,
            "scenario": header.scenario,
            "subject": JSONValue(members: [
                "name": subject.name, "role": subject.role.rawValue,
                "profiles": subject.profiles.sorted().map(\.rawValue),
                "agent": subject.hasScriptedAgent ? "scripted" : "plain",
                "limits": limits.isEmpty ? nil : JSONObject(limits),
            ]),
            "timeouts": changed.isEmpty
                ? nil : JSONObject(changed.map { (key: $0.key, value: JSONValue($0.value.milliseconds)) }),
            "timeScale": header.timeScale == 1 ? nil : header.timeScale, "lateness": lateness.orAbsent,
            "slowAnswers": header.slowAnswers.map { JSONValue(members: ["from": $0.from, "to": $0.to]) }.orAbsent,
            "startedAt": header.startedAt, "dialect": header.dialect.source, "capture": header.capture.map(capture),
        ])
        return object.objectValue ?? [:]
    }

    private static func capture(_ capture: History.Capture) -> JSONValue {
        JSONValue(members: [
            "lacks": capture.lacks.map(\.rawValue).sorted(), "carried": capture.carried > 0 ? capture.carried : nil,
            "endsInGap": capture.endsInGap ? true : nil,
        ])
    }

    private static func object(_ event: Event) -> JSONObject {
        var object: JSONObject = ["at": JSONValue(event.at), "lane": .string(event.lane.description)]
        func put(_ kind: String, _ members: (String, JSONValue?)...) {
            object["kind"] = .string(kind)
            for (key, value) in members { object[key] = value }
        }
        /// Nil for an empty text, to omit a member.
        func nonEmpty(_ text: String) -> JSONValue? { text.isEmpty ? .none : .some(.string(text)) }
        func pairs(_ headers: [Event.Header]) -> JSONValue {
            .array(headers.map { [.string($0.name), .string($0.value)] })
        }
        switch event.kind {
        case .opening(let opening):
            put("open", ("principal", nonEmpty(opening.principal) ?? .null), ("path", .string(opening.path)))
        case .opened: put("opened")
        case .refused(let status, let reason):
            put("refused", ("status", status.map { JSONValue($0) }), ("reason", .string(reason)))
        case .text(let direction, let text):
            put("text", ("direction", .string(direction.rawValue)), ("text", .string(text)))
        case .binary(let direction, let bytes):
            put("binary", ("direction", .string(direction.rawValue)), ("hex", .string(hexDigits(bytes))))
        case .ping(let direction): put("ping", ("direction", .string(direction.rawValue)))
        case .pong(let direction): put("pong", ("direction", .string(direction.rawValue)))
        case .close(let direction, let code, let reason):
            put(
                "close", ("direction", .string(direction.rawValue)), ("code", code.map { JSONValue($0) }),
                ("reason", nonEmpty(reason)))
        case .eof(let reason): put("eof", ("reason", nonEmpty(reason)))
        case .request(let request):
            put(
                "request", ("method", .string(request.method)), ("path", .string(request.path)),
                ("principal", request.principal.map { .string($0) } ?? .null),
                ("headers", request.headers.isEmpty ? .none : .some(pairs(request.headers))),
                ("body", request.body.map { .string($0) }))
        case .response(let response):
            put(
                "response", ("status", JSONValue(response.status)), ("headers", pairs(response.headers)),
                ("body", .string(response.body)), ("bodyIsText", response.bodyIsText ? .none : .some(.bool(false))))
        case .failed(let reason): put("failed", ("reason", .string(reason)))
        case .act(let verb, let details):
            put("act", ("act", .string(verb)), ("details", details.isEmpty ? .none : .some(.object(details))))
        case .state(let state): put("state", ("state", state))
        case .wait(let awaited, let met): put("wait", ("awaited", .string(awaited)), ("met", .bool(met)))
        }
        return object
    }
}

extension Event.Kind {
    package var body: String? {
        switch self {
        case .text(_, let text): text
        case .request(let request): request.body
        case .response(let response): response.body
        default: nil
        }
    }

    fileprivate var bodyMember: String { if case .text = self { "text" } else { "body" } }

    package func withBody(_ text: String) -> Event.Kind {
        switch self {
        case .text(let direction, _): return .text(direction, text)
        case .request(var request):
            request.body = text
            return .request(request)
        case .response(var response):
            response.body = text
            return .response(response)
        default: return self
        }
    }
}

extension Duration {
    /// Milliseconds, the unit of timeouts in transcripts, rounded up.
    fileprivate var milliseconds: Int {
        let (seconds, attoseconds) = components
        let whole = Int(clamping: seconds).multipliedReportingOverflow(by: 1000)
        let rest = Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
        return whole.overflow ? .max : whole.partialValue + rest
    }
}

/// The names and the version of the transcript file format.
///
/// A transcript is NDJSON: a header line, then one line per event. Times are microseconds since the history began.
public enum TranscriptFormat {
    /// The value of `format` in the header line.
    public static let name = "holdfast-transcript"
    /// The current version; a reader accepts no other.
    public static let version = 1
    /// The longest line in bytes: the longest message a stage keeps, with room for its escapes.
    public static let maxLineBytes = 64 << 20
    /// The ending of transcript files.
    public static let fileExtension = "ndjson"
}
