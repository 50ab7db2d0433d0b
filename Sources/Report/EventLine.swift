import JSON
import Transcript

/// One event as a line: time in milliseconds, lane, what happened.
struct EventLine {
    private let event: Event

    init(_ history: History, _ index: Int) {
        event =
            history.events.indices.contains(index)
            ? history.events[index]
            : Event(
                at: 0, lane: .server, kind: .wait(awaited: "event \(index), which the transcript lacks", met: false))
    }

    func text(width: Int) -> String {
        let head = "+\(readable(event.at / 1000)) ms  \(event.lane)"
        let line = head + body
        return line.count <= width ? line : String(line.prefix(width - 1)) + "…"
    }

    private var body: String {
        switch event.kind {
        case .opening(let opening): ">open \(opening.path) as \(opening.principal)"
        case .opened: "<opened"
        case .refused(let status, let reason): "<refused \(status.map(String.init) ?? "") \(reason)"
        case .text(let direction, let text): direction.rawValue + oneLine(text)
        case .binary(let direction, let bytes): "\(direction.rawValue)binary, \(readable(bytes.count)) bytes"
        case .ping(let direction): direction.rawValue + "ping frame"
        case .pong(let direction): direction.rawValue + "pong frame"
        case .close(let direction, let code, let reason):
            "\(direction.rawValue)close \(code.map(String.init) ?? "without code") \(reason)"
        case .eof(let reason): reason.isEmpty ? "<end of socket" : "<end of socket: \(reason)"
        case .request(let request): ">\(request.method) \(request.path) \(oneLine(request.body ?? ""))"
        case .response(let response): "<\(response.status) \(oneLine(response.body))"
        case .failed(let reason): "<no response: \(reason)"
        case .act(let verb, let arguments):
            "!\(verb)" + (arguments.isEmpty ? "" : " " + JSONValue.object(arguments).text())
        case .state(let value): "=" + oneLine(value.text())
        case .wait(let awaited, let met): met ? " waited for \(awaited)" : " watched for \(awaited) until here, in vain"
        }
    }

    /// Control characters would let a hostile subject write to the terminal.
    private func oneLine(_ text: String) -> String {
        var line = ""
        for scalar in text.unicodeScalars.prefix(600) {
            let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
            if isControl {
                line += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                line.unicodeScalars.append(scalar)
            }
        }
        return line
    }
}
