import HoldfastJSON
import HoldfastReport
import HoldfastSuite

/// The manual page of the whole program, generated from its help, so that the two cannot differ.
package struct ManualPage {
    private let root: JSONValue

    /// The manual of a command and its subcommands, from the help as JSON.
    package init(help: String) { root = (try? JSONParser.value(help))?["command"] ?? .null }

    /// The page in the language of `man`, in ASCII.
    package var text: String {
        let name = word(root, "commandName")
        var lines = [
            ".TH \(name.uppercased()) 1 \"\" \"\(name) \(toolVersion)\" \"User Commands\"",
            // Commands appear as typed: no words hyphenated, no lines justified.
            ".nh", ".ad l", ".SH NAME", Self.escaped("\(name) - \(word(root, "abstract"))"), ".SH SYNOPSIS",
            "\\fB\(name)\\fR \\fIcommand\\fR [\\fIoptions\\fR]", ".SH DESCRIPTION",
        ]
        lines += prose(word(root, "discussion"))
        lines.append(".SH COMMANDS")
        for command in commands(of: root) { lines += page(on: command, after: name) }
        lines += [".SH EXIT STATUS"]
        for status in ExitStatus.allCases {
            lines += [".TP", "\\fB\(status.rawValue)\\fR", Self.escaped(status.meaning)]
        }
        lines += [
            ".SH ENVIRONMENT", ".TP", "\\fBNO_COLOR\\fR", "no colors on a terminal, whatever its value", ".TP",
            "\\fBTERM\\fR=dumb", "no colors and no progress line", ".SH COMPLETION",
            Self.escaped("To let the shell complete commands, options, clauses, scenarios and names:"), ".PP", ".nf",
            Self.escaped("  source <(\(name) --generate-completion-script bash)"), ".fi",
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    private func commands(of command: JSONValue) -> [JSONValue] {
        (command["subcommands"]?.arrayValue ?? []).filter {
            word($0, "commandName") != "help" && $0["shouldDisplay"]?.boolValue != false
        }
    }

    private func page(on command: JSONValue, after path: String) -> [String] {
        let path = "\(path) \(word(command, "commandName"))"
        let arguments = (command["arguments"]?.arrayValue ?? []).filter {
            !["help", "version"].contains(word($0, "valueName")) && $0["shouldDisplay"]?.boolValue != false
        }
        var lines = [".SS \"\(Self.escaped(path))\"", Self.escaped(word(command, "abstract"))]
        lines += prose(word(command, "discussion"))
        for argument in arguments {
            lines += [".TP", heading(of: argument)]
            lines.append(Self.escaped(word(argument, "abstract")))
            let more = word(argument, "discussion")
            if !more.isEmpty { lines.append(Self.escaped(more.replacing("\n", with: " "))) }
        }
        return lines + commands(of: command).flatMap { page(on: $0, after: path) }
    }

    private func heading(of argument: JSONValue) -> String {
        let value = Self.escaped(word(argument, "valueName"))
        let repeated = argument["isRepeating"]?.boolValue == true ? " ..." : ""
        let names = (argument["names"]?.arrayValue ?? []).map { name in
            (word(name, "kind") == "short" ? "-" : "--") + word(name, "name")
        }
        guard !names.isEmpty else { return "\\fI\(value)\\fR\(repeated)" }
        let spelled = names.map { "\\fB\(Self.escaped($0))\\fR" }.joined(separator: ", ")
        return word(argument, "kind") == "flag" ? spelled : "\(spelled) \\fI\(value)\\fR\(repeated)"
    }

    /// Paragraphs are filled; indented lines are unchanged.
    private func prose(_ text: String) -> [String] {
        var lines: [String] = []
        var isVerbatim = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if isVerbatim != line.hasPrefix("  ") {
                lines += isVerbatim ? [".fi"] : [".nf"]
                isVerbatim.toggle()
            }
            lines.append(line.isEmpty ? ".PP" : Self.escaped(String(line)))
        }
        return [".PP"] + lines + (isVerbatim ? [".fi"] : [])
    }

    private func word(_ value: JSONValue, _ name: String) -> String { value[name]?.stringValue ?? "" }

    /// The text, escaped so that `man` shows it literally.
    static func escaped(_ text: String) -> String {
        let escaped = text.map { character in
            switch character {
            case "\\": "\\e"
            case "-": "\\-"
            case "·": ";"
            case "…": "..."
            case "“", "”", "\"": "\\(dq"
            case "’": "'"
            case "–": "\\-"
            case "×": "x"
            default: character.isASCII ? String(character) : "?"
            }
        }.joined()
        return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
    }
}
