import HoldfastJSON
import Testing

@testable import HoldfastReference

@Suite struct ReplayTests {
    private static func buffer(_ count: Int, maxFrames: Int = 1000, maxBytes: Int = 1 << 20) -> ReplayBuffer {
        var buffer = ReplayBuffer(maxFrames: maxFrames, maxAgeMs: 1000, maxBytes: maxBytes)
        for number in 0..<count {
            let seq = buffer.draw()
            buffer.keep(["seq": JSONValue(seq)], seq: seq, bytes: 10, at: number)
        }
        return buffer
    }

    private static func outcome(_ buffer: ReplayBuffer, after position: Int, at now: Int = 5000) -> String {
        var buffer = buffer
        switch buffer.read(after: position, at: now) {
        case .whole(let entries): return "whole \(entries.first?.seq ?? 0)…\(entries.last?.seq ?? 0) (\(entries.count))"
        case .evicted(let entries): return "evicted (\(entries.count))"
        case .unknown: return "unknown"
        }
    }

    @Test func `SYNC-7 exactly the limit is whole, one more is not`() {
        #expect(Self.outcome(Self.buffer(999), after: 0) == "whole 1…999 (999)")
        #expect(Self.outcome(Self.buffer(1000), after: 0) == "whole 1…1000 (1000)")
        #expect(Self.outcome(Self.buffer(1001), after: 0) == "evicted (1000)")
        #expect(Self.outcome(Self.buffer(1001), after: 1) == "whole 2…1001 (1000)")
    }

    @Test func `the position of an evicted frame is still a position`() {
        #expect(Self.outcome(Self.buffer(5000), after: 4000) == "whole 4001…5000 (1000)")
        #expect(Self.outcome(Self.buffer(5000), after: 3999) == "evicted (1000)")
    }

    @Test func `SYNC-6 only what lies behind the end is unknown`() {
        #expect(Self.outcome(Self.buffer(3), after: 3) == "whole 0…0 (0)")
        #expect(Self.outcome(Self.buffer(3), after: 4) == "unknown")
        #expect(Self.outcome(Self.buffer(0), after: 0) == "whole 0…0 (0)")
    }

    @Test func `a frame leaves at its age, not before`() {
        #expect(Self.outcome(Self.buffer(2), after: 0, at: 999_999) == "whole 1…2 (2)")
        #expect(Self.outcome(Self.buffer(2), after: 0, at: 1_000_000) == "evicted (1)")
        #expect(Self.outcome(Self.buffer(2), after: 2, at: 9_000_000) == "whole 0…0 (0)")
    }

    @Test func `SYNC-7 frames leave when their bytes are too many, not before`() {
        #expect(Self.outcome(Self.buffer(5, maxBytes: 50), after: 0) == "whole 1…5 (5)")
        #expect(Self.outcome(Self.buffer(5, maxBytes: 49), after: 0) == "evicted (4)")
        #expect(Self.outcome(Self.buffer(900, maxBytes: 50), after: 895) == "whole 896…900 (5)")
        #expect(Self.outcome(Self.buffer(2, maxBytes: 9), after: 0) == "evicted (0)")
    }

    @Test func `no place means nothing is replayed, and that is told`() {
        #expect(Self.outcome(Self.buffer(1, maxFrames: 0), after: 0) == "evicted (0)")
    }

    @Test func `SYNC-5 every start has an epoch of its own`() {
        let bench = Bench()
        let before = bench.frames("connected", on: bench.open())[0]
        bench.kill()
        let socket = bench.open()
        let after = bench.frames("connected", on: socket)[0]
        #expect(before.text("epoch") != after.text("epoch"))
        bench.say(["type": "sync", "lastSeqSeen": 0, "epoch": before["epoch"] ?? nil], on: socket)
        #expect(bench.frames("syncResult", on: socket)[0].text("reason") == "epoch_changed")
    }

    @Test func `SYNC-8 a frame comes in the replay or live, never both and never neither`() {
        let bench = Bench()
        let first = bench.open()
        bench.chat(script(["tool": "a"], ["wait": 20], ["tool": "b"], ["wait": 20], ["reply": "x"]), on: first)
        let second = bench.open()
        bench.pass(ms: 20)
        bench.say(["type": "sync", "lastSeqSeen": 0], on: second)
        bench.pass(ms: 20)
        let result = bench.frames("syncResult", on: second)[0]
        let missed = result["missed"]?.arrayValue?.compactMap(\.seq)
        #expect(missed == [1, 2, 3])
        #expect(result["lastSeq"]?.intValue == 3)
        let position = bench.frames[second]?.firstIndex(of: result) ?? 0
        #expect(bench.frames[second]?[(position + 1)...].compactMap(\.seq) == [4])
    }

    @Test func `ORDER-7 replayed frames are the frames as first sent`() {
        for variations in [[], Set(Variation.allCases).subtracting([.busyInsteadOfQueueing])] {
            var rules = Bench.rules
            rules.variations = variations
            let bench = Bench(rules)
            let socket = bench.open()
            bench.chat(script(["tool": "t", "input": ["a": 1]], ["reply": "x"]), key: "c1", on: socket)
            bench.pass(ms: 300)
            bench.say(["type": "sync", "lastSeqSeen": 0], on: socket)
            let live = (bench.frames[socket] ?? []).filter { $0.seq != nil }
            let missed = bench.frames("syncResult", on: socket)[0]["missed"]?.arrayValue ?? []
            #expect(Array(missed.suffix(live.count)) == live)
            #expect(live.last?.text("type") == "done")
        }
    }

    @Test func `pages stay below the bound, bring at least one frame, and end`() {
        let bench = Bench()
        let socket = bench.open()
        for _ in 0..<4 { bench.chat(script(["reply": .string(String(repeating: "y", count: 2500))]), on: socket) }
        var position = 0
        var seen: [Int] = []
        for _ in 0..<20 {
            bench.say(
                ["type": "sync", "lastSeqSeen": JSONValue(position), "epoch": .string(bench.core.epoch)], on: socket)
            guard let page = bench.frames("syncResult", on: socket).last else { break }
            #expect(page.text().utf8.count <= Bench.rules.maxSentBytes)
            seen += page["missed"]?.arrayValue?.compactMap(\.seq) ?? []
            position = seen.last ?? 0
            if page["complete"] == true { break }
            #expect(page["more"] == true)
            #expect(page.text("reason") == "too_many")
        }
        #expect(seen == Array(1...8))
    }
}
