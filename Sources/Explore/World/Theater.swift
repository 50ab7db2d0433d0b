import Holdfast
import HoldfastBasics
import HoldfastTranscript

/// One thread with a clock, chance and a record of its own, in which steps of scenarios are performed.
///
/// Whatever takes time is an entry of one agenda, and whatever is left to chance is drawn from one generator; so a seed names a
/// history.
protocol Theater: AnyObject {
    associatedtype Step: TheaterStep

    /// Microseconds since the beginning.
    var now: Int { get set }
    var agenda: Agenda<(Self) -> Void> { get set }
    var chance: SplitMix64 { get set }
    var strands: [Strand<Self>] { get set }
    var variables: ScenarioVariables { get }
    /// What the subject declares.
    var profiles: Set<Profile> { get }
    var events: [Event] { get set }
    var frames: [Frame?] { get set }
    /// What ended the steps before the last of them.
    var end: StrandEnd? { get set }
    var isOver: Bool { get }

    /// Begins a step; nil when it is done at once, and else what it waits for.
    func begin(_ step: Step, on strand: Strand<Self>) throws(StrandEnd) -> Strand<Self>.Wait?
}

/// A step of a scenario, of either side.
protocol TheaterStep {
    var profile: Profile? { get }
}

extension ScenarioStep: TheaterStep {}
extension ClientStep: TheaterStep {}

// Time and records.
extension Theater {
    /// The time of day at which every history begins, in microseconds since 1970.
    static var midnight: Int { 1_780_272_000_000_000 }

    /// The time of day, in microseconds since 1970.
    var wall: Int { Self.midnight + now }

    func after(_ delay: Int, _ deed: @escaping (Self) -> Void) { agenda.add(deed, at: now + max(0, delay)) }

    func at(_ time: Int, _ deed: @escaping (Self) -> Void) { agenda.add(deed, at: max(now, time)) }

    /// What a message takes on its way: mostly a moment, sometimes long enough for others to overtake it.
    func delay() -> Int {
        switch chance.number(in: 1...100) {
        case ...80: chance.number(in: 40...400)
        case ...97: chance.number(in: 400...5_000)
        default: chance.number(in: 5_000...60_000)
        }
    }

    func note(_ kind: Event.Kind, on lane: Lane, frame: Frame? = nil) {
        events.append(Event(at: now, lane: lane, kind: kind))
        frames.append(frame ?? Frame(kind))
    }

    /// Goes on until it is over; each scenario ends, one way or the other.
    func goOn(most deeds: Int = 400_000, until longest: Int = 600_000_000) {
        var left = deeds
        while !isOver, let next = agenda.next() {
            now = next.at
            next.entry(self)
            left -= 1
            poll()
            if now > longest || left < 0 {
                end = end ?? .problem("it does not come to its end")
                return
            }
        }
    }
}

// What is performed at the same time, and what each part of it waits for.
extension Theater {
    /// Goes on with a strand after the moment that a stage takes between two steps.
    func resume(_ strand: Strand<Self>) { after(chance.number(in: 10...150)) { $0.perform(strand) } }

    private func perform(_ strand: Strand<Self>) {
        while let step = strand.next(variables) {
            if let profile = step.profile, !profiles.contains(profile) { continue }
            do {
                strand.wait = try begin(step, on: strand)
            } catch {
                return end(strand, error)
            }
            guard let wait = strand.wait else { return resume(strand) }
            if let deadline = wait.deadline { at(deadline) { _ in } }
            return
        }
        end(strand, nil)
    }

    private func end(_ strand: Strand<Self>, _ end: StrandEnd?) {
        strand.wait = nil
        strands.removeAll { $0 === strand }
        strand.whenOver(self, end)
    }

    /// Asks every wait whether it is over.
    func poll() {
        for strand in strands {
            guard let wait = strand.wait else { continue }
            do {
                switch try wait.look(self) {
                case .there: break
                case .notYet where wait.deadline.map { now < $0 } ?? true: continue
                case .notYet, .never: try wait.isLate(self)
                }
                strand.wait = nil
                resume(strand)
            } catch {
                end(strand, error)
            }
        }
    }

    /// Performs branches at the same time, to their ends, also when one of them cannot go on.
    func together(_ branches: [Strand<Self>]) -> Strand<Self>.Wait? {
        guard !branches.isEmpty else { return nil }
        let group = Group(branches.count)
        for (index, branch) in branches.enumerated() {
            branch.whenOver = { _, end in
                group.left -= 1
                group.ends[index] = end
            }
            strands.append(branch)
            resume(branch)
        }
        return Strand<Self>.Wait { _ throws(StrandEnd) in
            guard group.left == 0 else { return .notYet }
            if let first = group.ends.min(by: { $0.key < $1.key }) { throw first.value }
            return .there
        }
    }
}

private final class Group {
    var left: Int
    var ends: [Int: StrandEnd] = [:]

    init(_ count: Int) { left = count }
}
