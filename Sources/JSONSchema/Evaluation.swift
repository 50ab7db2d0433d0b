import HoldfastJSON

/// Applies a program to a value.
///
/// With a violation limit of 0 it stops at the first fault; otherwise it continues and explains.
struct Evaluation {
    let program: Program
    private let violationLimit: Int
    /// Above 0 while a schema is only tried, so that its faults are not recorded.
    private var silence = 0
    /// The number of nested evaluations, which is bounded because the thread's stack is.
    private var depth = 0
    private var violations: [Finding] = []
    var instancePath: [String] = []
    private var keywordPath: [String] = []
    /// The resources entered so far, outermost first, for dynamic references.
    var scope: [Int] = []
    /// Dynamic references being followed at this place of the instance.
    var openReferences: [(node: Int, instanceDepth: Int)] = []

    /// The nesting depth that fits the smallest common thread stack, 512 KB.
    private static let maxDepth = 600

    typealias Finding = SchemaFinding

    init(_ program: Program, violationLimit: Int) { (self.program, self.violationLimit) = (program, violationLimit) }

    mutating func run(_ value: JSONValue) -> Bool {
        var marks: Marks?
        return evaluate(program.root, value, &marks)
    }

    /// Whether faults are recorded now.
    var explains: Bool { violationLimit > 0 && silence == 0 }

    mutating func evaluate(_ index: Int, _ value: JSONValue, _ marks: inout Marks?) -> Bool {
        let node = program.nodes[index]
        if let verdict = node.verdict {
            if !verdict { report(.forbidden, value, node, []) }
            return verdict
        }
        guard depth < Self.maxDepth else {
            report(.tooDeep, value, node, [])
            return false
        }
        depth += 1
        defer { depth -= 1 }
        let entersResource = scope.last != node.resource
        if entersResource { scope.append(node.resource) }
        defer { if entersResource { scope.removeLast() } }
        var own = marks != nil || node.hasUnevaluated ? Marks(value) : nil
        var isValid = true
        for keyword in node.keywords where !check(keyword, value, node, &own) {
            isValid = false
            // A value of the wrong type has one fault, not one for each keyword that expected another type.
            if !explains || keyword.checksType { break }
        }
        // When explaining, the parts evaluated by a failing schema also count, so that its fault is reported once.
        if let own, isValid || explains { marks?.formUnion(own) }
        return isValid
    }

    /// Whether all parts are valid; continues after the first invalid one only when explaining.
    mutating func all<Parts: Sequence>(
        _ parts: Parts, are isFine: (inout Evaluation, Parts.Element) -> Bool
    ) -> Bool {
        var isValid = true
        for part in parts where !isFine(&self, part) {
            isValid = false
            if !explains { break }
        }
        return isValid
    }

    /// Applies a node without recording its faults.
    mutating func matches(_ index: Int, _ value: JSONValue, _ marks: inout Marks?) -> Bool {
        silence += 1
        defer { silence -= 1 }
        return evaluate(index, value, &marks)
    }

    /// Applies a node at the same place of the instance, reached through `keyword`.
    mutating func follow(
        _ index: Int, _ value: JSONValue, _ marks: inout Marks?, through keyword: String, _ token: String? = nil
    ) -> Bool {
        let count = keywordPath.count
        keywordPath.append(keyword)
        if let token { keywordPath.append(token) }
        defer { keywordPath.removeLast(keywordPath.count - count) }
        return evaluate(index, value, &marks)
    }

    mutating func descend(
        _ index: Int, _ value: JSONValue, to part: String, through keyword: String, _ token: String? = nil
    ) -> Bool {
        instancePath.append(part)
        defer { instancePath.removeLast() }
        var marks: Marks?
        return follow(index, value, &marks, through: keyword, token)
    }

    /// Records a fault found by the keyword at `tokens` below a node, or by the node itself.
    mutating func report(
        _ fault: Fault, _ value: JSONValue, _ node: Program.Node, _ tokens: [String], part: String? = nil
    ) {
        guard explains, violations.count < violationLimit else { return }
        let keyword = tokens.first ?? node.location.tokens.last ?? ""
        violations.append(
            Finding(
                violation: SchemaViolation(
                    instanceLocation: JSONPointer(tokens: instancePath + (part.map { [$0] } ?? [])),
                    keywordLocation: JSONPointer(tokens: keywordPath + tokens),
                    schemaURI: program.resources[node.resource].uri,
                    schemaLocation: JSONPointer(tokens: node.location.tokens + tokens),
                    keyword: keyword,
                    message: fault.message(value),
                    expected: fault.expected,
                    actual: Excerpt.of(value)),
                fault: fault))
    }

    /// Collects the faults found by the closure instead of recording them.
    mutating func gather(_ work: (inout Evaluation) -> Bool) -> (isValid: Bool, findings: [Finding]) {
        let before = violations
        violations = []
        let isValid = work(&self)
        let findings = violations
        violations = before
        return (isValid, findings)
    }

    mutating func keep(_ findings: [Finding]) {
        violations.append(contentsOf: findings.prefix(max(0, violationLimit - violations.count)))
    }

    var location: JSONPointer { JSONPointer(tokens: instancePath) }

    /// The faults without duplicates.
    func findings() -> [Finding] {
        var seen: Set<SchemaViolation.Identity> = []
        return violations.filter { seen.insert($0.violation.identity).inserted }
    }

    /// The violations without duplicates.
    func reportedViolations() -> [SchemaViolation] {
        // A misspelled name and the missing name it stands for are one fault; keep the former, which says more.
        let misspelled = Set(
            violations.compactMap { finding -> JSONPointer? in
                guard case .unknownProperty(_, .some(let nearest), _) = finding.fault else { return nil }
                return finding.violation.instanceLocation.parent?.appending(nearest)
            })
        return findings().compactMap { finding in
            if case .missing(let name, nil) = finding.fault,
                misspelled.contains(finding.violation.instanceLocation.appending(name))
            {
                return nil
            }
            return finding.violation
        }
    }
}

extension SchemaViolation {
    /// Two violations with equal identity are the same fault, reached by different paths through the schema.
    struct Identity: Hashable {
        let instance: JSONPointer
        let message: String
    }

    var identity: Identity { Identity(instance: instanceLocation, message: message) }
}
