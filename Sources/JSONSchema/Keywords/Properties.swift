import HoldfastBasics
import HoldfastJSON

extension Evaluation {
    mutating func check(
        _ keyword: Keyword, _ object: JSONObject, _ value: JSONValue, _ node: Program.Node, _ marks: inout Marks?
    ) -> Bool {
        switch keyword {
        case .minProperties(let limit):
            return object.count >= limit
                || fail(.count("members", found: object.count, limit: limit), value, node, "minProperties")
        case .maxProperties(let limit):
            return object.count <= limit
                || fail(.count("members", found: object.count, limit: limit), value, node, "maxProperties")
        case .required(let names):
            return all(names) { evaluation, name in
                object.contains(name)
                    || evaluation.fail(.missing(name, because: nil), value, node, "required")
            }
        case .dependentRequired(let pairs):
            return all(pairs) { evaluation, pair in
                evaluation.all(object.contains(pair.key) ? pair.names : []) { evaluation, name in
                    object.contains(name)
                        || evaluation.fail(
                            .missing(name, because: pair.key), value, node, "dependentRequired", pair.key)
                }
            }
        case .properties(let table): return properties(table, object, node, &marks)
        case .propertyNames(let target): return propertyNames(target, object, node)
        case .unevaluatedProperties(let target): return unevaluated(target, object, node, &marks)
        default: return true
        }
    }

    private mutating func properties(
        _ table: PropertyTable, _ object: JSONObject, _ node: Program.Node, _ marks: inout Marks?
    ) -> Bool {
        all(object.enumerated()) { evaluation, part in
            let (name, value) = part.element
            var targets = table.names[ExactString(name)].map { [($0, ["properties", name])] } ?? []
            targets += table.patterns.filter { $0.pattern.matches(name) }
                .map { ($0.node, ["patternProperties", $0.pattern.text]) }
            if !targets.isEmpty || table.additional != nil { marks?.mark(part.offset) }
            guard targets.isEmpty else { return evaluation.all(targets) { $0.member($1.0, name, value, node, $1.1) } }
            guard let target = table.additional else { return true }
            return evaluation.rest(target, name, value, node, "additionalProperties", known: { _ in table.order })
        }
    }

    private mutating func member(
        _ target: Int, _ name: String, _ value: JSONValue, _ node: Program.Node, _ tokens: [String]
    ) -> Bool {
        if program.nodes[target].verdict == false {
            report(.forbiddenProperty(name), value, node, tokens, part: name)
            return false
        }
        return descend(target, value, to: name, through: tokens[0], tokens[1])
    }

    /// Checks a member that no other keyword covers.
    private mutating func rest(
        _ target: Int, _ name: String, _ value: JSONValue, _ node: Program.Node, _ keyword: String,
        known: (Program) -> [String]
    ) -> Bool {
        guard program.nodes[target].verdict == false else { return descend(target, value, to: name, through: keyword) }
        if explains {
            let names = known(program)
            let nearest = nearestName(to: name, among: names)
            report(.unknownProperty(name, nearest: nearest, known: names), value, node, [keyword], part: name)
        }
        return false
    }

    private mutating func propertyNames(_ target: Int, _ object: JSONObject, _ node: Program.Node) -> Bool {
        all(object) { evaluation, member in
            let (isValid, findings) = evaluation.gather { evaluation in
                var none: Marks?
                return evaluation.follow(target, .string(member.key), &none, through: "propertyNames")
            }
            if isValid { return true }
            let fault = Fault.propertyName(member.key, reason: findings.first?.violation.message ?? "not allowed")
            evaluation.report(fault, member.value, node, ["propertyNames"], part: member.key)
            return false
        }
    }

    private mutating func unevaluated(
        _ target: Int, _ object: JSONObject, _ node: Program.Node, _ marks: inout Marks?
    ) -> Bool {
        guard let evaluated = marks else { return true }
        marks?.markAll()
        return all(object.enumerated()) { evaluation, part in
            evaluated[part.offset]
                || evaluation.rest(
                    target, part.element.key, part.element.value, node, "unevaluatedProperties",
                    known: { $0.propertyNames(from: node) })
        }
    }
}

extension Program {
    /// The property names in a schema, and in all that apply to the same place, in schema order.
    func propertyNames(from node: Node) -> [String] {
        var names: [String] = []
        var known: Set<ExactString> = []
        var seen: Set<Int> = []
        func add(_ keywords: [Keyword]) {
            for keyword in keywords {
                if case .properties(let table) = keyword {
                    names += table.order.filter { known.insert(ExactString($0)).inserted }
                }
                if case .not = keyword { continue }
                for target in keyword.inPlace where seen.insert(target).inserted {
                    add(nodes[target].keywords)
                }
            }
        }
        add(node.keywords)
        return names
    }
}
