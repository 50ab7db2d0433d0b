import HoldfastJSON
import Testing

@testable import HoldfastReference

@Suite struct RateTests {
    @Test func `the window slides: a place is free exactly sixty seconds after it was taken`() {
        var window = RateWindow(budget: 2)
        let waits = [0, 30_000_000, 59_999_999, 60_000_000, 60_000_001].map { window.take(at: $0) }
        #expect(waits == [nil, nil, 1, nil, 30_000])
    }

    @Test func `a place that was given back can be taken again`() {
        var window = RateWindow(budget: 1)
        let first = window.take(at: 5)
        window.giveBack(5)
        let waits = [6, 7].map { window.take(at: $0) }
        #expect(first == nil)
        #expect(waits[0] == nil)
        #expect(waits[1] != nil)
    }

    private static func spent() -> (Bench, Int) {
        var rules = Bench.rules
        rules.messagesPerMinute = 2
        let bench = Bench(rules)
        let socket = bench.open()
        bench.chat("a", key: "c1", on: socket)
        bench.chat("b", key: "c2", on: socket)
        return (bench, socket)
    }

    @Test func `RATE-3 the budget belongs to the principal, whatever the road`() {
        let (bench, socket) = Self.spent()
        let refused = bench.chat("c", key: "c3", on: socket)
        #expect(refused.map(\.code) == ["rate_limited"])
        #expect(refused[0].text("clientMessageId") == "c3")
        #expect(refused[0]["limit"] == 2)
        #expect(bench.chat("c", key: "c4", on: bench.open()).map(\.code) == ["rate_limited"])
        let posted = bench.post("c", key: "c5")
        #expect(posted?.status == 429)
        #expect(posted?.headers["Retry-After"] == "60")
        #expect(bench.list().count == 2)
        #expect(bench.chat("mine", on: bench.open(as: "t2")).last?.text("type") == "done")
    }

    @Test func `RATE-5 the refused question is taken after the stated wait`() {
        let (bench, socket) = Self.spent()
        let wait = bench.chat("c", key: "c3", on: socket)[0]["retryAfterMs"]?.intValue ?? 0
        bench.pass(ms: wait)
        #expect(bench.chat("c", key: "c3", on: socket).last?.text("type") == "done")
    }

    @Test func `RATE-6 repeats and refusals cost nothing`() {
        var rules = Bench.rules
        rules.messagesPerMinute = 2
        let bench = Bench(rules)
        let socket = bench.open()
        bench.chat("a", key: "c1", on: socket)
        for _ in 0..<5 { bench.chat("a", key: "c1", on: socket) }
        for _ in 0..<5 { bench.chat("lost", session: "unknown", on: socket) }
        bench.storageFails = true
        for _ in 0..<5 { bench.chat("unkept", key: "c2", on: socket) }
        bench.storageFails = false
        #expect(bench.chat("b", key: "c2", on: socket).last?.text("type") == "done")
        #expect(bench.chat("c", on: socket).map(\.code) == ["rate_limited"])
    }
}
