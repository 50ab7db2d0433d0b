import Holdfast
import HoldfastJSON
import Testing

@testable import HoldfastReference

/// What a server does because it is told to.
@Suite struct OrderTests {
    private static func rule(_ action: Rule.Action, times: Int? = nil, ms: Int? = nil, reason: String? = nil) -> Rule {
        var rule = Rule(.question, action, times: times)
        rule.milliseconds = ms
        rule.reason = reason
        return rule
    }

    @Test func `the next turns fail, after their tools, and then no more`() throws {
        let bench = Bench()
        let socket = bench.open()
        try bench.order(.rule(Self.rule(.fail, times: 1, reason: "told so")))
        let first = bench.chat(script(["tool": "web"], ["reply": "x"]), key: "c1", on: socket)
        #expect(first.map { $0.text("type") } == ["ack", "message", "toolUse", "error"])
        #expect(first.last?.code == "agent_failed")
        #expect(bench.chat("again", key: "c2", on: socket).last?.text("type") == "done")
    }

    @Test func `the next questions are refused for their rate and leave no trace`() throws {
        let bench = Bench()
        let socket = bench.open()
        try bench.order(.rule(Self.rule(.refuse, times: 1, ms: 1500)))
        let refused = bench.chat("a", key: "c1", on: socket)
        #expect(refused.map(\.code) == ["rate_limited"])
        #expect(refused.first?["retryAfterMs"]?.intValue == 1500)
        #expect(bench.records.isEmpty)
        #expect(bench.chat("a", key: "c1", on: socket).last?.text("type") == "done")
        try bench.order(.rule(Self.rule(.refuse, times: 5, ms: 1)))
        try bench.order(.heal)
        #expect(bench.chat("b", key: "c2", on: socket).last?.text("type") == "done")
    }

    @Test func `every turn takes longer`() throws {
        let bench = Bench()
        let socket = bench.open()
        try bench.order(.rule(Self.rule(.delay, ms: 3000)))
        bench.chat("a", on: socket)
        bench.pass(ms: 2900)
        #expect(bench.frames("done", on: socket).isEmpty)
        bench.pass(ms: 200)
        #expect(bench.frames("done", on: socket).count == 1)
    }

    @Test func `what the agent says of its own accord is stored, numbered, and told to everybody`() throws {
        let bench = Bench()
        let sockets = [bench.open(), bench.open()]
        let session = bench.chat("a", on: sockets[0]).first?.text("sessionId") ?? ""
        let told = try bench.order(.say("news", ServerPlace()))
        #expect(told.text("sessionId") == session)
        for socket in sockets {
            let said = bench.frames("message", on: socket).last
            #expect(said?.text("role") == "assistant" && said?.text("text") == "news")
            #expect(said?.text("messageId") == told.text("messageId"))
            #expect(said?.seq == 3 && said?["turnId"] != nil && said?["clientMessageId"] == nil)
        }
        bench.kill()
        #expect(bench.messages(session).map { $0.text("content") } == ["a", "You said: a", "news"])
        let turn = bench.frames("message", on: sockets[0]).last?.text("turnId")
        #expect(bench.messages(session).last?.text("turnId") == turn)

        let new = try bench.order(.say("hello", ServerPlace(principal: "p2", isNew: true))).text("sessionId") ?? ""
        #expect(bench.messages(new, token: "t2").map { $0.text("role") } == ["assistant"])
        #expect(bench.messages(new).isEmpty)
    }

    @Test func `another device asks, and everybody hears the turn`() throws {
        let bench = Bench()
        let socket = bench.open()
        let session = bench.chat("a", on: socket).first?.text("sessionId") ?? ""
        let told = try bench.order(.ask("b", ServerPlace(session: session)))
        #expect(bench.frames("message", on: socket).last?.text("text") == "b")
        #expect(bench.frames("done", on: socket).last?.text("turnId") == told.text("turnId"))
        #expect(bench.messages(session).count == 4)
    }

    @Test func `a push is told with its payload, and goes to the devices there are`() throws {
        var rules = Bench.rules
        rules.devices = ["p1": ["ab12"]]
        let bench = Bench(rules)
        #expect(throws: InputProblem.self) { try bench.order(.push(nil, ServerPlace())) }
        let told = try bench.order(.push("ready", ServerPlace()))
        #expect(told["payload"]?["aps"]?["alert"]?.text("body") == "ready")
        #expect(told["devices"]?.intValue == 1)
        #expect(bench.pushes.count == 1)
        #expect(try JSONParser.value(bench.pushes[0].payload) == told["payload"])
        let again = try bench.order(.push(nil, ServerPlace()))
        #expect(again["payload"]?.text("messageId") == told["payload"]?.text("messageId"))
        #expect(bench.pushes.count == 2)
    }

    @Test func `who or what is not there is named`() throws {
        let bench = Bench()
        for (place, member) in [
            (ServerPlace(principal: "p9"), "principal"), (ServerPlace(session: "none"), "sessionId"),
            (ServerPlace(principal: "p2", session: "none"), "sessionId"),
        ] {
            do {
                _ = try bench.order(.say("x", place))
                Issue.record("it was said")
            } catch let problem as InputProblem {
                #expect(problem.location == member)
            }
        }
        #expect(bench.records.isEmpty)
    }

    @Test func `SYNC-5 a restart that keeps the epoch keeps numbers and frames, another one keeps neither`() throws {
        let bench = Bench()
        let socket = bench.open()
        bench.chat("a", on: socket)
        let epoch = bench.frames("connected", on: socket)[0].text("epoch") ?? ""
        bench.restart(keepingEpoch: true)
        let second = bench.open()
        #expect(bench.frames("connected", on: second)[0].text("epoch") == epoch)
        bench.say(["type": "sync", "lastSeqSeen": 1, "epoch": .string(epoch)], on: second)
        let result = bench.frames("syncResult", on: second)[0]
        #expect(result["complete"] == true)
        #expect(result["missed"]?.arrayValue?.map(\.seq) == [2])

        bench.restart(keepingEpoch: false)
        let third = bench.open()
        #expect(bench.frames("connected", on: third)[0].text("epoch") != epoch)
        #expect(bench.frames("connected", on: third)[0]["lastSeq"] == 0)
    }

    @Test func `the state tells sessions, running turns and orders`() throws {
        let bench = Bench()
        let socket = bench.open()
        try bench.order(.rule(Self.rule(.fail, times: 2, reason: "x")))
        bench.chat(script(["wait": 100], ["reply": "x"]), key: "c1", on: socket)
        let state = bench.core.state
        #expect(state["turns"]?[0]?.text("state") == "running")
        #expect(state["turns"]?[0]?.text("clientMessageId") == "c1")
        #expect(state["sessions"]?[0]?["messages"] == 1)
        #expect(state["orders"]?["failNext"] == 1)
    }
}
