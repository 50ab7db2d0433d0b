import Basics
import Holdfast
import JSON

extension LineReader {
    /// Reads the line of one event.
    package func event() throws(InputProblem) -> Event {
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
            throw problem("no event is named '\(name)'", expected: "an event of the format" + hint)
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
