import ArgumentParser
import Holdfast
import JSON
import Report

struct ValidateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Check messages: type, place, what was expected, and the clause that says so.",
        discussion: """
            What a message is comes from its 'type'; a REST body or a push, which has none, is told by its members or by \
            --as.

            Examples:
              conformance validate done.json
              echo '{"type":"done","text":"hi"}' | conformance validate -
              conformance validate --as session body.json
              conformance validate --profile core --profile sync frames/*.json

            Exit codes: 0 all valid · 1 a message is not valid · 64 a file cannot be read
            """
    )

    @Argument(help: ArgumentHelp("Files with one message each; '-' reads standard input.", valueName: "file"))
    var files: [String]

    @Option(name: .customLong("as"), help: ArgumentHelp("What every message has to be.", valueName: "name"))
    var name: String?

    @Option(
        help: ArgumentHelp(
            "A profile whose additions are in force; may be given several times. Default: core.", valueName: "name"))
    var profile: [String] = []

    func run() async throws {
        let schemas = try schemas()
        if let name, !schemas.names.contains(name) {
            throw Tool.refuse(
                "--as", "'\(name)' is no message", expected: schemas.names.joined(separator: ", "),
                fix: nearestName(to: name, among: schemas.names).map { "did you mean '\($0)'?" } ?? "name one of these")
        }
        var invalid = 0
        for file in files {
            let bytes = try Files.bytes(of: file)
            let shown = file == "-" ? "standard input" : file
            let problems = schemas.validate(bytes: bytes, as: name)
            if problems.isEmpty {
                let type = (try? JSONParser.document(bytes: bytes).root).flatMap { name ?? schemas.name(of: $0) }
                Console.write("valid  \(shown): \(type ?? "message")\n")
                continue
            }
            invalid += 1
            for problem in problems { Console.write("NOT valid  \(shown):\(problem)\n") }
        }
        if files.count > 1 { Console.write("\n\(files.count - invalid) valid, \(invalid) not valid\n") }
        if invalid > 0 { throw Tool.end(.violation) }
    }

    private func schemas() throws -> MessageSchemas {
        let specification = try Tool.specification()
        var problems: [InputProblem] = []
        let profiles = profile.isEmpty ? [.core] : SubjectOptions.profiles(named: profile, &problems)
        guard problems.isEmpty else { throw Tool.refuse(problems) }
        do {
            return try MessageSchemas(specification.files, profiles: profiles)
        } catch {
            throw Tool.refuse(error.problems)
        }
    }
}
