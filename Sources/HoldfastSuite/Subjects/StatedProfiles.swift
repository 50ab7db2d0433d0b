import Holdfast
import HoldfastStage
import HoldfastTranscript

/// What a server is judged by where nobody said what it declares: the profiles that its greeting states.
extension ServerSubject {
    /// The same server once it was asked to greet its principals, declaring what that states where nobody said what it declares.
    ///
    /// One that greets nobody within three seconds declares no more; what is wrong with it, others tell.
    func greeted(under specification: Specification) async -> ServerSubject {
        var patient = self
        patient.timeouts = patient.timeouts.capped(at: .seconds(3))
        let run = SuiteRun(stage: ServerStage(subject: patient, specification: specification))
        var subject = self
        let outcome = await run.run(Greetings(subject: self).scenarios)
        subject.greetings = outcome.performances
        subject.notReached = subject.notReached ?? outcome.startProblem
        guard isUndeclared else { return subject }
        subject.profiles.formUnion(subject.greetings.flatMap(\.history.events).statedProfiles)
        return subject
    }

    /// What it is judged by, in words.
    var statedWords: String {
        profiles == [.core]
            ? "profiles: only core; 'connected' announces no others (add them with --profile)"
            : "profiles from 'connected' (change with --profile): "
                + profiles.sorted().map(\.rawValue).joined(separator: ", ")
    }
}
