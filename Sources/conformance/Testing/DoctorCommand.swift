import ArgumentParser
import Holdfast
import HoldfastSuite

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check whether a server is ready for the suite.",
        discussion: """
            Takes the flags of 'conformance server'. Connects as each principal, reads over REST and asks the agent one \
            scripted question, while one connection stays silent for two heartbeats. With a start command, it also \
            starts, kills and restarts the server. Then lists the clauses that a run would leave \
            undecided, with the reason and the fix.

            Examples:
              conformance doctor ws://127.0.0.1:8080/ws
              conformance doctor --subject subject.json
              conformance doctor --subject subject.json --json

            Exit codes: 0 ready · 2 a run will be incomplete · 64 usage · 69 unreachable
            """
    )

    @OptionGroup(title: "The server")
    var server: SubjectFlags

    @Option(
        help: ArgumentHelp(
            "How long one connection sends nothing, to see whether a load balancer cuts it. Default: two heartbeats "
                + "of the server, at most 600, or none with --start; 0 leaves it out.", valueName: "seconds"))
    var silence: Int?

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        let specification = try Specification(.embedded)
        let selection = try Selection(role: .server, of: specification, scenarios: specification.scenarios())
        try InputProblem.checked("--silence", silence ?? 0, within: 0...86_400, fix: "correct it, or remove it")
        let (subject, scope) = try server.server().subject(under: specification)
        let stop: Stop = Interruptions().first
        let diagnosis: Diagnosis = try await server.withSubject(subject, under: specification, until: stop) { subject in
            let silence = Examination.silence(of: subject, asked: silence)
            if let silence, silence > 5, Console.showsProgress {
                Console.error("one connection sends nothing for \(silence) s (--silence); the rest is done meanwhile")
            }
            let examination = Examination(subject, scope: scope, under: specification, selection, silence: silence)
            guard let diagnosis = try await interruptible(at: stop, examination.run) else {
                throw SuiteProblem(.interrupted, "interrupted; the examination did not end")
            }
            return diagnosis
        }
        let report = DiagnosisReport(diagnosis, of: subject, next: try server.rerun(subject))
        Console.write(json ? report.value.text(pretty: true) + "\n" : Tool.addressed(report.text(Console.style)))
        try diagnosis.exit.end()
    }
}
