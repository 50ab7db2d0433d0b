import HoldfastBasics

extension Rule {
    /// Reads a rule as written for a proxy or a mock server.
    /// - Throws: A problem that suggests the nearest known word.
    package init(_ text: String) throws(InputProblem) {
        var reader = RuleWordReader(text)
        self = try reader.rule()
    }

    package static func all(_ texts: [String], _ problems: inout [InputProblem]) -> [Rule] {
        var rules: [Rule] = []
        for text in texts {
            do { rules.append(try Rule(text)) } catch { problems.append(error) }
        }
        return rules
    }

    package static let grammar = """
        A fault rule is an action and a target:
          cut before|after TARGET          end the connection (TCP FIN)
          reset before|after TARGET        reset the connection
          silence before|after TARGET      stop forwarding
          close CODE before|after TARGET   send a close frame
          drop TARGET                      do not forward it
          duplicate TARGET                 forward it twice
          delay TIME TARGET                such as 500ms or 2s
          refuse TARGET [STATUS]           answer an upgrade or a request; default 503
        TARGET is a message type of the specification (done, toolUse, chat, …), a type on the wire in quotes \
        ('tool_use'), 'frame' for any message, 'N frames', 'upgrade', a method such as POST, or 'request' for any \
        method. '#N' after it means the Nth of its kind on a connection.
        Options: 'from client' or 'from server', 'in SESSION', 'times N' or 'always'. Default: once.
        """
}

private struct RuleWordReader {
    private let text: String
    private let words: [String]
    private var index = 0

    init(_ text: String) {
        self.text = text
        words = text.split(separator: " ").map(String.init)
    }

