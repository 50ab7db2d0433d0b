import Holdfast
import HoldfastJSON
import Testing

@testable import HoldfastReference

@Suite struct TurnTests {
    @Test func `TURN-1 the ack comes first, then the turn, then one ending`() {
        let bench = Bench()
        let socket = bench.open()
        let types = bench.chat(script(["tool": "a"], ["tool": "b"], ["reply": "x"]), on: socket).map { $0.text("type") }
        #expect(types == ["ack", "message", "toolUse", "toolUse", "done"])
    }

    @Test func `TURN-2 no byte of the ack leaves before the question is on disk`() {
        let bench = Bench()
        let socket = bench.open()
        bench.storageWaits = true
        #expect(bench.chat("hello", key: "c1", on: socket).isEmpty)
        #expect(bench.list().isEmpty)
        bench.releaseStorage()
        let ack = bench.frames("ack", on: socket)
        #expect(ack.count == 1)
        #expect(bench.messages(ack[0].text("sessionId") ?? "").count == 2)
    }

    @Test func `PERSIST-1 no byte of done leaves before the answer is on disk`() {
        let bench = Bench()
        let socket = bench.open()
        bench.chat(script(["wait": 10], ["reply": "x"]), on: socket)
        bench.storageWaits = true
        bench.pass(ms: 10)
        #expect(bench.frames("done", on: socket).isEmpty)
        let session = bench.frames("ack", on: socket)[0].text("sessionId") ?? ""
        #expect(bench.messages(session).count == 1)
        bench.releaseStorage()
        #expect(bench.frames("done", on: socket).count == 1)
        #expect(bench.messages(session).count == 2)
    }

    @Test func `PERSIST-3 an answer that cannot be stored ends its turn with persist_failed`() {
        let bench = Bench()
        let socket = bench.open()
        bench.chat(script(["wait": 10], ["reply": "x"]), on: socket)
        bench.storageFails = true
        bench.pass(ms: 10)
        #expect(bench.frames("error", on: socket).map(\.code) == ["persist_failed"])
        bench.storageFails = false
        #expect(bench.chat("next", on: socket).last?.text("type") == "done")
    }

    @Test func `a question that cannot be stored leaves no trace, and its key is free`() {
        let bench = Bench()
        let socket = bench.open()
        bench.storageFails = true
        #expect(bench.chat("hello", key: "c1", on: socket).map(\.code) == ["persist_failed"])
        #expect(bench.list().isEmpty)
        bench.storageFails = false
        let frames = bench.chat("hello", key: "c1", on: socket)
        #expect(frames.first?["duplicate"] == nil)
        #expect(frames.last?.text("type") == "done")
    }

