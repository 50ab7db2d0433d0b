import Holdfast
import HoldfastBasics
import HoldfastJSON

package struct PackedEvents {
    /// The texts so far, if later ones may copy parts of them.
    private var texts: CopiedTexts?

    package init() {}

    package init(below header: LineReader) {
        if header.object["copies"]?.boolValue ?? false { texts = CopiedTexts() }
    }

    package mutating func event(_ line: LineReader) throws(InputProblem) -> Event { try line.event(&texts) }

    /// Fast path: the event of a line that contains only a text message; nil for any other line, even an invalid one,
    /// which a ``LineReader`` then reads.
    package func message(_ line: TapeView) -> Event? {
        guard texts == nil, line.memberCount == 5, let at = line.int(of: "at"), at >= 0,
            line.isText(of: "kind", "text"), let lane = line.text(of: "lane").flatMap(Lane.init),
            let direction = line.text(of: "direction").flatMap(Direction.init(rawValue:)),
            let text = line.text(of: "text")
        else { return nil }
        return Event(at: at, lane: lane, kind: .text(direction, text))
    }
}

extension LineReader {
    fileprivate func event(_ texts: inout CopiedTexts?) throws(InputProblem) -> Event {
        var event = try event()
        let copies = try copies()
        guard texts != nil else {
            if copies.isEmpty { return event }
            throw problem(
                "there are 'copies', but the header declares none", expected: "\"copies\": true in the header")
        }
        guard let body = event.kind.body else { return event }
        do {
            if let whole = try texts?.unpacked(body, copies) { event.kind = event.kind.withBody(whole) }
        } catch {
            switch error {
            case .misplaced(let number):
                throw problem(
                    "copy \(number) points to no earlier text",
                    expected: "a place in the text, a distance back into earlier text and a length above 0")
            case .tooLong:
                throw problem(
                    "the texts have more than \(CopiedTexts.maxBytes) bytes",
                    expected: "at most \(CopiedTexts.maxBytes) bytes")
            case .noText: throw problem("the restored text is not UTF-8", expected: "copies of whole characters")
            }
        }
        return event
    }

    private func copies() throws(InputProblem) -> [CopiedTexts.Copy] {
        try optional("copies", "an array of [place, distance, length]") { value -> [CopiedTexts.Copy]? in
            guard let entries = value.arrayValue else { return nil }
            let copies = entries.compactMap { entry -> CopiedTexts.Copy? in
                let numbers = (entry.arrayValue ?? []).compactMap(\.intValue)
                guard numbers.count == 3 else { return nil }
                return CopiedTexts.Copy(offset: numbers[0], distance: numbers[1], length: numbers[2])
            }
            return copies.count == entries.count ? copies : nil
        } ?? []
    }

    private func event() throws(InputProblem) -> Event {
        let at = try integer("at")
        guard at >= 0 else { throw problem("'at' is \(at)", expected: "microseconds since the history began") }
        let lane = try member("lane", "a lane such as A, 1, server, client or push") {
            $0.stringValue.flatMap(Lane.init)
        }
        return Event(at: at, lane: lane, kind: try kind(try string("kind")))
    }

    private static let kinds = [
        "open", "opened", "refused", "text", "binary", "ping", "pong", "close", "eof", "request", "response",
        "failed", "act", "state", "wait",
    ]

    private func kind(_ name: String) throws(InputProblem) -> Event.Kind {
        switch name {
        case "open":
            return .opening(.init(principal: try nullableString("principal") ?? "", path: try string("path")))
        case "opened": return .opened
        case "refused": return .refused(status: try optionalInteger("status"), reason: try string("reason"))
        case "text": return .text(try direction(), try string("text"))
        case "binary":
            return .binary(
                try direction(),
                try member("hex", "pairs of hexadecimal digits") { $0.stringValue.flatMap { bytes(ofHexDigits: $0) } })
        case "ping": return .ping(try direction())
        case "pong": return .pong(try direction())
        case "close":
            return .close(
                try direction(), code: try optionalInteger("code"), reason: try optionalString("reason") ?? "")
        case "eof": return .eof(reason: try optionalString("reason") ?? "")
        case "request":
            return .request(
                .init(
                    method: try string("method"), path: try string("path"),
                    principal: try nullableString("principal"), headers: try headers(),
                    body: try optionalString("body")))
        case "response": return .response(try response())
        case "failed": return .failed(reason: try string("reason"))
        case "act":
            return .act(try string("act"), try optional("details", "an object", \.objectValue) ?? JSONObject())
        case "state": return .state(try member("state", "a JSON value") { $0 })
        case "wait": return .wait(awaited: try string("awaited"), met: try bool("met"))
        default:
            let hint = nearestName(to: name, among: Self.kinds).map { ", such as '\($0)'" } ?? ""
            throw problem("unknown event '\(name)'", expected: "a known event" + hint)
        }
    }

    private func direction() throws(InputProblem) -> Direction {
        try member("direction", "'>' (to the server) or '<' (from it)") {
            $0.stringValue.flatMap(Direction.init(rawValue:))
        }
    }

    private func headers() throws(InputProblem) -> [Event.Header] {
        try optional("headers", "an array of [name, value]") { value -> [Event.Header]? in
            guard let pairs = value.arrayValue else { return nil }
            let headers = pairs.compactMap { pair -> Event.Header? in
                guard pair.arrayValue?.count == 2, let name = pair[0]?.stringValue, let value = pair[1]?.stringValue
                else { return nil }
                return Event.Header(name: name, value: value)
            }
            return headers.count == pairs.count ? headers : nil
        } ?? []
    }

    private func response() throws(InputProblem) -> Event.Response {
        Event.Response(
            status: try integer("status"), headers: try headers(), body: try optionalString("body") ?? "",
            bodyIsText: try optional("bodyIsText", "true or false", \.boolValue) ?? true)
    }
}
