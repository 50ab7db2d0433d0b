import Testing

@testable import Holdfast

@Suite struct RuleTests {
    /// What a rule says, without what every rule says.
    private func words(_ text: String) throws -> String {
        let rule = try Rule(text)
        #expect(rule.text == text)
        let words: [String?] = [
            rule.action.rawValue, rule.cut?.rawValue, rule.code.map { "\($0)" }, rule.status.map { "\($0)" },
            rule.milliseconds.map { "\($0) ms" }, rule.isAfter ? "after" : nil, rule.event.rawValue, rule.name,
            rule.index.map { "#\($0)" }, rule.side.map { "from \($0.rawValue)" }, rule.session.map { "in \($0)" },
            rule.times == 1 ? nil : rule.times.map { "\($0) times" } ?? "always",
        ]
        return words.compactMap { $0 }.joined(separator: " ")
    }

    @Test(arguments: [
        ("cut before done", "cut fin done from server"),
        ("cut after 3 frames", "cut fin after frame #3 from server"),
        ("silence after ack", "cut silence after ack from server"),
        ("delay 500ms done always", "delay 500 ms done from server always"),
        ("delay 2s request", "delay 2000 ms request"),
        ("drop toolUse#2", "drop toolUse #2 from server"),
        ("duplicate chat in s1", "duplicate chat from client in s1"),
        ("refuse upgrade 503 times 2", "refuse 503 upgrade 2 times"),
        ("refuse POST", "refuse 503 request POST"),
        ("reset after POST", "cut reset after request POST"),
        ("close 1012 before 'tool_use' from server", "close 1012 wire tool_use from server"),
    ])
    func `rules are read as they sound`(_ text: String, _ meaning: String) throws {
        #expect(try words(text) == meaning)
    }

    @Test(arguments: [
        ("", "an action is missing at the end", "see 'conformance proxy --help' for the grammar"),
        ("cutt before done", "'cutt' is not an action", "did you mean 'cut'?"),
        ("cut befor done", "'befor' is not where", "did you mean 'before'?"),
        ("cut before doen", "'doen' is not a message or request", "did you mean 'done'?"),
        ("cut before", "a target is missing at the end", "see 'conformance proxy --help' for the grammar"),
        ("drop done#0", "'done#0' has no number after '#'", "see 'conformance proxy --help' for the grammar"),
        (
            "drop GET", "'GET' is a request; only messages are dropped and duplicated", "did you mean 'cut before GET'?"
        ),
        ("delay 5 done", "'5' is not a duration", "see 'conformance proxy --help' for the grammar"),
        ("delay -5s done", "'-5s' is not a duration", "see 'conformance proxy --help' for the grammar"),
        ("refuse upgrade 200", "'200' is not an error status", "see 'conformance proxy --help' for the grammar"),
        (
            "close 1005 before done", "'1005' is not a valid close code",
            "see 'conformance proxy --help' for the grammar"
        ),
        ("drop done from srver", "'srver' is not client or server", "did you mean 'server'?"),
        ("drop done always times 2", "'times' is given twice", "see 'conformance proxy --help' for the grammar"),
        ("drop done tims 2", "'tims' is not an option", "did you mean 'times'?"),
        ("refuse GET in s1", "'in' does not apply to requests", "see 'conformance proxy --help' for the grammar"),
    ])
    func `a bad rule names the word, and the nearest one`(_ text: String, _ what: String, _ fix: String) {
        let problem = #expect(throws: InputProblem.self) { try Rule(text) }
        #expect(problem?.location == "--fault '\(text)'")
        #expect(problem?.what == what)
        #expect(problem?.fix == fix)
    }

    @Test func `a rule counts on each connection, fires as often as it says, and tells when it never did`() throws {
        var rules = Rules([try Rule("drop done#2 times 2"), try Rule("drop ack")])
        func rule(from sender: Role = .server, on connection: Int) -> Rule? {
            rules.rule(for: Rule.Arrival(message: nil, ["type": "done"], from: sender), on: connection)
        }
        #expect(rule(on: 1) == nil)
        #expect(rule(on: 2) == nil)
        #expect(rule(from: .client, on: 1) == nil, "who sends it matters")
        #expect(rule(on: 1)?.text == "drop done#2 times 2")
        #expect(rule(on: 1) == nil)
        #expect(rule(on: 2) != nil)
        rules.forget(2)
        #expect(rule(on: 2) == nil)
        #expect(rule(on: 2) == nil, "twice it has been followed")
        #expect(rules.unused.map(\.text) == ["drop ack"])
    }

    @Test func `a message from the wire is no request, whatever its type says`() throws {
        var rules = Rules([try Rule("refuse upgrade"), try Rule("cut before request"), try Rule("drop frame always")])
        for type in ["upgrade", "request"] {
            let arrival = Rule.Arrival(message: "upgrade", ["type": .string(type)], from: .server)
            #expect(rules.rule(for: arrival)?.text == "drop frame always")
        }
    }
}
