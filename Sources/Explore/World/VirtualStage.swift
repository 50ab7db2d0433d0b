import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastTranscript

/// A single thread with its own clock, randomness and record, in which steps of scenarios are performed.
///
/// Everything that takes time is an entry of one queue, and all randomness comes from one generator; so a seed
/// determines a history.
protocol VirtualStage: AnyObject {
    associatedtype Step: VirtualStep

    /// Microseconds since the beginning.
    var now: Int { get set }
    var queue: EventQueue<(Self) -> Void> { get set }
    var chance: SplitMix64 { get set }
    var branches: [Branch<Self>] { get set }
    var variables: ScenarioVariables { get }
    var profiles: Set<Profile> { get }
    var events: [Event] { get set }
    var frames: [Frame?] { get set }
    /// The reason why the steps ended early.
    var end: (any Error)? { get set }
    var isOver: Bool { get }

    /// Begins a step; returns its wait, or nil if it is complete.
    func begin(_ step: Step, on branch: Branch<Self>) throws -> Branch<Self>.Wait?
    /// The reason why a step ended, with its location.
    func located(_ end: any Error, at pointer: JSONPointer) -> any Error
}

protocol VirtualStep {
    var pointer: JSONPointer { get }
    var profile: Profile? { get }
}

extension ScenarioStep: VirtualStep {}
extension ClientStep: VirtualStep {}

// Time and records.
extension VirtualStage {
    /// The time of day at which every history begins, in microseconds since 1970.
    static var midnight: Int { 1_780_272_000_000_000 }

    /// The time of day, in microseconds since 1970.
    var wall: Int { Self.midnight + now }

    func after(_ delay: Int, _ action: @escaping (Self) -> Void) { queue.add(action, at: now + max(0, delay)) }

    func at(_ time: Int, _ action: @escaping (Self) -> Void) { queue.add(action, at: max(now, time)) }

    /// The latency of a message: usually short, sometimes long enough for other connections to overtake it.
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

    /// Continues until the scenario is over, or a limit is reached.
    func proceed(most maxActions: Int = 400_000, until longest: Int = 600_000_000) {
        var left = maxActions
        while !isOver, let next = queue.next() {
            now = next.at
            next.entry(self)
            left -= 1
            poll()
            if now > longest || left < 0 {
                end = end ?? SimulationProblem(description: "the scenario does not end")
                return
            }
        }
    }
}

// Branches that run at the same time, and their waits.
extension VirtualStage {
    func begin(_ branch: Branch<Self>, whenOver: @escaping (Self, (any Error)?) -> Void) {
        branch.whenOver = whenOver
        branches.append(branch)
        resume(branch)
    }

    /// Continues a branch after the short time that a stage takes between two steps.
    private func resume(_ branch: Branch<Self>) { after(chance.number(in: 10...150)) { $0.perform(branch) } }

    private func perform(_ branch: Branch<Self>) {
        while let step = branch.next(variables) {
            if let profile = step.profile, !profiles.contains(profile) { continue }
            branch.pointer = step.pointer
            do {
                branch.wait = try begin(step, on: branch)
            } catch {
                return end(branch, located(error, at: step.pointer))
            }
            return proceed(branch)
        }
        end(branch, nil)
    }

    private func proceed(_ branch: Branch<Self>) {
        guard let wait = branch.wait else { return resume(branch) }
        if let deadline = wait.deadline { at(deadline) { _ in } }
    }

    private func end(_ branch: Branch<Self>, _ end: (any Error)?) {
        branch.wait = nil
        branches.removeAll { $0 === branch }
        branch.whenOver(self, end)
    }

    private func poll() {
        for branch in branches {
            guard let wait = branch.wait else { continue }
            do {
                switch try wait.check(self) {
                case .met: break
                case .ended(let error):
                    end(branch, error)
                    continue
                case .notYet where wait.deadline.map { now < $0 } ?? true: continue
                case .notYet, .never: try wait.onMiss(self)
                }
                branch.wait = try wait.next(self)
                proceed(branch)
            } catch {
                end(branch, located(error, at: branch.pointer))
            }
        }
    }

    /// Performs branches at the same time, to their ends, even if one of them cannot go on.
    func together(_ branches: [Branch<Self>]) -> Branch<Self>.Wait? {
        guard !branches.isEmpty else { return nil }
        var left = branches.count
        var ends = [(any Error)?](repeating: nil, count: branches.count)
        for (index, branch) in branches.enumerated() {
            begin(branch) { _, end in
                left -= 1
                ends[index] = end
            }
        }
        return Branch<Self>.Wait { _ in
            guard left == 0 else { return .notYet }
            return ends.lazy.compactMap(\.self).first.map { .ended($0) } ?? .met
        }
    }
}
