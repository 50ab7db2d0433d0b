import HoldfastJSON

enum RESTRulesReader {
    static func rules(_ reader: MemberReader) -> RESTRules {
        var rules = RESTRules()
        for call in RESTCall.allCases {
            guard let value = reader.value(call.rawValue) else { continue }
            if value.isNull {
                rules.calls[call] = .some(nil)
            } else if let own = reader.members(call.rawValue) {
                rules.calls[call] = .some(rule(own, of: call))
            }
        }
        if let error = reader.members("error") {
            rules.error = body(error, names: MessageMembers.ofBody("error"), placeholders: [])
        }
        return rules
    }

    private static func rule(_ reader: MemberReader, of call: RESTCall) -> RESTRule {
        var rule = RESTRule(method: call.method, target: call.target)
        rule.method = reader.string("method") ?? rule.method
        if let path = reader.string("path") {
            rule.target = TargetTemplate(path)
            let missing = call.target.placeholders.subtracting(rule.target.placeholders)
            let unknown = rule.target.placeholders.subtracting(call.target.placeholders)
            if !path.hasPrefix("/") || !missing.isEmpty || !unknown.isEmpty {
                let _: Never? = reader.wrong(
                    "path", .string(path),
                    "a path and query"
                        + (call == .session ? " in which {id} stands for the session" : " without placeholders"))
            }
        }
        if let request = reader.members("request") {
            if call == .chat {
                rule.request = MemberMapReader.map(request, names: MessageMembers.ofBody("chatRequest"))
            } else {
                reader.collector.note(
                    request.pointer, "a request without a body", expected: "'request' at 'chat' alone", fix: "remove it"
                )
            }
        }
        rule.status = reader.integer("status") ?? rule.status
        rule.conditions = reader.members("when").map(WireConditionReader.conditions) ?? []
        if let answer = reader.members("answer") {
            let names = MessageMembers.ofBody(call == .chat ? "chatResponse" : call.rawValue)
            rule.answer = body(answer, names: names, placeholders: rule.target.placeholders)
        }
        return rule
    }

    private static func body(_ reader: MemberReader, names: Set<String>, placeholders: Set<String>) -> BodyMap {
        var map = BodyMap()
        map.envelope = reader.string("envelope").flatMap(MemberMapReader.location) ?? JSONPointer()
        map.members = MemberMapReader.map(reader, names: names, placeholders: placeholders)
        map.writes = map.members.writes
        map.members.writes = []
        return map
    }
}
