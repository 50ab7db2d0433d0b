import Holdfast
import JSON

extension Baseline {
    /// The most bytes of a baseline.
    private static let maxBytes = 4 << 20

    /// Reads a baseline.
    ///
    /// Names of clauses and scenarios are not looked up: what names nothing is told by the run.
    /// - Parameters:
    ///   - bytes: The file.
    ///   - file: Its name.
    ///   - today: The day from which on an entry may hold for a year at most.
    /// - Throws: Every problem of the file at once, with line and column.
    package init(_ bytes: [UInt8], file: String, today: CivilDate) throws(InputProblems) {
        let entries = try MemberReader.read(bytes, file: file, expected: "a baseline", maxBytes: Self.maxBytes) {
            Self.entries($0, today)
        }
        self.init(file: file, entries: entries)
    }

    private static func entries(_ reader: MemberReader, _ today: CivilDate) -> [Entry] {
        reader.refuseUnknown(besides: ["format", "version", "expected"])
        if let format = reader.string("format", required: true), format != self.format {
            let _: Never? = reader.wrong("format", .string(format), "'\(self.format)'")
        }
        _ = reader.integer("version", in: version...version, required: true)
        var entries: [Entry] = []
        for element in reader.array("expected", required: true) ?? [] {
            guard let member = MemberReader(element.value, at: element.pointer, into: reader.collector) else {
                continue
            }
            let line = reader.collector.location(of: element.pointer)?.line ?? 0
            guard let entry = entry(member, line: line, today) else { continue }
            if let before = entries.first(where: { $0.clause == entry.clause && $0.scenario == entry.scenario }) {
                reader.collector.note(
                    element.pointer,
                    "\(entry.clause) in '\(entry.scenario.text)' stands here already, in line \(before.line)",
                    expected: "each clause and scenario once", fix: "remove one of them")
            }
            entries.append(entry)
        }
        return entries
    }

    private static func entry(_ reader: MemberReader, line: Int, _ today: CivilDate) -> Entry? {
        reader.refuseUnknown(besides: ["clause", "scenario", "reason", "link", "expires", "intermittent"])
        let clause = reader.string("clause", required: true)
        let scenario = reader.string("scenario", required: true)
        let reason = reader.string("reason", required: true)
        let link = reader.string("link")
        if let link, !["http://", "https://"].contains(where: link.hasPrefix) {
            let _: Never? = reader.wrong("link", .string(link), "an address that starts with https://, or http://")
        }
        if reason == BaselineWriter.placeholder {
            reader.collector.note(
                reader.pointer.appending("reason"), "the reason is not filled in",
                expected: "why this violation is expected", fix: "say in a sentence why it may stand until it expires")
        }
        let expires = reader.expiry("expires", today: today)
        guard let clause, let scenario, let reason, let expires else { return nil }
        return Entry(
            clause: clause, scenario: scenario, reason: reason, link: link, expires: expires,
            isIntermittent: reader.bool("intermittent") ?? false, line: line)
    }
}
