import ArgumentParser
import Holdfast
import HoldfastPlatform
import HoldfastReference
import HoldfastReport
import HoldfastSmallFoundation
import HoldfastSuite
import ReferenceClient

/// What every command shares: how it is called, and the way to end with a code.
enum Tool {
    /// How the reader calls this program: `./conformance.sh` says it of itself.
    static let command = ProcessInfo.processInfo.environment["HOLDFAST_COMMAND"] ?? "conformance"

    /// A text for people, in which the commands of this program are called as the reader calls it.
    static func addressed(_ text: String) -> String {
        guard command != "conformance" else { return text }
        let called =
            /\bconformance (?=(server|client|load|doctor|init|serve|chat|proxy|judge|report|gate|dialect|validate|list|explain|help)\b)/
        return text.replacing(called, with: command + " ")
    }

    /// Where this program lies, whatever it was called by.
    static func program() throws -> String {
        guard let path = Processes.ownProgram else {
            throw InputProblem(
                "--reference", "this program cannot find its own path", expected: "a path to start it again",
                fix: "start 'conformance serve' yourself and pass its subject file with --subject")
        }
        return path
    }

    /// Tells what went wrong, and gives the error that ends the program with its code.
    static func ending(_ error: any Error) -> any Error {
        let words = Array(CommandLine.arguments.dropFirst())
        guard error is InputProblem || error is InputProblems || error is SuiteProblem else {
            let code = FormatOptions.exitCode(for: error)
            if code == .validationFailure {
                StaleReports.end(words, with: code.rawValue, saying: FormatOptions.message(for: error))
            }
            return error
        }
        let problem = SuiteProblem(error)
        Console.error(addressed(problem.description))
        StaleReports.end(words, with: problem.exit.rawValue, saying: addressed(problem.description))
        return ExitCode(problem.exit)
    }

    /// Checks a number of threads, one for each core by default.
    static func threads(_ jobs: Int?) throws -> Int {
        guard jobs.map({ (1...256).contains($0) }) ?? true else {
            throw InputProblem(
                "--jobs", "'\(jobs ?? 0)' is out of range", expected: "1 to 256",
                fix: "choose a number in that range")
        }
        return jobs ?? ProcessInfo.processInfo.activeProcessorCount
    }
}

extension ExitCode {
    /// The code of a status.
    init(_ status: ExitStatus) { self.init(status.rawValue) }
}

extension ExitStatus {
    /// Ends the command with this status, unless everything conforms.
    func end() throws { if self != .conforms { throw ExitCode(self) } }
}

/// A way for a reference peer to be wrong, or different and right, that can be asked for by name.
protocol NamedBehaviour: Hashable {
    var name: String { get }
    var summary: String { get }
}

/// One that is wrong.
protocol NamedDefect: NamedBehaviour {
    var clause: ClauseID { get }
}

extension Defect: NamedDefect {}
extension Variation: NamedBehaviour {}
extension Preset: NamedBehaviour {}
extension ClientDefect: NamedDefect {}
extension ClientVariation: NamedBehaviour {}

/// What the commands of both reference peers do with names.
enum NamedBehaviours {
    /// Those that a flag of a command names; every unknown name is told at once.
    static func chosen<Item: NamedBehaviour>(
        _ names: [String], among all: [Item], flag: String, of command: String
    ) throws -> Set<Item> {
        let known = all.map(\.name)
        try names.filter { !known.contains($0) }.map { name in
            InputProblem(
                flag, "unknown name '\(name)'", insteadOf: name, among: known,
                expected: "a name from 'conformance \(command) --list-defects'", otherwise: "correct it")
        }.throwAll()
        return Set(all.filter { names.contains($0.name) })
    }

    /// Prints all there are.
    static func show(
        _ defects: [some NamedDefect], _ variations: [some NamedBehaviour], _ presets: [Preset] = []
    ) {
        let style = Console.style
        func list(_ title: String, _ items: [(head: String, texts: [String])]) {
            Console.write(title + "\n")
            for (head, texts) in items {
                Console.write("  \(head)\n" + texts.map { style.wrapped($0, indent: 4) + "\n" }.joined())
            }
        }
        list("defects, each with the clause it breaks", defects.map { ("\($0.name)  \($0.clause)", [$0.summary]) })
        list("\nvariations, all legal", variations.map { ($0.name, [$0.summary]) })
        guard !presets.isEmpty else { return }
        let systems = presets.map { preset in
            let parts = preset.defects.map(\.name) + preset.variations.map(\.name)
            return (preset.name, [preset.summary, parts.joined(separator: " ")])
        }
        list("\npresets, each a real system: its dialect and its defects", systems)
    }
}
