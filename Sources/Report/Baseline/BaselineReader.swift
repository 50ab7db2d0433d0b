import Holdfast
import HoldfastBasics
import HoldfastJSON

extension Baseline {
    private static let maxBytes = 4 << 20

    /// Reads a baseline.
    ///
    /// Names of clauses and scenarios are not checked here: a run reports unknown ones.
    ///
    /// * `today`: An entry may be valid for at most a year from this day.
    package init(_ bytes: [UInt8], file: String, today: CivilDate) throws(InputProblems) {
        let entries = try MemberReader.read(
            bytes, file: file, schema: .baseline, expected: "a baseline", maxBytes: Self.maxBytes
        ) {
            Self.entries($0, today)
        }
        self.init(file: file, entries: entries)
    }

    private static func entries(_ stored: MemberReader, _ today: CivilDate) -> [Entry] {
        var entries: [Entry] = []
        for member in stored.objects("expected") {
            if member.text("reason") == BaselineWriter.placeholder {
                member.collector.note(
                    member.pointer.appending("reason"), "the reason is not filled in",
                    expected: "why this violation is expected",
                    fix: "say in one sentence why it is accepted until it expires")
            }
            guard let expires = member.expiry("expires", today: today) else { continue }
            let line = member.collector.location(of: member.pointer)?.line ?? 0
            let entry = Entry(member, expires: expires, line: line)
            if let before = entries.first(where: { $0.clause == entry.clause && $0.scenario == entry.scenario }) {
                member.collector.note(
                    member.pointer,
                    "\(entry.clause) in '\(entry.scenario.text)' is already listed, in line \(before.line)",
                    expected: "each clause and scenario once", fix: "remove one of them")
            }
            entries.append(entry)
        }
        return entries
    }
}

extension Baseline.Entry: JSONRepresentable {
    package var json: JSONValue {
        JSONValue(members: [
            "clause": clause, "scenario": scenario.text, "reason": reason, "link": link,
            "expires": expires.description, "intermittent": isIntermittent.orAbsent,
        ])
    }

    init(_ stored: MemberReader, expires: CivilDate, line: Int) {
        self.init(
            clause: stored.text("clause"), scenario: stored.text("scenario"), reason: stored.text("reason"),
            link: stored.string("link"), expires: expires, isIntermittent: stored.bool("intermittent") ?? false,
            line: line)
    }
}

/// Common parts of baselines and waivers: both accept something until a given day.
extension MemberReader {
    /// The required last day of validity, at most a year from today, so that nothing is accepted and forgotten.
    package func expiry(_ key: String, today: CivilDate) -> CivilDate? {
        guard let text = string(key) else { return nil }
        guard text.utf8.count == 10, let day = CivilDate(text) else {
            return wrong(key, .string(text), "a day such as 2026-12-31")
        }
        let latest = today.advanced(by: 366)
        guard day <= latest else {
            collector.note(
                pointer.appending(key), "\(day) is more than a year ahead", expected: "a day up to \(latest)",
                fix: "choose an earlier date")
            return nil
        }
        return day
    }
}
