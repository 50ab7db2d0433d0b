import Basics
import Holdfast
import Transport

extension FaultRule {
    /// Reads a rule.
    /// - Throws: A problem that names the word and the nearest one that is known.
    package init(_ text: String) throws(InputProblem) {
        var parser = FaultRuleParser(text)
        self = try parser.rule()
    }
}

/// Reads the words of one rule from left to right.
struct FaultRuleParser {
    private let text: String
    private var words: [String]
    private var place = 0

    init(_ text: String) {
        self.text = text
        words = text.split(separator: " ").map(String.init)
    }

    private static let actions = ["cut", "reset", "silence", "close", "drop", "duplicate", "delay", "refuse"]
    private static let clientTypes = ["auth", "chat", "sync", "ping"]
    private static let serverTypes = [
        "connected", "ack", "message", "toolUse", "done", "error", "syncResult", "pong",
    ]
    private static let methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "request"]
    private static var targets: [String] { clientTypes + serverTypes + ["frame", "upgrade"] + methods }

    mutating func rule() throws(InputProblem) -> FaultRule {
        let verb = try next("an action", among: Self.actions)
        var rule: FaultRule
        switch verb {
        case "cut", "reset", "silence":
            rule = try placed(.cut(verb == "cut" ? .fin : verb == "reset" ? .reset : .silence))
        case "close": rule = try placed(.close(try code()))
        case "drop": rule = try onMessage(.drop)
        case "duplicate": rule = try onMessage(.duplicate)
        case "delay":
            let time = try time()
            rule = try target(.delay(time))
        default: rule = try refusal()
        }
        try further(&rule)
        return rule
    }

    private mutating func placed(_ action: FaultRule.Action) throws(InputProblem) -> FaultRule {
        let word = try next("where", among: ["before", "after"])
        var rule = try target(action)
        rule.isAfter = word == "after"
        if rule.target == .upgrade, rule.isAfter {
            throw problem(
                words[place - 1], "has an answer only the server gives",
                expected: "'before upgrade', or 'after 1 frames'",
                near: nil)
        }
        if case .close = action, !rule.target.isMessage {
            throw problem(words[place - 1], "is a request, which has no close frame", expected: "a message", near: nil)
        }
        return rule
    }

    private mutating func onMessage(_ action: FaultRule.Action) throws(InputProblem) -> FaultRule {
        let rule = try target(action)
        guard rule.target.isMessage else {
            throw problem(
                words[place - 1], "is a request; only messages are dropped and duplicated",
                expected: "a message such as done",
                near: "cut before \(words[place - 1])")
        }
        return rule
    }

    private mutating func refusal() throws(InputProblem) -> FaultRule {
        let word = try next("what is refused", among: ["upgrade"] + Self.methods)
        var status = 503
        if place < words.count, let number = Int(words[place]) {
            guard (400...599).contains(number) else {
                throw problem(words[place], "is no status that refuses", expected: "400 to 599", near: nil)
            }
            status = number
            place += 1
        }
        return FaultRule(text: text, action: .refuse(status), target: requestTarget(word))
    }

    private func requestTarget(_ word: String) -> FaultRule.Target {
        word == "upgrade" ? .upgrade : .request(word == "request" ? nil : word)
    }

    private mutating func target(_ action: FaultRule.Action) throws(InputProblem) -> FaultRule {
        guard place < words.count else { throw missing("what it is done to", Self.targets) }
        if let count = Int(words[place]), place + 1 < words.count, ["frames", "frame"].contains(words[place + 1]) {
            guard count > 0 else { throw problem(words[place], "is no count", expected: "1 or more", near: nil) }
            place += 2
            var rule = FaultRule(text: text, action: action, target: .frame)
            rule.side = .server
            rule.nth = count
            return rule
        }
        let word = words[place]
        place += 1
        let parts = word.split(separator: "#", omittingEmptySubsequences: false).map(String.init)
        let name = parts[0]
        var rule: FaultRule
        if name.count > 2, name.hasPrefix("'"), name.hasSuffix("'") {
            rule = FaultRule(text: text, action: action, target: .wire(String(name.dropFirst().dropLast())))
        } else if name == "frame" {
            rule = FaultRule(text: text, action: action, target: .frame)
            rule.side = .server
        } else if name == "upgrade" || Self.methods.contains(name) {
            rule = FaultRule(text: text, action: action, target: requestTarget(name))
        } else if Self.clientTypes.contains(name) || Self.serverTypes.contains(name) {
            rule = FaultRule(text: text, action: action, target: .type(name))
            rule.side = Self.clientTypes.contains(name) ? .client : .server
        } else {
            throw problem(
                name, "names no message and no request", expected: Self.targets.joined(separator: ", "),
                near: nearestName(to: name, among: Self.targets))
        }
        if parts.count > 1 {
            guard parts.count == 2, let number = Int(parts[1]), number > 0 else {
                throw problem(word, "has no number behind '#'", expected: "such as \(name)#2", near: nil)
            }
            rule.nth = number
        }
        return rule
    }

    private mutating func further(_ rule: inout FaultRule) throws(InputProblem) {
        var seen: Set<String> = []
        while place < words.count {
            let word = try next("a further word", among: ["from", "in", "times", "always"])
            let kind = word == "always" ? "times" : word
            guard seen.insert(kind).inserted else {
                throw problem(word, "is said twice", expected: "each of from, in and times once", near: nil)
            }
            guard rule.target.isMessage || kind == "times" else {
                throw problem(word, "means nothing to requests", expected: "times N, or always", near: nil)
            }
            switch word {
            case "from":
                rule.side = try next("who sends it", among: ["client", "server"]) == "client" ? .client : .server
            case "in":
                guard place < words.count else { throw missing("a session", []) }
                rule.session = words[place]
                place += 1
            case "always": rule.times = nil
            default:
                guard place < words.count else { throw missing("how often", []) }
                guard let number = Int(words[place]), number > 0 else {
                    throw problem(words[place], "is no count", expected: "1 or more", near: nil)
                }
                rule.times = number
                place += 1
            }
        }
    }

    private mutating func code() throws(InputProblem) -> UInt16 {
        guard place < words.count else { throw missing("a close code", []) }
        guard let code = UInt16(words[place]), (1000...1014).contains(code) || (3000...4999).contains(code),
            ![1004, 1005, 1006].contains(code)
        else {
            throw problem(
                words[place], "is no code a close frame can carry", expected: "such as 1001 or 1012", near: nil)
        }
        place += 1
        return code
    }

    private mutating func time() throws(InputProblem) -> Duration {
        guard place < words.count else { throw missing("how long", []) }
        let word = words[place]
        let unit = word.hasSuffix("ms") ? "ms" : "s"
        let digits = word.dropLast(unit.count)
        guard word.hasSuffix("s"), let number = Int(digits), digits.allSatisfy(\.isNumber),
            (1...3_600_000).contains(number)
        else { throw problem(word, "is no time", expected: "such as 500ms or 2s", near: nil) }
        place += 1
        return unit == "ms" ? .milliseconds(number) : .seconds(number)
    }

    private mutating func next(_ what: String, among known: [String]) throws(InputProblem) -> String {
        guard place < words.count else { throw missing(what, known) }
        let word = words[place]
        guard known.contains(word) else {
            throw problem(
                word, "is not \(what)", expected: known.joined(separator: ", "),
                near: nearestName(to: word, among: known))
        }
        place += 1
        return word
    }

    private func missing(_ what: String, _ known: [String]) -> InputProblem {
        InputProblem(
            place: "--fault '\(text)'", what: "\(what) is missing at the end",
            expected: known.isEmpty ? what : known.joined(separator: ", "),
            fix: "see 'conformance proxy --help' for the grammar")
    }

    private func problem(_ word: String, _ what: String, expected: String, near: String?) -> InputProblem {
        InputProblem(
            place: "--fault '\(text)'", what: "'\(word)' \(what)",
            expected: expected,
            fix: near.map { "did you mean '\($0)'?" } ?? "see 'conformance proxy --help' for the grammar")
    }
}
