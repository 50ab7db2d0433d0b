import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastTransport

// The recovery path of a dialect, and the key that opens a socket.
extension WireEdge {
    /// What a request of the wire asks the server; nil when it is none of the protocol.
    func asked(_ wire: RESTRequest) -> RESTRequest? {
        let target = wire.query.map { "\(wire.path)?\($0)" } ?? wire.path
        let body = wire.body.isEmpty ? nil : String(utf8: wire.body)
        guard
            let canonical = dialect.decode(
                Holdfast.RESTRequest(method: wire.method, path: target, body: body))
        else { return nil }
        var asked = wire
        let parts = canonical.path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        asked.method = canonical.method
        asked.path = parts.first.map(String.init) ?? ""
        asked.query = parts.count == 2 ? String(parts[1]) : nil
        // A body that is no text is refused as what it is.
        if let text = canonical.body { asked.body = Array(text.utf8) }
        if asked.method == "POST", asked.path == "/api/chat", let text = canonical.body,
            let body = try? JSONParser.document(text), body.flaws.isEmpty, body.root.objectValue != nil
        {
            asked.body = Array(named(body.root).text().utf8)
        }
        return asked
    }

    /// An answer of the server as the wire says it.
    func answered(_ answer: RESTAnswer, to asked: RESTRequest) -> RESTAnswer {
        let wire = dialect.encode(
            RESTResponse(status: answer.status, body: answer.body),
            to: Holdfast.RESTRequest(method: asked.method, path: asked.path))
        return RESTAnswer(status: wire.status, body: wire.body, headers: answer.headers)
    }

    /// The answer to a request that is none of the protocol.
    func nothing(at path: String) -> RESTAnswer {
        let refusal = Refusal(.sessionNotFound, "nothing is at '\(path.prefix(120))'")
        let answer = RESTAnswer(status: 404, body: Frames.body(refusal).text())
        // Errors have one form, whatever was asked for; a system without this request has another one.
        let roads = [("GET", "/api/sessions/none"), ("POST", "/api/chat")]
        let worded = roads.map { answered(answer, to: RESTRequest(method: $0, path: $1)) }
        return worded.first { $0 != answer } ?? answer
    }

    /// Whether a client gets its WebSocket: on the path of the dialect, and with a good key where the request has to bring it.
    func admits(_ upgrade: UpgradeRequest, hasKey: Bool) -> UpgradeDecision {
        guard upgrade.path == dialect.socketPath ?? "/ws" else {
            return .refuse(status: 404, body: nothing(at: upgrade.path).body)
        }
        switch dialect.credential {
        case .frame, .none: return .accept
        case .query, .header:
            return hasKey ? .accept : .refuse(status: 401, body: "Unauthorized")
        }
    }

    /// The key of an upgrade request, in the place where the dialect has it; nil where a frame brings it, or none came.
    func key(of upgrade: UpgradeRequest) -> String? {
        switch dialect.credential {
        case .frame, .none: return nil
        case .query(let name):
            let field = upgrade.query?.split(separator: "&").first { $0.hasPrefix("\(name)=") }
            return field.map { percentDecoded(String($0.dropFirst(name.count + 1))) }
        case .header(let name, let prefix):
            guard let value = upgrade.header(name), value.hasPrefix(prefix) else { return nil }
            return String(value.dropFirst(prefix.count))
        }
    }
}
