import Captures
import Holdfast
import JSON
import Report
import Transcript

/// What `dialect check` prints.
enum DialectCheckReport {
    /// One capture that was looked at.
    struct Capture {
        let file: String
        let coverage: DialectCoverage
        let leftOut: CaptureLeftOut

        /// Whether something in it is unknown to the dialect; a bare frame of an unknown type tells no direction.
        var hasUnmapped: Bool {
            !coverage.unmapped.isEmpty || leftOut.entries.contains { $0.reason == CaptureLeftOut.noDirection }
        }
    }

    static func text(_ dialect: Dialect, _ captures: [Capture]) -> String {
        let count = Role.allCases.reduce(0) { $0 + dialect.types(sentBy: $1).count }
        var text = "\(dialect.name): the file is sound, \(count) wire types, can declare "
        text += dialect.profiles.sorted().map(\.rawValue).joined(separator: " ") + "\n"
        for capture in captures {
            let coverage = capture.coverage
            text += "\n\(shown(capture.file))\n"
            for entry in coverage.entries.sorted(by: { rank($0.meaning) < rank($1.meaning) }) {
                text += "  " + line(entry) + "\n"
            }
            text += "  \(coverage.total) in all: \(sums(coverage))\n"
            for entry in capture.leftOut.entries {
                text += "  left aside  \(padded("\(entry.count)×", 6))\(entry.reason), first at \(entry.first)\n"
            }
        }
        return text
    }

    private static func line(_ entry: DialectCoverage.Entry) -> String {
        let what = "\(entry.sender.rawValue) \(entry.wire.map(shown) ?? shown(entry.text))"
        let head = padded(word(entry.meaning), 12) + padded("\(entry.count)×", 6) + what
        return switch entry.meaning {
        case .understood(let canonical): "\(head) → \(shown(canonical))"
        case .unknown(let reason), .ignored(let reason): "\(head): \(reason)"
        case .noMessage: "\(head): no object with a type"
        case .unmapped(let reason): "\(head): \(reason)\n\(padded("", 20))\(entry.place): \(shown(entry.text))"
        }
    }

    private static func sums(_ coverage: DialectCoverage) -> String {
        let words = ["understood", "unknown", "ignored", "no message", "NOT MAPPED"]
        return words.compactMap { word in
            let count = coverage.entries.filter { self.word($0.meaning) == word }.reduce(0) { $0 + $1.count }
            return count == 0 ? nil : "\(count) \(word)"
        }.joined(separator: ", ")
    }

    private static func word(_ meaning: DialectCoverage.Meaning) -> String {
        switch meaning {
        case .understood: "understood"
        case .unknown: "unknown"
        case .ignored: "ignored"
        case .noMessage: "no message"
        case .unmapped: "NOT MAPPED"
        }
    }

    private static func rank(_ meaning: DialectCoverage.Meaning) -> Int {
        switch meaning {
        case .understood: 0
        case .unknown: 1
        case .ignored: 2
        case .noMessage: 3
        case .unmapped: 4
        }
    }

    /// A text on one line, cut.
    private static func shown(_ text: String) -> String {
        let line = text.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : String($0) }
            .joined()
        return line.count > 120 ? "\(line.prefix(120))… (\(line.count) characters)" : line
    }

    static func value(_ dialect: Dialect, _ captures: [Capture]) -> JSONValue {
        let captures = captures.map { capture -> JSONValue in
            let entries = capture.coverage.entries.map { entry -> JSONValue in
                var object: JSONObject = ["sender": .string(entry.sender.rawValue)]
                object["wire"] = entry.wire.map { .string($0) }
                object["meaning"] = .string(word(entry.meaning).lowercased())
                switch entry.meaning {
                case .understood(let canonical): object["canonical"] = .string(canonical)
                case .unknown(let reason), .ignored(let reason), .unmapped(let reason):
                    object["reason"] = .string(reason)
                case .noMessage: break
                }
                object["count"] = JSONValue(entry.count)
                object["first"] = .string(entry.place)
                return .object(object)
            }
            return ["capture": .string(capture.file), "entries": .array(entries)]
        }
        return [
            "dialect": .string(dialect.name),
            "profiles": .array(dialect.profiles.sorted().map { .string($0.rawValue) }),
            "captures": .array(captures),
        ]
    }
}
