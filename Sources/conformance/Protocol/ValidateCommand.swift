import ArgumentParser
import Holdfast
import HoldfastJSON
import HoldfastJSONSchema
import HoldfastReport
import HoldfastSuite

struct ValidateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Check messages against the schemas.",
        usage: "conformance validate <file> ... [<options>]",
        discussion: """
            Picks the schema by the 'type' of each message. A REST body or a push has no type: it is recognized by its \
            members, or named with --as.

            Examples:
              conformance validate done.json
              echo '{"type":"done","text":"hi"}' | conformance validate -
              conformance validate --as session body.json
              conformance validate --profile core --profile sync frames/*.json
              conformance validate --schema order.json orders.jsonl

            Files that end in .jsonl or .ndjson contain one message per line; with --lines, all files do. Problems are \
            printed with line and column.

            Exit codes: 0 all valid · 1 a message is not valid · 64 a file cannot be read
            """
    )

    @Argument(
        help: ArgumentHelp("Files with one message each; '-' reads standard input.", valueName: "file"),
        completion: .file())
    var files: [String]

    @Option(
        name: .customLong("as"), help: ArgumentHelp("The schema to use for every message.", valueName: "name"),
        completion: .words { CompletionWords.schemas })
    var name: String?

    @Option(
        help: ArgumentHelp(
            "Apply the rules of this profile. Repeatable. Default: core.", valueName: "name"),
        completion: .serverProfiles)
    var profile: [String] = []

    @Option(
        help: ArgumentHelp("Use this JSON Schema (draft 2020-12) instead of the protocol's.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var schema: String?

    @Flag(help: "Treat every line as one message.")
    var lines = false

    func run() async throws {
        let judge: MessageJudge
        // Names the kind of a message; nil for files of many messages, and with --schema.
        var kind: (([UInt8]) -> String)?
        if let schema {
            guard name == nil, profile.isEmpty else {
                throw InputProblem(
                    name == nil ? "--profile" : "--as", "applies to the protocol's schemas, and --schema replaces them",
                    expected: "one or the other", fix: "remove one of them")
            }
            judge = try MessageJudge(Schema.load(schema))
        } else {
            let schemas = try schemas()
            judge = MessageJudge(schemas, as: name)
            if !files.contains(where: holdsLines) {
                kind = { bytes in
                    (try? JSONParser.document(bytes: bytes).root).flatMap { name ?? schemas.name(of: $0) } ?? "message"
                }
            }
        }
        for file in files {
            let shown = file == "-" ? "standard input" : file
            if holdsLines(file) {
                try judge.judgeLines(of: file, as: shown) { Console.write("NOT valid  \($0)\n") }
                continue
            }
            let bytes = try Files.bytes(of: file)
            let faults = bytes.withUnsafeBufferPointer { judge.faults(in: $0) }
            if faults.isEmpty { Console.write("valid  \(shown)\(kind.map { ": \($0(bytes))" } ?? "")\n") }
            for fault in faults { Console.write("NOT valid  \(fault.text(in: shown))\n") }
        }
        if judge.messages != 1 || files.contains(where: holdsLines) {
            let start = kind == nil ? "" : "\n"
            Console.write("\(start)\(judge.messages - judge.invalid) valid, \(judge.invalid) not valid\n")
        }
        guard judge.invalid > 0 else { return }
        if schema == nil { for hint in files.compactMap(MessageJudge.hint) { Console.write("\(hint)\n") } }
        throw ExitCode(.violation)
    }

    private func schemas() throws -> MessageSchemas {
        let specification = try Specification(.embedded)
        var problems: [InputProblem] = []
        let profiles = profile.isEmpty ? [.core] : Profile.profiles(named: profile, &problems)
        try problems.throwAll()
        let schemas = try MessageSchemas(specification.files, profiles: profiles)
        if let name, !schemas.names.contains(name) {
            throw InputProblem(
                "--as", "unknown message '\(name)'", insteadOf: name, among: schemas.names,
                otherwise: "name one of these")
        }
        return schemas
    }

    private func holdsLines(_ file: String) -> Bool {
        lines || file.hasSuffix(".jsonl") || file.hasSuffix(".ndjson")
    }
}
