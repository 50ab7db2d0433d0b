import HoldfastBasics
import HoldfastJSON
import HoldfastTranscript

/// Events as on the wire, with control characters escaped and the length limited.
struct ChartVerbatim {
    private let history: History
    private let limit: Int

    init(_ history: History, limit: Int) {
        self.history = history
        self.limit = max(80, limit)
    }

    func verbatim(of index: Int) -> SequenceChart.Verbatim {
        switch history.events[index].kind {
        case .opening(let opening):
            let principal = opening.principal.isEmpty ? "without credentials" : "as \(opening.principal)"
            return entry(index, "connection asked for, \(principal)", "GET \(opening.path)")
        case .opened: return entry(index, "connection accepted")
        case .refused(let status, let reason):
            return entry(index, status.map { "connection refused with status \($0)" } ?? "no connection", reason)
        case .text(let direction, let text): return entry(index, "text \(side(direction))", text)
        case .binary(let direction, let bytes):
            // Two digits for each byte, for the visible part only.
            let digits = hexDigits(bytes.prefix(limit / 2 + 1))
            return entry(index, "binary \(side(direction))", digits, bytes: bytes.count)
        case .ping(let direction): return entry(index, "WebSocket ping \(side(direction))")
        case .pong(let direction): return entry(index, "WebSocket pong \(side(direction))")
        case .close(let direction, let code, let reason):
            return entry(
                index, "close \(side(direction)), \(code.map { "code \($0)" } ?? "without code")", reason)
        case .eof(let reason): return entry(index, "end of the socket", reason)
        case .request(let request):
            let principal = request.principal.map { "as \($0)" } ?? "without credentials"
            let head = ["\(request.method) \(request.path)"] + fields(request.headers)
            return entry(index, "request, \(principal)", message(head, request.body ?? ""))
        case .response(let response):
            let head = ["HTTP \(response.status)"] + fields(response.headers)
            return entry(
                index, response.bodyIsText ? "response" : "response, not UTF-8", message(head, response.body))
        case .failed(let reason): return entry(index, "no response", reason)
        case .act(let verb, let details):
            return entry(index, "the suite: \(verb)", details.isEmpty ? "" : JSONValue.object(details).text())
        case .state(let state): return entry(index, "state shown", state.text())
        case .wait(let awaited, let met):
            return entry(index, "the suite watched for \(awaited): \(met ? "it came" : "it did not come")")
        }
    }

    private func side(_ direction: Direction) -> String {
        direction == .toServer ? "to the server" : "from the server"
    }

    private func fields(_ headers: [Event.Header]) -> [String] { headers.map { "\($0.name): \($0.value)" } }

    private func message(_ head: [String], _ body: String) -> String {
        (head + (body.isEmpty ? [] : ["", body])).joined(separator: "\n")
    }

    private func entry(
        _ index: Int, _ title: String, _ text: String = "", bytes: Int? = nil
    ) -> SequenceChart.Verbatim {
        // The limit counts scalars, so that a single long character is cut, too.
        let scalars = text.unicodeScalars
        let end = scalars.index(scalars.startIndex, offsetBy: limit, limitedBy: scalars.endIndex) ?? scalars.endIndex
        let isCut = end < scalars.endIndex
        return SequenceChart.Verbatim(
            event: index, title: PlainText.line(title, limit: 200),
            text: PlainText.harmless(isCut ? String(text[..<end]) : text), bytes: bytes ?? text.utf8.count,
            isCut: isCut)
    }
}
