import HoldfastBasics
import HoldfastJSON
import HoldfastJSONSchema

extension MessageSchemas {
    /// The problems of a message text; empty if it is valid.
    ///
    /// - Parameters:
    ///   - text: The message, from the wire or a file.
    ///   - name: The expected kind; nil derives it from `type`, or from the members of a body.
    /// - Returns: All faults: flaws in text order, then others in schema order.
    public func validate(text: String, as name: String? = nil) -> [MessageProblem] {
        validate(bytes: Array(text.utf8), as: name)
    }

    /// The problems of a message in bytes, which may be invalid UTF-8; empty if it is valid.
    public func validate(bytes: [UInt8], as name: String? = nil) -> [MessageProblem] {
        var validator = MessageValidator(self, as: name)
        if bytes.withUnsafeBufferPointer({ validator.isSurelyValid($0) }) { return [] }
        let document: JSONDocument
        do {
            document = try JSONParser.document(bytes: bytes)
        } catch {
            return [unreadable(error, as: name)]
        }
        return validate(document, as: name) { JSONParser.location(of: $0, in: bytes) }
    }

    /// The problems of a parsed message; the closure returns places in the text, if there is one.
    public func validate(
        _ document: JSONDocument, as name: String? = nil, locate: (JSONPointer) -> JSONLocation? = { _ in nil }
    ) -> [MessageProblem] {
        let name = name ?? self.name(of: document.root)
        var problems = document.flaws.map { problem($0, as: name) }
        problems += validate(document.root, as: name, locate: locate)
        return problems
    }

    /// A schema's findings for a value, including integers written as fractions; empty if it is valid.
    public func validate(
        _ value: JSONValue, as name: String?, locate: (JSONPointer) -> JSONLocation? = { _ in nil }
    ) -> [MessageProblem] {
        var tape = JSONTape()
        return validate(value, as: name, in: &tape, locate: locate)
    }

    package func validate(
        _ value: JSONValue, as name: String?, in tape: inout JSONTape,
        locate: (JSONPointer) -> JSONLocation? = { _ in nil }
    ) -> [MessageProblem] {
        guard let name, let entry = self[name] else { return [unknown(value, name, locate)] }
        // Most messages are valid, and checking that first is cheap.
        if tape.withTokens(of: value, { entry.surelyAccepts($0) }) { return [] }
        var problems = entry.schema.violations(in: value).map { violation in
            MessageProblem(
                type: name, instance: violation.instanceLocation, location: locate(violation.instanceLocation),
                what: violation.message, expected: violation.expected,
                clause: ClauseAttribution.clause(of: violation, in: entry.schema, root: Self.base + entry.file),
                keyword: Self.keyword(violation), flaw: nil)
        }
        problems += fractionTokens(in: value, name, entry, locate)
        return problems
    }

    /// Whether a value is valid under a name; faster than computing problems.
    public func accepts(_ value: JSONValue, as name: String) -> Bool { self[name]?.schema.isValid(value) ?? false }

    // MARK: Kinds of messages

    /// The name of a message: its `type`, or for a body or push, the name implied by its members.
    public func name(of value: JSONValue) -> String? {
        if let type = value["type"]?.stringValue, value["aps"] == nil {
            if type == "error", value["code"]?.stringValue == "rate_limited", profiles.contains(.rateLimit) {
                return "rateLimit"
            }
            return type
        }
        guard value["type"] == nil || value["aps"] != nil, let object = value.objectValue else { return nil }
        for (member, name) in Self.shapes where object.contains(member) { return name }
        return nil
    }

    private static let shapes = [
        ("aps", "push"), ("apns-topic", "pushHeaders"), ("session", "session"), ("sessions", "sessionList"),
        ("messages", "chatRequest"), ("error", "restError"), ("text", "chatResponse"), ("ok", "health"),
    ]

    private func unknown(
        _ value: JSONValue, _ name: String?, _ locate: (JSONPointer) -> JSONLocation?
    ) -> MessageProblem {
        let root = JSONPointer()
        let pointer = value["type"] == nil ? root : root.appending("type")
        let what: String
        let expected: String
        if let name {
            what = "'\(name)' is not a message of this protocol"
            expected =
                nearestName(to: name, among: names).map { "did you mean '\($0)'?" } ?? names.joined(separator: ", ")
        } else if value.objectValue == nil {
            what = "found \(value.typeName)"
            expected = "an object"
        } else {
            what = value["type"] == nil ? "missing 'type'" : "'type' is \(value["type"]?.typeName ?? "absent")"
            expected = "a string that names the kind of message"
        }
        return MessageProblem(
            type: name, instance: pointer, location: locate(pointer), what: what, expected: expected,
            clause: name == nil ? ClauseID(.ENV, 1) : nil, keyword: nil, flaw: nil)
    }