    @Test func `ORDER-1 questions stand in the order of acceptance, their turns run one at a time`() {
        let bench = Bench()
        let socket = bench.open()
        let session = bench.chat("start", on: socket).last?.text("sessionId") ?? ""
        for number in 1...5 {
            bench.chat(
                script(["wait": .init(60 - number * 10)], ["reply": .string("a\(number)")]), session: session,
                on: socket)
        }
        bench.pass(ms: 1000)
        #expect(
            bench.frames("done", on: socket).compactMap { $0.text("text") }.dropFirst() == [
                "a1", "a2", "a3", "a4", "a5",
            ])
        let roles = bench.messages(session).compactMap { $0.text("role") }
        #expect(
            roles == ["user", "assistant"] + [String](repeating: "user", count: 5)
                + [String](repeating: "assistant", count: 5))
    }

    @Test func `ORDER-5 a slow session holds up no other`() {
        let bench = Bench()
        let socket = bench.open()
        bench.chat(script(["wait": 5000], ["reply": "slow"]), on: socket)
        #expect(bench.chat("fast", on: socket).last?.text("type") == "done")
    }

    @Test func `ORDER-3 seq rises by one from 1 over all sessions`() {
        let bench = Bench()
        let socket = bench.open()
        bench.chat("a", on: socket)
        bench.chat(script(["tool": "t"], ["fail": "no"]), on: socket)
        #expect((bench.frames[socket] ?? []).compactMap(\.seq) == [1, 2, 3, 4, 5])
    }

    @Test func `TURN-5 the next turn runs after a failure`() {
        let bench = Bench()
        let socket = bench.open()
        let failed = bench.chat(script(["fail": "no"]), on: socket).last
        #expect(failed?.code == "agent_failed")
        let next = bench.chat("again", session: failed?.text("sessionId"), on: socket)
        #expect(next.last?.text("type") == "done")
    }

    @Test func `TURN-6 the end of the connection ends no turn`() {
        let bench = Bench()
        let socket = bench.open()
        let session = bench.chat(script(["wait": 50], ["reply": "late"]), on: socket).first?.text("sessionId") ?? ""
        bench.end(socket)
        bench.pass(ms: 50)
        #expect(bench.messages(session).last?.text("content") == "late")
        bench.post(script(["wait": 50], ["reply": "left"]), session: session)
        bench.leave()
        bench.pass(ms: 50)
        #expect(bench.messages(session).last?.text("content") == "left")
    }

    @Test func `TURN-8 a turn that a kill interrupted is failed after the start`() {
        let bench = Bench()
        let socket = bench.open()
        let session = bench.chat(script(["wait": 5000], ["reply": "x"]), on: socket).first?.text("sessionId") ?? ""
        #expect(bench.read(session)?["session"]?["turns"]?[0]?.text("status") == "running")
        bench.kill()
        #expect(bench.read(session)?["session"]?["turns"]?[0]?.text("status") == "failed")
        #expect(bench.messages(session).count == 1)
        // Closed once: another start finds nothing to close.
        let records = bench.records.count
        bench.kill()
        #expect(bench.records.count == records)
    }

    @Test func `TURN-9 a stop ends running and waiting turns as interrupted`() {
        let bench = Bench()
        let socket = bench.open()
        let session = bench.chat("start", on: socket).last?.text("sessionId") ?? ""
        bench.chat(script(["wait": 5000], ["reply": "x"]), session: session, on: socket)
        bench.chat("waiting", session: session, on: socket)
        bench.feed(.stopping)
        #expect(bench.frames("error", on: socket).map(\.code) == ["interrupted", "interrupted"])
        #expect(bench.core.isIdle)
        #expect(bench.chat("too late", on: socket).map(\.code) == ["persist_failed"], "only a turn is interrupted")
    }

    @Test func `TURN-10 every open connection of the principal gets every frame, and no other one`() {
        let bench = Bench()
        let first = bench.open()
        let second = bench.open()
        let stranger = bench.open(as: "t2")
        bench.post(script(["tool": "t"], ["reply": "x"]))
        #expect(bench.frames[first]?.dropFirst().map(\.seq) == [1, 2, 3])
        #expect(bench.frames[first]?.dropFirst() == bench.frames[second]?.dropFirst())
        #expect(bench.frames[stranger]?.count == 1)
    }

    @Test func `the agent obeys scripts and answers everything else`() {
        func steps(for question: String) -> [Agent.Step] {
            var none = Replies()
            return Agent.steps(for: question, among: &none)
        }
        #expect(
            steps(for: script(["tool": "t", "input": [1]], ["wait": 3], ["reply": "x"], ["tool": "never"]))
                == [.tool("t", input: [1]), .wait(3), .reply("x")])
        #expect(steps(for: "{\"script\":[") == [.reply("You said: {\"script\":[")])
        #expect(steps(for: "").count == 1)
        #expect(steps(for: script(["dance": 1])).count == 1)
        #expect(steps(for: script(["tool": "t"])).last != .tool("t", input: nil))
        let long = String(repeating: "👩‍👩‍👧‍👦", count: 500)
        #expect(steps(for: long) == [.reply("You said: " + long.prefix(400) + "…")])
    }

    @Test func `a queue starts turns in their order and skips those that left`() {
        var queue = TurnQueue()
        let starts = [("a", "s"), ("b", "s"), ("c", "s"), ("d", "other")].map { queue.enter($0, session: $1) }
        #expect(starts == [true, false, false, true])
        let next = [("b", "s"), ("a", "s"), ("c", "s"), ("unknown", "other")].map { queue.leave($0, session: $1) }
        #expect(next == [nil, "c", nil, nil])
        #expect(!queue.isBusy("s"))
        #expect(queue.isBusy("other"))
    }
}
