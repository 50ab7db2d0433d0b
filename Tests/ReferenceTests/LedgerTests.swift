import HoldfastJSON
import Testing

@testable import HoldfastReference

@Suite struct LedgerTests {
    @Test func `IDEM-1 a repeat on either road finds the one turn`() {
        let bench = Bench()
        let socket = bench.open()
        let first = bench.chat("hello", key: "c1", on: socket)
        let again = bench.chat("hello", key: "c1", on: socket)
        #expect(again.map { $0.text("type") } == ["ack", "done"])
        #expect(again.allSatisfy { $0["duplicate"] == true && $0.seq == nil })
        #expect(again.last?.text("messageId") == first.last?.text("messageId"))
        let posted = bench.post("hello", key: "c1")
        #expect(posted?.status == 200)
        #expect(posted?.body.contains(first.last?.text("turnId") ?? "-") == true)
        #expect(posted?.body.contains("\"duplicate\":true") == true)
        #expect(bench.messages(first[0].text("sessionId") ?? "").count == 2)
    }

    @Test func `a repeat that overtakes the disk waits for the outcome`() {
        let bench = Bench()
        let first = bench.open()
        let second = bench.open()
        bench.storageWaits = true
        bench.chat("hello", key: "c1", on: first)
        bench.chat("hello", key: "c1", on: second)
        #expect(bench.post("hello", key: "c1") == nil)
        #expect(bench.frames("ack", on: second).isEmpty)
        bench.releaseStorage()
        #expect(bench.frames("ack", on: first).map { $0["duplicate"] } == [nil])
        #expect(bench.frames("ack", on: second).map { $0["duplicate"] } == [true])
        #expect(bench.frames("done", on: second).count == 1)
        #expect(bench.answers.values.filter { $0.status == 200 }.count == 1)
    }

    @Test func `a repeat that overtakes a failing disk is refused like the first`() {
        let bench = Bench()
        let first = bench.open()
        bench.storageWaits = true
        bench.chat("hello", key: "c1", on: first)
        bench.chat("hello", key: "c1", on: first)
        bench.storageFails = true
        bench.releaseStorage()
        #expect(bench.frames("error", on: first).map(\.code) == ["persist_failed", "persist_failed"])
    }

    @Test func `IDEM-3 a repeat of a running turn gets the ack and the one done`() {
        let bench = Bench()
        let socket = bench.open()
        let question = script(["wait": 10], ["reply": "x"])
        bench.chat(question, key: "c1", on: socket)
        #expect(bench.chat(question, key: "c1", on: socket).map { $0["duplicate"] } == [true])
        bench.pass(ms: 10)
        #expect(bench.frames("done", on: socket).map { $0["duplicate"] } == [nil])
    }

    @Test func `IDEM-2 a repeat of a failed turn gets its error again`() {
        let bench = Bench()
        let socket = bench.open()
        bench.chat(script(["fail": "no"]), key: "c1", on: socket)
        let again = bench.chat(script(["fail": "no"]), key: "c1", on: socket)
        #expect(again.map { $0.text("type") } == ["ack", "error"])
        #expect(again.last?.code == "agent_failed")
        #expect(bench.post(script(["fail": "no"]), key: "c1")?.status == 502)
    }

    @Test func `IDEM-5 another question under the same key is a mismatch and leaves no trace`() {
        let bench = Bench()
        let socket = bench.open()
        let session = bench.chat("hello", key: "c1", on: socket)[0].text("sessionId")
        let other = bench.chat("start", on: socket)[0].text("sessionId")
        #expect(bench.chat("bye", key: "c1", on: socket).map(\.code) == ["idempotency_mismatch"])
        #expect(bench.chat("hello", key: "c1", session: other, on: socket).map(\.code) == ["idempotency_mismatch"])
        #expect(bench.post("bye", key: "c1")?.status == 422)
        #expect(bench.chat("hello", key: "c1", session: session, on: socket).first?["duplicate"] == true)
        #expect(bench.list().count == 2)
    }

    @Test func `IDEM-1 keys survive a kill`() {
        let bench = Bench()
        let turn = bench.chat("hello", key: "c1", on: bench.open())[0].text("turnId")
        bench.kill()
        let again = bench.chat("hello", key: "c1", on: bench.open())
        #expect(again.map { $0.text("turnId") } == [turn, turn])
    }

    @Test func `IDEM-7 a refused key is unused`() {
        let bench = Bench()
        let socket = bench.open()
        bench.chat("hello", key: "c1", session: "unknown", on: socket)
        #expect(bench.chat("hello", key: "c1", on: socket).first?["duplicate"] == nil)
    }

    @Test func `keys that look alike are two keys`() {
        let bench = Bench()
        let socket = bench.open()
        bench.chat("hello", key: "é", on: socket)
        #expect(bench.chat("hello", key: "e\u{301}", on: socket).first?["duplicate"] == nil)
    }
}
