import Holdfast
import JSON

extension Baseline {
    /// The most bytes of a baseline.
    private static let maxBytes = 4 << 20

    /// For how long an entry may hold: what nobody looks at for longer is forgotten.
    private static let maxDays = 366

    /// Reads a baseline.
    ///
    /// Names of clauses and scenarios are not looked up: what names nothing is told by the run.
    /// - Parameters:
    ///   - bytes: The file.
    ///   - file: Its name.
    ///   - today: The day from which on an entry may hold for a year at most.
    /// - Throws: Every problem of the file at once, with line and column.
    public init(_ bytes: [UInt8], file: String, today: CivilDate) throws(InputProblems) {
        let root: JSONValue
        do {
            root = try JSONParser.value(bytes: bytes, limits: JSONLimits(maxBytes: Self.maxBytes))
        } catch {
            throw InputProblems([InputProblem(error, in: file, expected: "a baseline")])
        }
        let collector = ProblemCollector(file: file, text: bytes)
        var entries: [Entry] = []
        if let reader = MemberReader(root, at: JSONPointer(), into: collector) {
            entries = Self.entries(reader, bytes, today)
        }
        guard collector.problems.isEmpty else { throw InputProblems(collector.problems) }
        self.init(file: file, entries: entries)
    }

    private static func entries(_ reader: MemberReader, _ bytes: [UInt8], _ today: CivilDate) -> [Entry] {
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
            let line = JSONParser.location(of: element.pointer, in: bytes)?.line ?? 0
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
        let expires = reader.string("expires", required: true).flatMap { text in
            text.utf8.count == 10
                ? CivilDate(text) ?? reader.wrong("expires", .string(text), "a day such as 2026-12-31")
                : reader.wrong("expires", .string(text), "a day such as 2026-12-31")
        }
        if let expires, expires > today.advanced(by: maxDays) {
            reader.collector.note(
                reader.pointer.appending("expires"), "\(expires) is more than a year ahead",
                expected: "a day up to \(today.advanced(by: maxDays))",
                fix: "give a nearer day; on it somebody decides anew")
        }
        guard let clause, let scenario, let reason, let expires else { return nil }
        return Entry(
            clause: clause, scenario: scenario, reason: reason, link: link, expires: expires,
            isIntermittent: reader.bool("intermittent") ?? false, line: line)
    }
}
