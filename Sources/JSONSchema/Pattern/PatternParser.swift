/// Parses the grammar of ECMA-262, section 22.2.1, with the flag `u`.
struct PatternParser {
    let scalars: [Unicode.Scalar]
    var position = 0
    private var depth = 0
    private var groupNames: Set<String> = []

    /// The nesting limit for groups; real expressions need far less.
    private static let maxDepth = 100

    static func parse(_ text: String) throws(PatternProblem) -> PatternNode {
        var parser = PatternParser(scalars: Array(text.unicodeScalars))
        let tree = try parser.alternatives()
        guard parser.position == parser.scalars.count else { throw parser.problem("')' closes no group") }
        return tree
    }

    private init(scalars: [Unicode.Scalar]) { self.scalars = scalars }

    var current: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    mutating func take(_ text: String) -> Bool {
        guard scalars[position...].starts(with: text.unicodeScalars) else { return false }
        position += text.unicodeScalars.count
        return true
    }

    func problem(_ reason: String) -> PatternProblem { PatternProblem(reason, at: position) }

    private mutating func alternatives() throws(PatternProblem) -> PatternNode {
        var branches = [try sequence()]
        while take("|") {
            branches.append(try sequence())
        }
        return branches.count == 1 ? branches[0] : .alternatives(branches)
    }

    private mutating func sequence() throws(PatternProblem) -> PatternNode {
        var parts: [PatternNode] = []
        while let scalar = current, scalar != "|", scalar != ")" {
            parts.append(try term())
        }
        return parts.isEmpty ? .empty : .sequence(parts)
    }

    private mutating func term() throws(PatternProblem) -> PatternNode {
        if take("^") { return .start }
        if take("$") { return .end }
        for refused in ["(?=", "(?!", "(?<=", "(?<!", "\\b", "\\B"] where take(refused) {
            throw PatternProblem("'\(refused)' is not supported: no lookaround, no word boundaries")
        }
        return try quantified(try atom())
    }

    private mutating func group() throws(PatternProblem) -> PatternNode {
        guard depth < Self.maxDepth else { throw problem("more than \(Self.maxDepth) groups inside one another") }
        depth += 1
        defer { depth -= 1 }
        let tree = try alternatives()
        guard take(")") else { throw problem("a group is not closed") }
        return tree
    }

    private mutating func atom() throws(PatternProblem) -> PatternNode {
        guard let scalar = current else { throw problem("the expression ends too early") }
        switch scalar {
        case ".":
            position += 1
            return .set(.dot)
        case "(":
            if take("(?:") { return try group() }
            if take("(?<") {
                try groupName()
            } else if take("(?") {
                throw problem("an unknown kind of group")
            } else {
                position += 1
            }
            return try group()
        case "[":
            position += 1
            return .set(try characterClass())
        case "\\":
            position += 1
            if let scalar = current, scalar == "k" || ("1"..."9").contains(scalar) {
                throw PatternProblem("back-references cannot be matched in bounded time")
            }
            if let set = try classEscape() { return .set(set) }
            let value = try characterEscape(inClass: false)
            return .set(PatternSet([.range(value, value)]))
        case "*", "+", "?", "{": throw problem("nothing stands before the quantifier '\(scalar)'")
        case "]", "}": throw problem("a bare '\(scalar)'")
        default:
            position += 1
            return .set(PatternSet([.range(scalar.value, scalar.value)]))
        }
    }

    private mutating func groupName() throws(PatternProblem) {
        let start = position
        var name = ""
        while let scalar = current, scalar != ">" {
            let properties = scalar.properties
            guard scalar == "$" || scalar == "_" || (name.isEmpty ? properties.isIDStart : properties.isIDContinue)
            else { throw problem("a group name holds '\(scalar)'") }
            name.unicodeScalars.append(scalar)
            position += 1
        }
        guard take(">"), !name.isEmpty else { throw problem("a group name is not closed") }
        guard groupNames.insert(name).inserted else { throw PatternProblem("a second group '\(name)'", at: start) }
    }

    private mutating func quantified(_ atom: PatternNode) throws(PatternProblem) -> PatternNode {
        let min: Int
        let max: Int?
        if take("*") {
            (min, max) = (0, nil)
        } else if take("+") {
            (min, max) = (1, nil)
        } else if take("?") {
            (min, max) = (0, 1)
        } else if take("{") {
            min = try number("a quantifier needs a number after '{'")
            if take(",") {
                max = current == "}" ? nil : try number("a quantifier needs a number after ','")
            } else {
                max = min
            }
            guard take("}") else { throw problem("a quantifier is not closed") }
            if let max, max < min { throw problem("a quantifier counts from \(min) down to \(max)") }
        } else {
            return atom
        }
        _ = take("?")
        return .repetition(atom, min: min, max: max)
    }

    private mutating func number(_ reason: String) throws(PatternProblem) -> Int {
        var value: Int?
        while let scalar = current, ("0"..."9").contains(scalar) {
            value = min((value ?? 0) * 10 + Int(scalar.value - 0x30), 1 << 40)
            position += 1
        }
        guard let value else { throw problem(reason) }
        return value
    }
}
