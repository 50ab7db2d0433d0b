import Holdfast
import Stage
import Transcript

/// What a server is judged by where nobody said what it declares: the profiles that its greeting states.
extension ServerSubject {
    /// The same server, declaring what its greeting states beside what it declares already.
    ///
    /// One that greets nobody within three seconds declares no more; what is wrong with it, others tell.
    func declaringWhatItStates(under specification: Specification) async throws -> ServerSubject {
        let greeting = try ScenarioReader.scenario(
            """
            {"title": "Greeting", "summary": "What the server states.", "role": "server", "clauses": ["AUTH-17"],
             "steps": [{"do": "connect", "on": "A", "optional": true}]}
            """, named: "server/AUTH/greeting", file: "greeting")
        var asked = self
        asked.timeouts = timeouts.capped(at: .seconds(3))
        let outcome = await SuiteRun(stage: ServerStage(subject: asked, specification: specification)).run([greeting])
        let frames = (outcome.performances.first?.history.events ?? []).compactMap { event in
            if case .text(.fromServer, let text) = event.kind { Frame(text) } else { nil }
        }
        let stated = frames.first { $0.type == "connected" }?["capabilities"]?.arrayValue ?? []
        var subject = self
        subject.profiles.formUnion(
            Set(stated.compactMap { $0.stringValue.flatMap(Profile.init) }).intersection(Profile.all(of: .server)))
        return subject
    }

    /// What it is judged by, in words.
    var statedWords: String {
        profiles == [.core]
            ? "no profile was named, and 'connected' states none beside core; name them with --profile"
            : "no profile was named, so these hold, as 'connected' states them: "
                + profiles.sorted().map(\.rawValue).joined(separator: ", ")
    }
}
