import Holdfast
import HoldfastStage
import HoldfastTranscript

/// The default profiles of a server: those that its greeting states.
extension ServerSubject {
    /// The same server after it greeted its principals; by default it declares the profiles in the greeting.
    ///
    /// Without a greeting within three seconds, it declares nothing more; the run reports the reason.
    func greeted(under specification: Specification) async -> ServerSubject {
        var impatient = self
        impatient.timeouts = impatient.timeouts.capped(at: .seconds(3))
        let run = SuiteRun(stage: ServerStage(subject: impatient, specification: specification))
        var subject = self
        let outcome = await run.run(Greetings(subject: self).scenarios)
        subject.greetings = outcome.performances
        subject.notReached = subject.notReached ?? outcome.startProblem
        guard isUndeclared else { return subject }
        var stated: Set<Profile>?
        for greeting in subject.greetings {
            subject.profiles = greeting.history.declaring(&stated).header.subject.profiles
        }
        subject.isUndeclared = dialect.isCanonical || stated != nil
        return subject
    }

    var statedWords: String {
        profiles == [.core]
            ? "profiles: only core; 'connected' announces no others (add them with --profile)"
            : "profiles from 'connected' (change with --profile): "
                + profiles.sorted().map(\.rawValue).joined(separator: ", ")
    }
}
