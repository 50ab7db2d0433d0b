import JSON
import TestSupport
import Testing

/// What the command line of the built binary takes, as the binary itself says with `--experimental-dump-help`.
struct CommandLineSyntax {
    private let root: JSONValue

    /// Asks the binary.
    static func ofBinary() async throws -> CommandLineSyntax {
        let help = try await BuiltBinary.run(["--experimental-dump-help"])
        return CommandLineSyntax(root: try #require(try JSONParser.value(help.out)["command"]))
    }

    /// What is wrong with the arguments behind `conformance`; empty when they would be taken.
    func faults(of arguments: [String]) -> [String] {
        var command = root
        var words = arguments[...]
        while let name = words.first, let next = subcommand(name, of: command) {
            command = next
            words = words.dropFirst()
        }
        let known = command["arguments"]?.arrayValue ?? []
        var faults: [String] = []
        var positionals = 0
        var behind = 0
        while let word = words.popFirst() {
            if word == "--" {
                behind = words.count
                break
            }
            guard word.hasPrefix("-"), word != "-" else {
                positionals += 1
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
            let name = String(parts[0].drop { $0 == "-" })
            guard let argument = known.first(where: { names(of: $0).contains(name) }) else {
                faults.append("there is no \(parts[0])")
                continue
            }
            if argument["kind"] == "option", parts.count < 2, words.popFirst() == nil {
                faults.append("\(word) has no value")
            }
        }
        let places = known.filter { $0["kind"] == "positional" }
        let ahead = places.filter { $0["parsingStrategy"] != "postTerminator" }
        if positionals < ahead.count(where: { $0["isOptional"] == false }) { faults.append("something is missing") }
        if positionals > ahead.count, !ahead.contains(where: { $0["isRepeating"] == true }) {
            faults.append("there is something too much")
        }
        if behind > 0, ahead.count == places.count { faults.append("nothing may stand behind '--'") }
        if command["subcommands"]?.arrayValue?.isEmpty == false, !arguments.contains("--help") {
            faults.append("a command is missing")
        }
        return faults
    }

    private func subcommand(_ name: String, of command: JSONValue) -> JSONValue? {
        command["subcommands"]?.arrayValue?.first { $0["commandName"]?.stringValue == name }
    }

    private func names(of argument: JSONValue) -> [String] {
        argument["names"]?.arrayValue?.compactMap { $0["name"]?.stringValue } ?? []
    }
}