    // MARK: Beyond the schemas

    private func unreadable(_ problem: JSONProblem, as name: String?) -> MessageProblem {
        let isEncoding = if case .utf8 = problem.kind { true } else { false }
        let parts = problem.description.split(separator: ";", maxSplits: 1).map { String($0) }
        return MessageProblem(
            type: name, instance: JSONPointer(), location: problem.location,
            what: parts[0].dropPrefix("\(problem.location): "),
            expected: parts.count > 1 ? parts[1].dropPrefix(" expected ") : "JSON",
            clause: clause(of: isEncoding ? .encoding : .syntax, name), keyword: nil,
            flaw: isEncoding ? .encoding : .syntax)
    }

    private func problem(_ flaw: JSONFlaw, as name: String?) -> MessageProblem {
        let (kind, what, expected): (MessageProblem.Flaw, String, String)
        switch flaw.kind {
        case .duplicateKey(let key): (kind, what, expected) = (.duplicateKey, "'\(key)' comes twice", "each name once")
        case .loneSurrogate:
            (kind, what, expected) = (
                .loneSurrogate, "an unpaired surrogate escape", "a pair such as \\ud83d\\ude00"
            )
        }
        return MessageProblem(
            type: name, instance: flaw.pointer, location: flaw.location, what: what, expected: expected,
            clause: clause(of: kind, name), keyword: nil, flaw: kind)
    }

    /// Integers written `1.0` or `1e3` where the schema requires an integer.
    ///
    /// A schema accepts these as integers. Replacing them with 0.5 shows where it requires an integer.
    private func fractionTokens(
        in value: JSONValue, _ name: String, _ entry: Entry, _ locate: (JSONPointer) -> JSONLocation?
    ) -> [MessageProblem] {
        var halves: [JSONPointer: String] = [:]
        let marked = halved(value, at: JSONPointer(), &halves)
        guard !halves.isEmpty else { return [] }
        var problems: [MessageProblem] = []
        for violation in entry.schema.violations(in: marked) where violation.keyword == "type" {
            guard let token = halves.removeValue(forKey: violation.instanceLocation) else { continue }
            problems.append(
                MessageProblem(
                    type: name, instance: violation.instanceLocation, location: locate(violation.instanceLocation),
                    what: "'\(token)' is written as a fraction",
                    expected: "an integer without decimal point or exponent",
                    clause: clause(of: .integerToken, name), keyword: nil, flaw: .integerToken))
        }
        return problems
    }

    private func halved(_ value: JSONValue, at pointer: JSONPointer, _ halves: inout [JSONPointer: String]) -> JSONValue
    {
        switch value {
        case .number(let number) where !number.isIntegerToken && number.isInteger:
            halves[pointer] = number.text
            return .number(0.5)
        case .array(let values):
            return .array(values.enumerated().map { halved($1, at: pointer.appending($0), &halves) })
        case .object(let object):
            return .object(
                JSONObject(object.map { ($0.key, halved($0.value, at: pointer.appending($0.key), &halves)) }))
        default: return value
        }
    }

    /// The clause for a flaw: clients and pushes have one clause for all flaws.
    private func clause(of flaw: MessageProblem.Flaw, _ name: String?) -> ClauseID? {
        let entry = name.flatMap { self[$0] }
        let isFrame = entry?.file.hasPrefix("messages/") ?? true
        if let entry, entry.sender == .client || entry.file.hasPrefix("push/") || (flaw == .syntax && !isFrame) {
            let root = entry.schema.schemaValue(at: Self.base + entry.file, JSONPointer())
            return root?["x-clause"]?.stringValue.flatMap { ClauseID($0) }
        }
        return ClauseID(.ENV, 1)
    }

    private static func keyword(_ violation: SchemaViolation) -> String {
        "\(violation.schemaURI.dropPrefix(base))#\(violation.schemaLocation)"
    }
}

extension String {
    fileprivate func dropPrefix(_ prefix: String) -> String {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : self
    }
}
