import Holdfast
import HoldfastJSON

extension Scenario {
    /// The approximate sum of its waits: announced times, times in scripts, and the wait for a push to a device that is
    /// gone.
    func waits(for subject: ServerSubject) -> Duration {
        let stated = needs.patience.reduce(0) { $0 + subject.stated($1.key) * $1.value }
        return .seconds(stated) + (endsDevice ? subject.timeouts.push : .zero) + Self.waits(steps, for: subject)
    }

    private static func waits(_ steps: [ScenarioStep], for subject: ServerSubject) -> Duration {
        steps.reduce(.zero) { total, step in
            switch step.action {
            // A time that is not a number will be announced by the subject.
            case .watch(let stated): total + (stated.amount.intValue.flatMap(stated.duration) ?? .zero)
            case .chat(let question, _), .postChat(let question, _, _): total + .milliseconds(question.waitMs)
            case .process(.start): total + restart
            case .together(let branches): total + (branches.map { waits($0, for: subject) }.max() ?? .zero)
            case .repeat(let times, _, let until, let isParallel, let steps):
                total + waits(steps, for: subject) * (isParallel || until != nil ? 1 : count(times, for: subject))
            default: total
            }
        }
    }

    private static let restart = Duration.milliseconds(100)

    private static func count(_ times: JSONValue, for subject: ServerSubject) -> Int {
        times.intValue ?? (times == "${kills}" ? subject.kills : 1)
    }
}
