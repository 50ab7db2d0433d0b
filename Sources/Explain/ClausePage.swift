import Holdfast
import HoldfastJudge
import HoldfastReference
import HoldfastReport
import HoldfastSuite
import HoldfastTranscript
import ReferenceClient

extension TopicBook {
    /// The maximum number of rows of a history that is drawn.
    private static let maxRows = 16
    private static let maxNames = 6

    /// The page on one clause: what it asks for, why, how it is judged, and histories that keep and break it.
    ///
    /// * `scenarios`: The names of the scenarios that exercise it.
    func page(on clause: Clause, scenarios: [String]) -> String {
        let head = [
            style.bold(clause.id.description), "\(clause.role.rawValue)", "profile \(clause.profile.rawValue)",
            clause.keyword.rawValue, "since \(clause.since)",
        ].joined(separator: " · ")
        let text = handbook.introduction(to: clause.id.area).text.split(separator: "\n").joined(separator: " ")
        let preface = text.isEmpty ? nil : section("What \(clause.id.area.rawValue) is about", plain(text))
        let parts: [String?] = [
            "\(head)\n\n\(style.wrapped(clause.sentence, indent: 2))", section("Why", plain(clause.why)),
            section("How it is judged", plain(clause.judgedFrom)), preface, status(of: clause),
            clause.seen.map { section("Seen in the wild", plain($0)) }, origin(of: clause),
            history(of: clause, isBroken: false), history(of: clause, isBroken: true), evidence(on: clause, scenarios),
            "Written in Spec/\(clause.file), line \(clause.line).\(tryIt(clause))",
        ]
        return parts.compactMap(\.self).joined(separator: "\n\n")
    }

    private func section(_ title: String, _ text: String) -> String {
        "\(style.bold(title))\n\(style.wrapped(text, indent: 2))"
    }

    private func plain(_ text: String) -> String { PlainMarkdown(style: style).plain(text) }

    /// The reason why no run passes or fails a clause, if there is one.
    private func status(of clause: Clause) -> String? {
        if let reason = clause.exclusion { return section("Excluded", plain(reason)) }
        guard Checks.check(of: clause.id) == nil else { return nil }
        return section("Pending", "This clause has no check yet; no run passes or fails it.")
    }

    private func origin(of clause: Clause) -> String? {
        guard !clause.sources.isEmpty else { return nil }
        let lines = clause.sources.map { source -> String in
            guard let requirement = handbook.requirement(source) else { return style.wrapped(source, indent: 2) }
            return style.wrapped(
                "\(padded(source, 5))\(plain(requirement.inShort)) (\(requirement.sources))", indent: 2, hanging: 5,
                keepingSpaces: 5)
        }
        return "\(style.bold("Where it comes from"))\n\(lines.joined(separator: "\n"))"
    }

    /// A chart of a history from the fixtures; the events that break the clause are marked.
    private func history(of clause: Clause, isBroken: Bool) -> String? {
        guard let entry = fixtures.history(of: clause.id, isBroken: isBroken), let notation = entry.notation else {
            return nil
        }
        let header = History.Header(
            subject: History.Subject(name: "fixture", role: clause.role, profiles: entry.profiles))
        guard let history = try? NotationExpansion(notation, header: header, source: entry.file).history else {
            return nil
        }
        let verdict = judge(history, under: specification).first { $0.clause == clause.id }
        let claims = isBroken ? (verdict?.findings ?? []).map { SequenceChart.Claim(clause.id, $0) } : []
        let chart = TextChart(SequenceChart(history, marking: claims, maxVerbatim: 0), style: style, indent: 2)
        let lines =
            isBroken && !claims.isEmpty && history.events.count > Self.maxRows * 2
            ? chart.excerpt() : chart.lines(limit: Self.maxRows)
        let title = isBroken ? "Broken" : "Kept"
        return (["\(style.bold(title)): \(entry.why)", ""] + lines.map { "  " + $0 }).joined(separator: "\n")
    }

    /// The scenarios, fixtures and defects of a clause, and other clauses of the same requirement.
    private func evidence(on clause: Clause, _ performed: [String]) -> String {
        let files = fixtures.files(showing: clause.id).map { "Fixtures/\($0)" }
        let defects =
            Defect.all.filter { $0.clause == clause.id }.map(\.name)
            + ClientDefect.all.filter { $0.clause == clause.id }.map(\.name)
        let related = specification.clauses.filter {
            $0.id != clause.id && !Set($0.sources).isDisjoint(with: clause.sources)
        }
        let near = related.filter { $0.id.area == clause.id.area } + related.filter { $0.id.area != clause.id.area }
        return [
            names("Scenarios", performed, of: "conformance list --scenarios \(clause.id)"),
            names("Fixtures", files, of: "Fixtures/index.json"),
            names("Defects that break it", defects, of: "conformance selftest --only"),
            related.isEmpty
                ? nil
                : section(
                    "Related",
                    near.prefix(12).map(\.id.description).joined(separator: ", ")
                        + (near.count > 12 ? " and \(near.count - 12) more" : "")),
        ].compactMap(\.self).joined(separator: "\n\n")
    }

    private func names(_ title: String, _ names: [String], of command: String) -> String {
        guard !names.isEmpty else { return "\(style.bold(title))\n  none" }
        let rest = names.count > Self.maxNames ? ["and \(names.count - Self.maxNames) more: \(command)"] : []
        return ([style.bold(title)] + (names.prefix(Self.maxNames) + rest).map { "  \($0)" }).joined(separator: "\n")
    }

    private func tryIt(_ clause: Clause) -> String {
        guard clause.exclusion == nil else { return "" }
        let subject = clause.role == .server ? "server URL" : "client"
        let driver = clause.role == .server ? "" : " -- ./my-driver"
        return "\nTest it alone: conformance \(subject) --only \(clause.id)\(driver)"
    }
}
