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
        var leftOut = CaptureLeftOut()

        /// Whether the capture contains anything unknown to the dialect; a bare frame of an unknown type has no
        /// direction.
        var hasUnmapped: Bool {
            !coverage.unmapped.isEmpty || leftOut.entries.contains { $0.reason == CaptureLeftOut.noDirection }
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
            for entry in entries.sorted(by: { Self.rank($0) < Self.rank($1) }) {
                text += "  " + Self.line(entry) + "\n"
            }
            let sums = Self.words.indices.compactMap { rank -> String? in
                let count = entries.filter { Self.rank($0) == rank }.reduce(0) { $0 + $1.count }
                return count == 0 ? nil : "\(count) \(Self.words[rank])"
            }
            text += "  \(capture.coverage.total) in all: \(sums.joined(separator: ", "))\n"
            for entry in capture.leftOut.entries {
                text += "  skipped     \(padded("\(entry.count)×", 6))\(entry.reason), first at \(entry.first)\n"
            }
        }
        return text
    }

    private static func line(_ entry: DialectCoverage.Entry) -> String {
        let what = "\(entry.sender.rawValue) \(entry.wire.map(shown) ?? shown(entry.text))"
        let head = padded(words[rank(entry)], 12) + padded("\(entry.count)×", 6) + what
        return switch entry.meaning {
        case .understood(let canonical): "\(head) → \(shown(canonical))"
        case .unknown(let reason), .ignored(let reason): "\(head): \(reason)"
        case .noMessage: "\(head): no object with a type"
        case .unmapped(let reason): "\(head): \(reason)\n\(padded("", 20))\(entry.location): \(shown(entry.text))"
        }
    }

    /// Indexed by `rank`, in the order of the report.
    private static let words = ["understood", "unknown", "ignored", "no message", "NOT MAPPED"]

    private static func rank(_ entry: DialectCoverage.Entry) -> Int {
        switch entry.meaning {
        case .understood: 0
        case .unknown: 1
        case .ignored: 2
        case .noMessage: 3
        case .unmapped: 4
        }
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
        let (canonical, reason): (String?, String?) =
            switch entry.meaning {
            case .understood(let canonical): (canonical, nil)
            case .unknown(let reason), .ignored(let reason), .unmapped(let reason): (nil, reason)
            case .noMessage: (nil, nil)
            }
        return JSONValue(members: [
            "sender": entry.sender.rawValue, "wire": entry.wire, "meaning": words[rank(entry)].lowercased(),
            "canonical": canonical, "reason": reason, "count": entry.count, "first": entry.location,
        ])
    }
}
