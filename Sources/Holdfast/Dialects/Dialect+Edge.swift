import HoldfastBasics
import HoldfastJSON

// Translation at the edge of a server that knows only the canonical form.
extension Dialect {
    /// Translates a text of a client; nil if the dialect ignores it.
    ///
    /// A text that is not a message passes unchanged: it is the same error in every dialect, and the server's answer is
    /// translated.
    package func heard(_ text: String) -> String? {
        guard !isCanonical, let document = try? JSONParser.document(text), document.flaws.isEmpty else { return text }
        let frame = meaning(of: document.root, sentBy: .client).map { $0["type"] == "chat" ? addingKey(to: $0) : $0 }
        return frame.map { $0 == document.root ? text : $0.text() }
    }

    /// Translates a request of a client; nil if the dialect has no such request.
    package func heard(_ wire: RESTRequest) -> RESTRequest? {
        guard var request = decode(wire) else { return nil }
        guard !isCanonical, request.method == "POST", request.path == "/api/chat", let text = request.body,
            let body = try? JSONParser.document(text), body.flaws.isEmpty, body.root.objectValue != nil
        else { return request }
        request.body = addingKey(to: body.root).text()
        return request
    }

    /// The question with a generated key, if the wire gave it none.
    private func addingKey(to question: JSONValue) -> JSONValue {
        question.adding(["clientMessageId": "made-" + String(UInt64.random(in: 0 ... .max), radix: 36)]).value
    }

    /// The credential of an upgrade request; nil if there is none, or if a frame carries it.
    package func key(inQuery query: String?, header: (String) -> String?) -> String? {
        switch credential {
        case .frame, .none: return nil
        case .query(let name):
            let field = query?.split(separator: "&").first { $0.hasPrefix("\(name)=") }
            return field.map { percentDecoded(String($0.dropFirst(name.count + 1))) }
        case .header(let name, let prefix):
            guard let value = header(name), value.hasPrefix(prefix) else { return nil }
            return String(value.dropFirst(prefix.count))
        }
    }

    /// The epoch assumed for a position without one; nil if the wire names epochs or has no positions.
    ///
    /// A server whose wire cannot name epochs keeps one epoch forever.
    package var onlyEpoch: String? { read(["type": "sync", "lastSeqSeen": 0], sentBy: .client)?["epoch"]?.stringValue }

    /// A frame as its reader understands it; nil if the wire cannot express it.
    package func read(_ frame: JSONValue, sentBy sender: Role) -> JSONValue? {
        if case .frame(let wire) = encode(frame, sentBy: sender) { self.frame(wire, sentBy: sender) } else { nil }
    }
}
