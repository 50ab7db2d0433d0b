import JSON

/// Reads `rest` of a dialect file.
enum RESTRulesReader {
    static func rules(_ reader: MemberReader) -> RESTRules {
        var rules = RESTRules()
        reader.refuseUnknown(besides: RESTRoad.allCases.map(\.rawValue) + ["error"])
        for road in RESTRoad.allCases {
            guard let value = reader.value(road.rawValue) else { continue }
            if value.isNull {
                rules.roads[road] = .some(nil)
            } else if let own = reader.members(road.rawValue) {
                rules.roads[road] = .some(rule(own, of: road))
            }
        }
        if let error = reader.members("error") {
            rules.error = body(error, names: CanonicalMembers.ofError, placeholders: [])
        }
        return rules
    }

    private static func rule(_ reader: MemberReader, of road: RESTRoad) -> RESTRule {
        reader.refuseUnknown(besides: ["method", "path", "request", "status", "when", "answer"])
        var rule = RESTRule(method: road.method, target: road.target)
        if let method = reader.string("method") {
            if ["GET", "POST", "PUT", "PATCH", "DELETE"].contains(method) {
                rule.method = method
            } else {
                let _: Never? = reader.wrong("method", .string(method), "DELETE, GET, PATCH, POST, PUT")
            }
        }
        if let path = reader.string("path") {
            rule.target = TargetTemplate(path)
            let missing = road.target.placeholders.subtracting(rule.target.placeholders)
            let unknown = rule.target.placeholders.subtracting(road.target.placeholders)
            if !path.hasPrefix("/") || !missing.isEmpty || !unknown.isEmpty {
                let _: Never? = reader.wrong(
                    "path", .string(path),
                    "a path and query"
                        + (road == .session ? " in which {id} stands for the session" : " without placeholders"))
            }
        }
        if let request = reader.members("request") {
            request.refuseUnknown(besides: ["members", "writes"])
            if road == .chat {
                rule.request = MemberMapReader.map(request, names: CanonicalMembers.ofChatRequest)
            } else {
                reader.collector.note(
                    request.pointer, "a request without a body", expected: "'request' at 'chat' alone", fix: "remove it"
                )
            }
        }
        if let status = reader.integer("status", in: 200...299) { rule.status = status }
        rule.conditions = reader.members("when").map(WireConditionReader.conditions) ?? []
        if let answer = reader.members("answer") {
            rule.answer = body(
                answer, names: CanonicalMembers.ofAnswer(road), placeholders: rule.target.placeholders)
        }
        return rule
    }

    private static func body(_ reader: MemberReader, names: Set<String>, placeholders: Set<String>) -> BodyMap {
        reader.refuseUnknown(besides: ["envelope", "members", "writes"])
        var map = BodyMap()
        if let text = reader.string("envelope") {
            let place = reader.pointer.appending("envelope")
            map.envelope = MemberMapReader.place(text, at: place, into: reader.collector) ?? JSONPointer()
        }
        map.members = MemberMapReader.map(reader, names: names, placeholders: placeholders)
        map.writes = map.members.writes
        map.members.writes = []
        return map
    }
}
