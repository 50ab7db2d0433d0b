import Holdfast
import HoldfastBasics
import Testing

@testable import HoldfastStage

@Suite struct LoadScheduleTests {
    private func plan(_ change: (inout LoadMix) -> Void = { _ in }, devices: Int = 50, seed: UInt64 = 7) -> LoadPlan {
        var mix = LoadMix(name: "test")
        mix.pause = 1000...2000
        mix.leaves = 300
        mix.reads = 200
        change(&mix)
        return LoadPlan(devices: devices, duration: 60_000, ramp: 10_000, seed: seed, mix: mix)
    }

    @Test func `the same seed gives the same schedule, another one another`() {
        #expect(LoadSchedule(of: 3, in: plan()) == LoadSchedule(of: 3, in: plan()))
        #expect(LoadSchedule(of: 3, in: plan()) != LoadSchedule(of: 4, in: plan()))
        #expect(LoadSchedule(of: 3, in: plan()) != LoadSchedule(of: 3, in: plan(seed: 8)))
    }

    @Test func `acts rise in time, begin with a connection on the ramp and end with the run`() {
        for device in 0..<50 {
            let acts = LoadSchedule(of: device, in: plan()).acts
            #expect(acts.first == .init(at: 10_000 * device / 49, action: .connect))
            #expect(acts.map(\.at) == acts.map(\.at).sorted())
            #expect(acts.allSatisfy { $0.at < 60_000 })
        }
    }

    @Test func `whoever leaves comes back within the time away`() {
        let acts = LoadSchedule(of: 1, in: plan { $0.leaves = 1000 }).acts
        for (index, act) in acts.enumerated() {
            guard case .leave = act.action else { continue }
            let back = acts[index...].first { $0.action == .connect }
            if let back { #expect((1000...4000).contains(back.at - act.at)) }
        }
        #expect(acts.contains { if case .leave = $0.action { true } else { false } })
    }

    @Test func `shares are kept over many questions`() {
        let acts = (0..<50).flatMap { LoadSchedule(of: $0, in: plan { $0.rest = 250 }).acts }
        let asks = acts.compactMap { act -> Bool? in if case .ask(let rest, _) = act.action { rest } else { nil } }
        #expect(asks.count > 1000)
        #expect((0.2...0.3).contains(Double(asks.count { $0 }) / Double(asks.count)))
        let reads = acts.count { $0.action == .read }
        #expect((0.15...0.25).contains(Double(reads) / Double(asks.count)))
    }

    @Test func `what a mix leaves out does not happen`() {
        let acts = LoadSchedule(of: 1, in: plan { ($0.leaves, $0.reads) = (0, 0) }).acts
        #expect(acts.dropFirst().allSatisfy { $0.action == .ask(overREST: false, inNewSession: false) })
    }

    @Test(arguments: [0, 100, 1000])
    func `each device belongs to one principal`(share: Int) {
        let people = plan { $0.secondDevices = share }.people()
        #expect(people.flatMap(\.self) == Array(0..<50))
        #expect(people.allSatisfy { (1...2).contains($0.count) })
        #expect(share == 0 ? people.count == 50 : share == 1000 ? people.count == 25 : people.count < 50)
    }

    @Test func `with few principals, devices share them`() throws {
        let people = plan().people(atMost: 3)
        #expect(people.count == 3)
        #expect(people.flatMap(\.self).sorted() == Array(0..<50))
        let sizes = people.map(\.count).sorted()
        #expect(try #require(sizes.last) - #require(sizes.first) <= 1)
    }
}
