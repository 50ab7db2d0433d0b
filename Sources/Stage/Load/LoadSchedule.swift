import Holdfast
import HoldfastBasics

/// The schedule of one device, drawn in advance; the server's behavior never changes it.
package struct LoadSchedule: Sendable, Equatable {
    enum Departure: Sendable, Equatable, CaseIterable {
        case closing, ending, resetting
    }

    enum Action: Sendable, Equatable {
        case connect
        case ask(overREST: Bool, inNewSession: Bool)
        /// Sends the last question again.
        case `repeat`
        case read
        case leave(Departure)
    }

    struct Act: Sendable, Equatable {
        /// In milliseconds since the run began.
        let at: Int
        let action: Action
    }

    let acts: [Act]

    /// The same seed gives the same schedule on every machine.
    package init(of device: Int, in plan: LoadPlan) {
        let mix = plan.mix
        // Neighboring seeds give related numbers, so the seed of each device is drawn.
        var seeds = SplitMix64(seed: plan.seed ^ UInt64(device) << 32)
        var chance = SplitMix64(seed: seeds.next())
        func happens(_ share: Int) -> Bool { chance.number(in: 0...999) < share }
        var now = plan.devices > 1 ? plan.ramp * device / (plan.devices - 1) : 0
        var acts = [Act(at: now, action: .connect)]
        // Devices that connect together should not ask together, and in a short run each should ask.
        now += chance.number(in: 20...max(20, min(mix.pause.upperBound, plan.duration / 4)))
        while now < plan.duration {
            acts.append(
                Act(at: now, action: .ask(overREST: happens(mix.rest), inNewSession: happens(mix.newSession))))
            // The approximate time in which a scripted agent answers.
            let answered = mix.tools * mix.toolMs + 100
            var end = now
            if happens(mix.repeats) {
                acts.append(Act(at: now + chance.number(in: 1...2 * answered), action: .repeat))
            }
            if happens(mix.leaves) {
                let departure = Departure.allCases[chance.number(in: 0...2)]
                let left = now + chance.number(in: 1...answered)
                end = left + chance.number(in: mix.away)
                acts += [Act(at: left, action: .leave(departure)), Act(at: end, action: .connect)]
            }
            if happens(mix.reads) { acts.append(Act(at: end + chance.number(in: 1...2 * answered), action: .read)) }
            now = end + chance.number(in: mix.pause)
        }
        let ordered = acts.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
        self.acts = ordered.map(\.element).filter { $0.at < plan.duration }
    }
}

package struct LoadPlan: Sendable, Equatable {
    package var devices: Int
    /// The duration of their acts, and the time until all have connected, in milliseconds.
    package var duration: Int
    package var ramp: Int
    package var seed: UInt64
    package var mix: LoadMix

    package init(devices: Int, duration: Int, ramp: Int, seed: UInt64, mix: LoadMix) {
        (self.devices, self.duration, self.ramp, self.seed, self.mix) = (devices, duration, ramp, seed, mix)
    }

    /// The devices of each principal, for at most this many principals.
    package func people(atMost most: Int = .max) -> [[Int]] {
        var chance = SplitMix64(seed: ~seed)
        var people: [[Int]] = []
        var next = 0
        while next < devices {
            let hasSecond = next + 1 < devices && chance.number(in: 0...999) < mix.secondDevices
            let own = Array(next...(hasSecond ? next + 1 : next))
            next += own.count
            if people.count < most { people.append(own) } else { people[next % most] += own }
        }
        return people
    }
}
