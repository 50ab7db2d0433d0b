import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastTransport

// REST in a dialect, and the credential that opens a socket.
extension WireEdge {
    /// The request in canonical form; nil if the dialect has no such request.
    func canonical(_ wire: RESTRequest) -> RESTRequest? {
        let target = wire.query.map { "\(wire.path)?\($0)" } ?? wire.path
        let body = wire.body.isEmpty ? nil : String(utf8: wire.body)
        guard
            let canonical = dialect.heard(
                Holdfast.RESTRequest(method: wire.method, path: target, body: body))
        else { return nil }
        var asked = wire
        let parts = canonical.path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        asked.method = canonical.method
        asked.path = parts.first.map(String.init) ?? ""
        asked.query = parts.count == 2 ? String(parts[1]) : nil
        // A body that is not text stays as it is; the server refuses it.
        if let text = canonical.body { asked.body = Array(text.utf8) }
        return asked
    }

    func encoded(_ answer: RESTAnswer, to asked: RESTRequest) -> RESTAnswer {
        let wire = dialect.encode(
            RESTResponse(status: answer.status, body: answer.body),
            to: Holdfast.RESTRequest(method: asked.method, path: asked.path))
        return RESTAnswer(status: wire.status, body: wire.body, headers: answer.headers)
    }

    func notFound(at path: String) -> RESTAnswer {
        let refusal = Refusal(.sessionNotFound, "nothing is at '\(path.prefix(120))'")
        let answer = RESTAnswer(status: 404, body: Frames.body(refusal).text())
        // Use the form that the dialect gives to the errors of its own requests.
        let requests = [("GET", "/api/sessions/none"), ("POST", "/api/chat")]
        let answers = requests.map { encoded(answer, to: RESTRequest(method: $0, path: $1)) }
        return answers.first { $0 != answer } ?? answer
    }

    /// Accepts an upgrade with the right path and, if the dialect puts the credential into the request, a valid one.
    func admits(_ upgrade: UpgradeRequest, hasValidCredential: Bool) -> UpgradeDecision {
        guard upgrade.path == dialect.socketPath ?? "/ws" else {
            return .refuse(status: 404, body: notFound(at: upgrade.path).body)
        }
        switch dialect.credential {
        case .frame, .none: return .accept
        case .query, .header:
            return hasValidCredential ? .accept : .refuse(status: 401, body: "Unauthorized")
        }
    }
}
