import HoldfastJSON
import Testing

@testable import HoldfastReference

@Suite struct PushTests {
    /// A bench with one device, on which people ask and leave.
    private static func bench(_ outcomes: [PushOutcome?] = []) -> Bench {
        var rules = Bench.rules
        rules.devices = ["p1": ["d1"]]
        let bench = Bench(rules)
        bench.pushOutcomes = outcomes
        return bench
    }

    /// Asks, leaves, and lets the answer come; the session.
    @discardableResult
    private static func leave(_ bench: Bench, _ answer: String, session: String? = nil) -> String {
        let socket = bench.open()
        let frames = bench.chat(script(["wait": 10], ["reply": .string(answer)]), session: session, on: socket)
        bench.end(socket)
        bench.pass(ms: 10)
        return frames.first?.text("sessionId") ?? ""
    }

    @Test(arguments: [PushOutcome.answered(status: 429, reason: nil), .answered(status: 503, reason: nil), .lost])
    func `PUSH-4 what fails for now is tried again as the same push, and not for ever`(_ outcome: PushOutcome) {
        let bench = Self.bench([outcome, outcome, outcome])
        Self.leave(bench, "first")
        #expect(bench.pushes.count == 1)
        bench.pass(ms: 300)
        #expect(bench.pushes.count == 2)
        bench.pass(ms: 10_000)
        #expect(bench.pushes.count == PushOutbox.maxAttempts)
        #expect(bench.pushes.allSatisfy { $0 == bench.pushes[0] })
        #expect(bench.pushes[0].headers["apns-id"]?.count == 36)
        Self.leave(bench, "second")
        #expect(bench.pushes.count == PushOutbox.maxAttempts + 1)
    }

    @Test(arguments: [
        PushOutcome.answered(status: 400, reason: "BadTopic"), .answered(status: 400, reason: nil),
        .answered(status: 403, reason: "ExpiredProviderToken"), .answered(status: 413, reason: nil), .late,
    ])
    func `PUSH-5 other refusals end one notice and no device`(_ outcome: PushOutcome) {
        let bench = Self.bench([outcome])
        Self.leave(bench, "first")
        bench.pass(ms: 10_000)
        #expect(bench.pushes.count == 1)
        Self.leave(bench, "second")
        #expect(bench.pushes.count == 2)
    }

    @Test(arguments: [
        PushOutcome.answered(status: 410, reason: nil), .answered(status: 400, reason: "BadDeviceToken"),
        .answered(status: 400, reason: "DeviceTokenNotForTopic"),
    ])
    func `PUSH-6 a device that is gone is left alone`(_ outcome: PushOutcome) {
        let bench = Self.bench([outcome])
        Self.leave(bench, "first")
        Self.leave(bench, "second")
        bench.pass(ms: 10_000)
        #expect(bench.pushes.count == 1)
    }

    @Test func `PUSH-7 a push service that hangs holds up no turn, and its line is bounded`() {
        let bench = Self.bench([nil])
        let session = Self.leave(bench, "first")
        let socket = bench.open()
        #expect(bench.chat("next", session: session, on: socket).last?.text("type") == "done")
        bench.end(socket)
        for number in 0..<(PushOutbox.maxWaiting + 20) { Self.leave(bench, "answer \(number)", session: session) }
        #expect(bench.pushes.count == 1)
        bench.feed(.pushed(turn: bench.pushes[0].turn, device: "d1", .late))
        #expect(bench.pushes.count == PushOutbox.maxWaiting)
        #expect(bench.core.hasNoPendingPushes)
    }

    @Test func `PERSIST-1 what was not stored is not announced`() {
        let bench = Self.bench()
        let socket = bench.open()
        bench.chat(script(["wait": 10], ["reply": "lost"]), on: socket)
        bench.end(socket)
        bench.storageFails = true
        bench.pass(ms: 10)
        #expect(bench.pushes.isEmpty)
    }

    @Test func `a request to the push service has a name that nothing else has`() {
        var ids = IDSource(seed: 7)
        let names = (0..<100).map { _ in ids.uuid() }
        #expect(Set(names).count == 100)
        #expect(names.allSatisfy { $0.split(separator: "-").map(\.count) == [8, 4, 4, 4, 12] })
    }

    @Test func `PUSH-1 what went into a dead connection is told of, once`() {
        let bench = Self.bench()
        let socket = bench.open()
        bench.chat("seen by nobody", on: socket)
        #expect(bench.pushes.isEmpty)
        bench.end(socket)
        #expect(bench.pushes.count == 1)
        let back = bench.open()
        bench.pass(ms: 10)
        bench.end(back)
        #expect(bench.pushes.count == 1)
    }

    @Test func `PUSH-1 a sign of life on any connection is enough`() {
        let bench = Self.bench()
        let first = bench.open()
        let second = bench.open()
        bench.chat("seen on the second", on: first)
        bench.pass(ms: 10)
        bench.end(first)
        #expect(bench.pushes.isEmpty)
        bench.say(["type": "ping"], on: second)
        bench.end(second)
        #expect(bench.pushes.isEmpty)
        let third = bench.open()
        bench.chat("left behind", on: third)
        bench.pass(ms: 10)
        let fourth = bench.open()
        bench.end(third)
        bench.end(fourth)
        #expect(bench.pushes.isEmpty)
    }
}
