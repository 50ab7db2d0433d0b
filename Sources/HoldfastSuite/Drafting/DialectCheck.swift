import Holdfast
import HoldfastBasics
import HoldfastCaptures
import HoldfastJSON
import HoldfastReport
import HoldfastTranscript

package struct DialectCheck {
    private struct Capture {
        let file: String
        var coverage: DialectCoverage
        var leftOut = CaptureOmissions()

        /// Whether the capture has anything unknown to the dialect; a frame of an unknown type has no direction.
        var hasUnmapped: Bool {
            !coverage.unmapped.isEmpty || leftOut.entries.contains { $0.reason == CaptureOmissions.noDirection }
        }
    }

    private let dialect: Dialect
    private let captures: [Capture]

    package init(_ dialect: Dialect, against files: [String]) throws {
        self.dialect = dialect
        captures = try files.map { try Self.capture($0, by: dialect) }
    }

    package var hasUnmapped: Bool { captures.contains(where: \.hasUnmapped) }

    private var drafts: Int { (dialect.source?.text() ?? "").ranges(of: "\"\(DialectDraft.mark)").count }

    // MARK: reading

    private static func capture(_ path: String, by dialect: Dialect) throws -> Capture {
        var capture = Capture(file: path, coverage: DialectCoverage(dialect))
        capture.leftOut = try CapturedEvents.read(path, by: dialect) { take($0, $1, into: &capture.coverage) }
        guard capture.coverage.total > 0 else {
            throw InputProblem(
                path, "contains no frame",
                expected: "frames, notes such as 'A -> {\"type\":\"ping\"}', a transcript or a HAR file",
                fix: "name a capture")
        }
        return capture
    }

    private static func take(_ event: Event, _ location: CaptureLocation, into coverage: inout DialectCoverage) {
        switch (event.lane, event.kind) {
        case (.connection, .text(let direction, let text)):
            coverage.take(text, sentBy: direction.sender, at: location.description)
        case (.exchange, .request(let request)):
            coverage.take(RESTRequest(method: request.method, path: request.path), at: location.description)
        default: break
        }
    }

    // MARK: reporting

    package var text: String {
        let count = Role.allCases.reduce(0) { $0 + dialect.types(sentBy: $1).count }
        var text = "\(dialect.name): valid, \(count) wire types, can declare "
        text += dialect.profiles.sorted().map(\.rawValue).joined(separator: " ") + "\n"
        if drafts > 0 {
            text += "\(counted(drafts, "entry", "entries")) marked \(DialectDraft.mark): decide each before a run\n"
        }
        for capture in captures {
            let entries = capture.coverage.entries
            text += "\n\(Self.shown(capture.file))\n"
            for entry in entries.sorted(by: { $0.meaning.parts.rank < $1.meaning.parts.rank }) {
                text += "  " + Self.line(entry) + "\n"
            }
            let kinds = Dictionary(grouping: entries) { $0.meaning.parts.rank }.sorted { $0.key < $1.key }.map(\.value)
            let sums = kinds.map { kind in "\(kind.reduce(0) { $0 + $1.count }) \(kind[0].meaning.parts.word)" }
            text += "  \(capture.coverage.total) in all: \(sums.joined(separator: ", "))\n"
            for entry in capture.leftOut.entries {
                text += "  skipped     \(padded("\(entry.count)×", 6))\(entry.reason), first at \(entry.first)\n"
            }
        }
        return text
    }

    private static func line(_ entry: DialectCoverage.Entry) -> String {
        let meaning = entry.meaning.parts
        let what = "\(entry.sender.rawValue) \(entry.wire.map(shown) ?? shown(entry.text))"
        let head = padded(meaning.word, 12) + padded("\(entry.count)×", 6) + what
        let detail = meaning.canonical.map { " → \(shown($0))" } ?? ": \(meaning.reason ?? "no object with a type")"
        guard case .unmapped = entry.meaning else { return head + detail }
        return "\(head)\(detail)\n\(padded("", 20))\(entry.location): \(shown(entry.text))"
    }

    private static func shown(_ text: String) -> String { visible(excerpt(text)) }

    package var value: JSONValue {
        JSONValue(members: [
            "dialect": dialect.name, "profiles": dialect.profiles.sorted().map(\.rawValue),
            "captures": captures.map {
                JSONValue(members: ["capture": $0.file, "entries": $0.coverage.entries.map(Self.json)])
            },
        ])
    }

    private static func json(_ entry: DialectCoverage.Entry) -> JSONValue {
        let meaning = entry.meaning.parts
        return JSONValue(members: [
            "sender": entry.sender.rawValue, "wire": entry.wire, "meaning": meaning.word.lowercased(),
            "canonical": meaning.canonical, "reason": meaning.reason, "count": entry.count, "first": entry.location,
        ])
    }
}

extension DialectCoverage.Meaning {
    /// Its rank in the report, its word, and the canonical name or the reason.
    fileprivate var parts: (rank: Int, word: String, canonical: String?, reason: String?) {
        switch self {
        case .understood(let canonical): (0, "understood", canonical, nil)
        case .unknown(let reason): (1, "unknown", nil, reason)
        case .ignored(let reason): (2, "ignored", nil, reason)
        case .noMessage: (3, "no message", nil, nil)
        case .unmapped(let reason): (4, "NOT MAPPED", nil, reason)
        }
    }
}
