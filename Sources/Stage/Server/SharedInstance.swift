import Holdfast

/// The instance of a subject that all ordinary scenarios share; started when first needed, and restarted after its end.
actor SharedInstance {
    /// The number of times that an instance is restarted after it ended by itself.
    static let restarts = 5

    private let command: StartCommand
    private let data: String?
    private let limit: Duration
    private let first: FirstStart
    private var instance: SubjectInstance?
    private var starting: Task<Result<SubjectInstance, HarnessProblem>, Never>?
    private var restarted = 0
    private var problem: HarnessProblem?

    init(_ command: StartCommand, data: String?, within limit: Duration, first: FirstStart) {
        (self.command, self.data, self.limit, self.first) = (command, data, limit, first)
    }

    /// Nil if it started, or was never needed.
    var startProblem: HarnessProblem? { instance == nil ? problem : nil }

    func startedInstance() async throws(HarnessProblem) -> SubjectInstance {
        if let instance {
            // Wait for an instance whose end is not recorded yet.
            if instance.isEnding { _ = await instance.exit(within: .seconds(10)) }
            if instance.exit == nil { return instance }
        }
        if let problem { throw problem }
        let task = starting ?? begin()
        starting = task
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        if starting == task { starting = nil }
        switch result {
        case .success(let instance):
            self.instance = instance
            return instance
        case .failure(let problem):
            self.problem = problem
            throw problem
        }
    }

    private func begin() -> Task<Result<SubjectInstance, HarnessProblem>, Never> {
        guard let instance else {
            return Task { [command, data, limit, first] in
                do throws(HarnessProblem) {
                    return .success(
                        try await first.trying { () async throws(HarnessProblem) in
                            try await SubjectInstance.start(command, data: data, within: limit)
                        })
                } catch {
                    return .failure(error)
                }
            }
        }
        restarted += 1
        guard restarted <= Self.restarts else {
            let problem = HarnessProblem(
                .notStarted(reason: "it exited \(restarted) times by itself", output: instance.lastOutput),
                at: command.shown)
            return Task { .failure(problem) }
        }
        return Task { [limit] in
            do throws(HarnessProblem) {
                try await instance.restart(within: limit)
                return .success(instance)
            } catch {
                return .failure(error)
            }
        }
    }

    func end() async {
        starting?.cancel()
        if case .success(let started)? = await starting?.value { instance = started }
        await instance?.end()
    }
}