    private static let actions = ["cut", "reset", "silence", "close", "drop", "duplicate", "delay", "refuse"]
    private static let methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "request"]
    private static let types = Rule.Event.allCases.filter { $0.sender != nil }.map(\.rawValue)
    private static let targets = types + ["frame", "upgrade"] + methods

    mutating func rule() throws(InputProblem) -> Rule {
        let verb = try choice("an action", among: Self.actions)
        let cut = verb == "cut" ? Cut.fin : Cut(rawValue: verb)
        var rule = Rule(.frame, cut == nil ? Rule.Action(rawValue: verb) ?? .cut : .cut, text: text, times: 1)
        rule.cut = cut
        switch rule.action {
        case .close:
            rule.code = try next("a close code", "is not a valid close code", "such as 1001 or 1012") { word in
                Int(word).flatMap { isCloseCode($0) ? $0 : nil }
            }
        case .delay:
            rule.milliseconds = try next("how long", "is not a duration", "such as 500ms or 2s", Self.milliseconds)
        case .refuse:
            aim(&rule, at: try choice("what to refuse", among: ["upgrade"] + Self.methods))
            rule.status = 503
            if index < words.count, Int(words[index]) != nil {
                rule.status = try next("", "is not an error status", "400 to 599") { word in
                    Int(word).flatMap { (400...599).contains($0) ? $0 : nil }
                }
            }
        default: break
        }
        if rule.action == .cut || rule.action == .close {
            rule.isAfter = try choice("where", among: ["before", "after"]) == "after"
        }
        if rule.action != .refuse { try readTarget(&rule) }
        try readOptions(&rule)
        return rule
    }

    private static func milliseconds(_ word: String) -> Int? {
        let unit = word.hasSuffix("ms") ? "ms" : "s"
        let digits = word.dropLast(unit.count)
        guard word.hasSuffix("s"), digits.allSatisfy(\.isNumber), let number = Int(digits),
            (1...3_600_000).contains(number)
        else { return nil }
        return unit == "ms" ? number : number * 1000
    }

    private func aim(_ rule: inout Rule, at word: String) {
        rule.event = word == "upgrade" ? .upgrade : .request
        rule.name = word == "upgrade" || word == "request" ? nil : word
    }

    private mutating func readTarget(_ rule: inout Rule) throws(InputProblem) {
        let word = try next("a target", among: Self.targets) { $0 }
        if let count = Int(word), index < words.count, ["frames", "frame"].contains(words[index]) {
            guard count > 0 else { throw problem(word, "is not a count", expected: "1 or more") }
            index += 1
            rule.side = .server
            rule.index = count
        } else {
            let parts = word.split(separator: "#", omittingEmptySubsequences: false).map(String.init)
            let name = parts[0]
            if name.count > 2, name.hasPrefix("'"), name.hasSuffix("'") {
                rule.event = .wire
                rule.name = String(name.dropFirst().dropLast())
            } else if name == "upgrade" || Self.methods.contains(name) {
                aim(&rule, at: name)
            } else if Self.targets.contains(name), let event = Rule.Event(rawValue: name) {
                rule.event = event
                rule.side = event.sender ?? .server
            } else {
                throw problem(
                    name, "is not a message or request", expected: Self.targets.joined(separator: ", "),
                    near: nearestName(to: name, among: Self.targets))
            }
            if parts.count > 1 {
                guard parts.count == 2, let number = Int(parts[1]), number > 0 else {
                    throw problem(word, "has no number after '#'", expected: "such as \(name)#2")
                }
                rule.index = number
            }
        }
        try check(rule)
    }

    /// Rejects actions that are impossible for a request.
    private func check(_ rule: Rule) throws(InputProblem) {
        let word = words[index - 1]
        if rule.event == .upgrade, rule.isAfter {
            throw problem(
                word, "is answered only by the server", expected: "'before upgrade', or 'after 1 frames'")
        }
        guard !rule.event.isMessage else { return }
        switch rule.action {
        case .close: throw problem(word, "is a request, which has no close frame", expected: "a message")
        case .drop, .duplicate:
            throw problem(
                word, "is a request; only messages are dropped and duplicated", expected: "a message such as done",
                near: "cut before \(word)")
        default: return
        }
    }

    private mutating func readOptions(_ rule: inout Rule) throws(InputProblem) {
        var seen: Set<String> = []
        while index < words.count {
            let word = try choice("an option", among: ["from", "in", "times", "always"])
            let kind = word == "always" ? "times" : word
            guard seen.insert(kind).inserted else {
                throw problem(word, "is given twice", expected: "from, in and times once each")
            }
            guard rule.event.isMessage || kind == "times" else {
                throw problem(word, "does not apply to requests", expected: "times N, or always")
            }
            switch word {
            case "from":
                rule.side = try choice("client or server", among: ["client", "server"]) == "client" ? .client : .server
            case "in": rule.session = try next("a session") { $0 }
            case "always": rule.times = nil
            default:
                rule.times = try next("how often", "is not a count", "1 or more") { word in
                    Int(word).flatMap { $0 > 0 ? $0 : nil }
                }
            }
        }
    }

    // MARK: words

    private mutating func choice(_ what: String, among known: [String]) throws(InputProblem) -> String {
        try next(
            what, "is not \(what)", among: known, near: { nearestName(to: $0, among: known) },
            { known.contains($0) ? $0 : nil })
    }

    /// Reads the next word; `wrong` is the message for a word that `read` rejects.
    private mutating func next<Value>(
        _ what: String, _ wrong: String = "", _ expected: String? = nil, among known: [String] = [],
        near: (String) -> String? = { _ in nil }, _ read: (String) -> Value?
    ) throws(InputProblem) -> Value {
        let names = known.joined(separator: ", ")
        guard index < words.count else {
            throw InputProblem(
                location: "--fault '\(text)'", what: "\(what) is missing at the end",
                expected: known.isEmpty ? what : names, fix: Self.help)
        }
        let word = words[index]
        guard let value = read(word) else { throw problem(word, wrong, expected: expected ?? names, near: near(word)) }
        index += 1
        return value
    }

    private func problem(_ word: String, _ what: String, expected: String, near: String? = nil) -> InputProblem {
        InputProblem(
            location: "--fault '\(text)'", what: "'\(word)' \(what)", expected: expected,
            fix: near.map { "did you mean '\($0)'?" } ?? Self.help)
    }

    private static let help = "see 'conformance proxy --help' for the grammar"
}
