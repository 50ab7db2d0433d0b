import Holdfast
import HoldfastBasics
import HoldfastTranscript

/// Performs a load: many devices against one server, which it starts if there is a start command.
package struct LoadStage: Sendable {
    private let subject: ServerSubject
    private let plan: LoadPlan
    private let shard: (index: Int, count: Int)?
    private let specification: Specification

    /// `shard` is the part of the principals to perform, from 1; nil for all.
    package init(
        _ subject: ServerSubject, _ plan: LoadPlan, shard: (index: Int, count: Int)? = nil,
        under specification: Specification
    ) {
        (self.subject, self.plan, self.shard, self.specification) = (subject, plan, shard, specification)
    }

    /// Runs to the end of all schedules, or until the task is canceled; then all connections are closed.
    ///
    /// `began` is called when the clock of the load starts, `notify` for each observation.
    /// - Throws: The reason why there is no server.
    package func run(
        began: @Sendable () -> Void, notify: @escaping @Sendable (LoadEvent) -> Void
    ) async throws(HarnessProblem) {
        guard let start = subject.startCommand else {
            if let problem = subject.notReached { throw problem }
            return await perform(subject, nil, began, notify)
        }
        let shared = SharedInstance(
            start, data: start.folder(for: "load"), within: subject.timeouts.start, first: FirstStart(of: subject))
        try await finally(shared.end) { () async throws(HarnessProblem) in
            let instance = try await shared.startedInstance()
            await perform(subject.at(instance), instance, began, notify)
        }
    }

    private func perform(
        _ subject: ServerSubject, _ instance: SubjectInstance?, _ began: @Sendable () -> Void,
        _ notify: @escaping @Sendable (LoadEvent) -> Void
    ) async {
        let people = plan.people(atMost: subject.principals.count)
        // The meter starts at its first use.
        _ = SchedulingMeter.shared
        let load = LoadContext(subject, plan, people: people.count, under: specification, notify: notify)
        began()
        let mine = people.indices.filter { index in shard.map { index % $0.count == $0.index - 1 } ?? true }
        notify(.began(devices: mine.reduce(0) { $0 + people[$1].count }))
        let principals = mine.map { LoadPrincipal(subject.principals[$0], in: load) }
        let observer = instance?.observe { exit in
            principals.first?.recorder.note(.act("exit", exit.details), on: .server)
        }
        await withTaskGroup(of: Void.self) { group in
            for (index, owner) in zip(mine, principals) {
                for (place, number) in people[index].enumerated() {
                    let device = LoadDevice(number, letter: "\(Lane.connection(number: place))", of: owner)
                    group.addTask { await device.run() }
                }
            }
        }
        if let instance, let observer { instance.stopObserving(observer) }
        for principal in principals { principal.finish() }
    }
}

/// The live reports of a load; moments are in microseconds since it began.
package enum LoadEvent: Sendable {
    /// This many devices begin their schedules.
    case began(devices: Int)
    /// A time of this many microseconds for an action that was scheduled at a moment.
    case time(LoadTime, Int, intendedAt: Int)
    /// An act began this many microseconds late because of the stage.
    case lag(Int, at: Int)
    case refused(String)
    case unconnected
    /// A question had no ending when the run was over.
    case unanswered
    /// The events of a principal, up to a moment at which nothing is pending.
    case history(History.Header, [Event], principal: String)
}
