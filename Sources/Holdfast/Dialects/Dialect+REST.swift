import HoldfastJSON

extension Dialect {
    /// Translates a canonical request to the wire; nil if the system cannot express it.
    ///
    /// Requests outside the specification stay unchanged.
    public func encode(_ request: RESTRequest) -> RESTRequest? {
        guard !isCanonical, let (kind, values) = RESTRules().kind(of: request) else { return request }
        guard let rule = restRules.rule(of: kind), var path = rule.target.filled(values) else { return nil }
        if rule.target == kind.target { path = request.path }
        var wire = RESTRequest(method: rule.method, path: path, body: request.body)
        if let body = request.body, let value = try? JSONParser.value(body), value.objectValue != nil {
            guard let encoded = try? rule.request.encoded(value) else { return nil }
            if encoded != value { wire.body = encoded.text() }
        }
        return wire
    }

    /// Translates a wire request to canonical form; nil if it is outside the protocol.
    public func decode(_ request: RESTRequest) -> RESTRequest? {
        guard !isCanonical else { return request }
        guard let (kind, values) = restRules.kind(of: request), let rule = restRules.rule(of: kind),
            let filled = kind.target.filled(values)
        else { return isOddSession(request) ? request : nil }
        let path = rule.target == kind.target ? request.path : filled
        var canonical = RESTRequest(method: kind.method, path: path, body: request.body)
        canonical.body = request.body.map { body in
            Self.text(of: body) { rule.request.decoded($0, .init(placeholders: values)) }
        }
        return canonical
    }

    /// Translates a canonical response to the wire, given its canonical request.
    public func encode(_ response: RESTResponse, to request: RESTRequest) -> RESTResponse {
        guard !isCanonical, let (kind, values) = RESTRules().kind(of: request), let rule = restRules.rule(of: kind),
            let value = try? JSONParser.value(response.body), value.objectValue != nil
        else { return response }
        var wire = response
        let context = MemberMap.MappingContext(placeholders: values)
        if response.status == 200 {
            wire.status = rule.status
            if let encoded = try? rule.answer.encoded(value, context) { wire.body = encoded.text() }
        } else if response.status >= 400, let encoded = try? restRules.error.encoded(value, context) {
            wire.body = encoded.text()
        }
        return wire
    }

    /// Translates a wire response to canonical form, given its wire request; a body other than a JSON object stays
    /// unchanged.
    public func decode(_ response: RESTResponse, to request: RESTRequest) -> RESTResponse {
        guard !isCanonical, let (kind, values) = restRules.kind(of: request), let rule = restRules.rule(of: kind) else {
            return response
        }
        let context = MemberMap.MappingContext(placeholders: values)
        var canonical = response
        if response.status == rule.status {
            canonical.status = 200
            canonical.body = Self.text(of: response.body) { rule.answer.decoded($0, context) }
        } else if response.status >= 400 {
            canonical.body = Self.text(of: response.body) { restRules.error.decoded($0, context) }
        }
        return canonical
    }

    /// Whether a wire response is a complete answer in the sense of the specification.
    public func isComplete(_ response: RESTResponse, to request: RESTRequest) -> Bool {
        guard !isCanonical, let (kind, _) = restRules.kind(of: request), let rule = restRules.rule(of: kind),
            response.status == rule.status, !rule.conditions.isEmpty,
            let value = try? JSONParser.value(response.body)
        else { return true }
        return rule.conditions.allSatisfy { $0.holds(of: value) }
    }

    /// Translates a JSON text; an equal value keeps its text.
    ///
    /// Writing a value again would lose duplicate names and lone surrogates. To keep them visible, such a text is
    /// included unchanged in a meaningless member.
    public static func text(of text: String, _ change: (JSONValue) -> JSONValue) -> String {
        guard let document = try? JSONParser.document(text), document.root.objectValue != nil else { return text }
        let changed = change(document.root)
        guard changed != document.root else { return text }
        let written = changed.text()
        guard !document.flaws.isEmpty, written.hasSuffix("}") else { return written }
        return written.dropLast() + (written.count > 2 ? "," : "") + "\"verbatim\":" + text + "}"
    }

    /// Whether a request reads a session with an unusual id, such as one that climbs out of its folder.
    private func isOddSession(_ request: RESTRequest) -> Bool {
        let kind = RESTOperation.session
        guard let rule = restRules.rule(of: kind), rule.target == kind.target, rule.method == request.method else {
            return false
        }
        return request.path.hasPrefix(kind.target.text.prefix { $0 != "{" })
    }
}

/// An HTTP request for translation; header fields are the same in all dialects.
public struct RESTRequest: Sendable, Equatable {
    /// The method, in capitals.
    public var method: String
    /// Path and query, percent-encoded as on the wire.
    public var path: String
    /// The body, if there is one.
    public var body: String?

    /// A request in the specification's form.
    public init(method: String, path: String, body: String? = nil) {
        (self.method, self.path, self.body) = (method, path, body)
    }
}

/// An HTTP response for translation; header fields are the same in all dialects.
public struct RESTResponse: Sendable, Equatable {
    /// The status code.
    public var status: Int
    /// The body.
    public var body: String

    /// A response in the specification's form.
    public init(status: Int, body: String) { (self.status, self.body) = (status, body) }
}
