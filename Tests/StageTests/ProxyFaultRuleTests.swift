import Holdfast
import Testing
import Transport

@testable import Proxy

@Suite struct ProxyFaultRuleTests {
    private func rule(
        _ action: FaultRule.Action, _ target: FaultRule.Target, _ side: RelaySide? = nil, _ text: String,
        change: (inout FaultRule) -> Void = { _ in }
    ) -> FaultRule {
        var rule = FaultRule(text: text, action: action, target: target)
        rule.side = side
        change(&rule)
        return rule
    }

    @Test func `rules are read as they sound`() throws {
        #expect(try FaultRule("cut before done") == rule(.cut(.fin), .type("done"), .server, "cut before done"))
        #expect(
            try FaultRule("cut after 3 frames")
                == rule(.cut(.fin), .frame, .server, "cut after 3 frames") {
                    $0.isAfter = true
                    $0.nth = 3
                })
        #expect(
            try FaultRule("silence after ack")
                == rule(.cut(.silence), .type("ack"), .server, "silence after ack") { $0.isAfter = true })
        #expect(
            try FaultRule("delay 500ms done always")
                == rule(.delay(.milliseconds(500)), .type("done"), .server, "delay 500ms done always") {
                    $0.times = nil
                })
        #expect(
            try FaultRule("drop toolUse#2")
                == rule(.drop, .type("toolUse"), .server, "drop toolUse#2") { $0.nth = 2 })
        #expect(
            try FaultRule("duplicate chat in s1")
                == rule(.duplicate, .type("chat"), .client, "duplicate chat in s1") { $0.session = "s1" })
        #expect(
            try FaultRule("refuse upgrade 503 times 2")
                == rule(.refuse(503), .upgrade, nil, "refuse upgrade 503 times 2") { $0.times = 2 })
        #expect(try FaultRule("refuse POST") == rule(.refuse(503), .request("POST"), nil, "refuse POST"))
        #expect(
            try FaultRule("reset after POST")
                == rule(.cut(.reset), .request("POST"), nil, "reset after POST") { $0.isAfter = true })
        #expect(
            try FaultRule("close 1012 before 'tool_use' from server")
                == rule(.close(1012), .wire("tool_use"), .server, "close 1012 before 'tool_use' from server"))
    }

    @Test(arguments: [
        ("", "an action is missing at the end", "see 'conformance proxy --help' for the grammar"),
        ("cutt before done", "'cutt' is not an action", "did you mean 'cut'?"),
        ("cut befor done", "'befor' is not where", "did you mean 'before'?"),
        ("cut before doen", "'doen' names no message and no request", "did you mean 'done'?"),
        ("cut before", "what it is done to is missing at the end", "see 'conformance proxy --help' for the grammar"),
        ("drop done#0", "'done#0' has no number behind '#'", "see 'conformance proxy --help' for the grammar"),
        (
            "drop GET", "'GET' is a request; only messages are dropped and duplicated", "did you mean 'cut before GET'?"
        ),
        ("delay 5 done", "'5' is no time", "see 'conformance proxy --help' for the grammar"),
        ("delay -5s done", "'-5s' is no time", "see 'conformance proxy --help' for the grammar"),
        ("refuse upgrade 200", "'200' is no status that refuses", "see 'conformance proxy --help' for the grammar"),
        (
            "close 1005 before done", "'1005' is no code a close frame can carry",
            "see 'conformance proxy --help' for the grammar"
        ),
        ("drop done from srver", "'srver' is not who sends it", "did you mean 'server'?"),
        ("drop done always times 2", "'times' is said twice", "see 'conformance proxy --help' for the grammar"),
        ("drop done tims 2", "'tims' is not a further word", "did you mean 'times'?"),
        ("refuse GET in s1", "'in' means nothing to requests", "see 'conformance proxy --help' for the grammar"),
    ])
    func `a bad rule names the word, and the nearest one`(_ text: String, _ what: String, _ fix: String) {
        let problem = #expect(throws: InputProblem.self) { try FaultRule(text) }
        #expect(problem?.place == "--fault '\(text)'")
        #expect(problem?.what == what)
        #expect(problem?.fix == fix)
    }

    @Test func `a rule counts on each connection, fires as often as it says, and tells when it never did`() throws {
        var rules = FaultRules([try FaultRule("drop done#2 times 2"), try FaultRule("drop ack")])
        let done = FaultRules.Message(types: ["done"])
        #expect(rules.rule(for: done, from: .server, on: 1) == nil)
        #expect(rules.rule(for: done, from: .server, on: 2) == nil)
        #expect(rules.rule(for: done, from: .client, on: 1) == nil, "who sends it matters")
        #expect(rules.rule(for: done, from: .server, on: 1)?.text == "drop done#2 times 2")
        #expect(rules.rule(for: done, from: .server, on: 1) == nil)
        #expect(rules.rule(for: done, from: .server, on: 2) != nil)
        rules.forget(2)
        #expect(rules.rule(for: done, from: .server, on: 2) == nil)
        #expect(rules.rule(for: done, from: .server, on: 2) == nil, "twice it has been followed")
        #expect(rules.unused.map(\.text) == ["drop ack"])
    }
}
