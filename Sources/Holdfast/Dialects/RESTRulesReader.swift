import HoldfastJSON

enum RESTRulesReader {
    static func rules(_ reader: MemberReader) -> RESTRules {
        var rules = RESTRules()
        for kind in RESTOperation.allCases {
            guard let value = reader.value(kind.rawValue) else { continue }
            if value.isNull {
                rules.operations[kind] = .some(nil)
            } else if let own = reader.members(kind.rawValue) {
                rules.operations[kind] = .some(rule(own, of: kind))
            }
        }
        if let error = reader.members("error") {
            rules.error = body(error, names: MessageMembers.ofBody("error"), placeholders: [])
        }
        return rules
    }

    private static func rule(_ reader: MemberReader, of kind: RESTOperation) -> RESTRule {
        var rule = RESTRule(method: kind.method, target: kind.target)
        rule.method = reader.string("method") ?? rule.method
        if let path = reader.string("path") {
            rule.target = TargetTemplate(path)
            let missing = kind.target.placeholders.subtracting(rule.target.placeholders)
            let unknown = rule.target.placeholders.subtracting(kind.target.placeholders)
            if !path.hasPrefix("/") || !missing.isEmpty || !unknown.isEmpty {
                let _: Never? = reader.wrong(
                    "path", .string(path),
                    "a path and query"
                        + (kind == .session ? " in which {id} stands for the session" : " without placeholders"))
            }
        }
        if let request = reader.members("request") {
            if kind == .chat {
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
            let names = MessageMembers.ofBody(kind == .chat ? "chatResponse" : kind.rawValue)
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
