import Holdfast
import HoldfastBasics
import HoldfastReference
import HoldfastReport
import HoldfastSuite
import ReferenceClient

/// Everything that can be explained, by name.
package struct TopicBook {
    private let specification: Specification
    private let style: ConsoleStyle
    private let handbook: Handbook
    private let fixtures: FixtureIndex
    private let symptoms: SymptomIndex

    package init(_ specification: Specification, _ style: ConsoleStyle) throws {
        self.specification = specification
        self.style = style
        handbook = Handbook(specification)
        fixtures = try FixtureIndex(specification.files)
        symptoms = SymptomIndex(specification.files)
    }

    /// The pages on a topic: one, or one for each clause that a pattern names, and for each symptom that is called so.
    package func pages(on topic: String) throws(InputProblem) -> [String] {
        let called = symptoms.entries(for: topic)
        let named = named(topic)
        if !named.isEmpty { return named + called.filter { $0.isCalled(topic) }.map { page(on: $0) } }
        if !called.isEmpty { return called.map { page(on: $0) } }
        throw InputProblem(
            "explain", "there is nothing called '\(topic)'",
            expected:
                "a symptom such as spinner, a clause such as SYNC-3, an area such as SYNC, a message, a term or a code",
            fix: nearestName(to: topic, among: names).map { "did you mean '\($0)'?" }
                ?? "run 'conformance explain' for the way in, or 'conformance list' for all clauses")
    }

    /// The pages on what has exactly this name.
    private func named(_ topic: String) -> [String] {
        if let status = Int32(topic).flatMap(ExitStatus.init(rawValue:)) { return [page(on: status)] }
        // Profiles and areas share names but for their case.
        if let profile = Profile(rawValue: topic) { return [page(on: profile)] }
        if let area = Area(rawValue: topic.uppercased()) { return [page(on: area)] }
        let pattern = NamePattern(topic.uppercased())
        let clauses = specification.clauses.filter { pattern.matches($0.id) }
        if !clauses.isEmpty {
            let scenarios = try? specification.allScenarios(naming: clauses.count == 1 ? clauses.first?.id : nil)
            let page = ClausePage(
                specification: specification, style: style, scenarios: scenarios ?? [], fixtures: fixtures,
                handbook: handbook)
            return clauses.map(page.text)
        }
        let entries = entries
        let said = entries.filter { $0.name == topic }
        let alike = said.isEmpty ? entries.filter { $0.name.lowercased() == topic.lowercased() } : said
        // A scenario goes by its last word too.
        let found = alike.isEmpty ? entries.filter { $0.name.hasSuffix("/\(topic)") } : alike
        return found.map(\.page)
    }

    /// Every name there is; what people type in small letters is found too.
    private var names: [String] {
        specification.clauses.map(\.id.description) + Area.allCases.map(\.rawValue) + Profile.allCases.map(\.rawValue)
            + entries.map(\.name) + symptoms.entries.flatMap(\.words)
    }

    private var entries: [(name: String, page: String)] {
        let prose =
            handbook.messages.map { ("message", $0) } + handbook.terms.map { ("term", $0) }
            + handbook.codes.map { (Int($0.name) == nil ? "error code" : "close code", $0) }
        let written = prose.map { kind, entry in
            (
                entry.name,
                "\(style.bold(entry.name)) · \(kind)\n\n\(PlainMarkdown(style: style).text(entry.text, indent: 2))"
            )
        }
        let performed = ((try? specification.allScenarios()) ?? []).map { scenario in
            (
                scenario.name,
                "\(style.bold(scenario.name)) · scenario\n\n"
                    + style.wrapped(scenario.title, indent: 2) + "\n\nClauses\n"
                    + style.wrapped(scenario.clauses.map(\.description).joined(separator: ", "), indent: 2)
            )
        }
        let defects =
            Defect.all.map { ($0.name, $0.clause, $0.summary, "serve") }
            + ClientDefect.all.map { ($0.name, $0.clause, $0.summary, "client --reference") }
        let broken = defects.map { name, clause, summary, command in
            let head = "\(style.bold(name)) · defect that breaks \(clause)"
            let see = "See it: conformance \(command) --defect \(name)"
            return (name, [head, style.wrapped(summary, indent: 2), see].joined(separator: "\n\n"))
        }
        return written + performed + broken
    }

    private func page(on symptom: SymptomIndex.Entry) -> String {
        let clauses = symptom.clauses.compactMap { name in ClauseID(name).flatMap { specification[$0] } }
        let lines = clauses.map { clause in
            style.wrapped(
                padded(clause.id.description, 11) + clause.sentence, indent: 2, hanging: 11, keepingSpaces: 11)
        }
        let runs = symptom.scenarios.map { name in
            "  conformance \(name.hasPrefix("client/") ? "client" : "server") --reference --only \(name)"
        }
        let sections: [(String, [String])] = [
            ("Clauses", lines), ("Scenarios that show it", runs),
            ("In a recording", clauses.isEmpty ? [] : ["  conformance judge CAPTURE"]),
            ("Read", ["  Spec/\(symptom.page.file) (\(symptom.page.title))"]),
        ]
        return [
            style.bold(symptom.title) + "\n"
                + style.wrapped("also called: \(symptom.words.joined(separator: ", "))", indent: 0, hanging: 2),
            PlainMarkdown(style: style).text(symptom.text, indent: 2),
        ].joined(separator: "\n\n")
            + sections.filter { !$0.1.isEmpty }.map { "\n\n\(style.bold($0.0))\n\($0.1.joined(separator: "\n"))" }
            .joined()
    }

    private func page(on status: ExitStatus) -> String {
        "\(style.bold("\(status.rawValue)")) · exit code: \(status.meaning)\n\n\(style.wrapped(status.advice, indent: 2))"
    }

    private func page(on area: Area) -> String {
        let (title, text) = handbook.introduction(to: area)
        return list(
            "\(style.bold(area.rawValue)) · \(title)", text, specification.clauses.filter { $0.id.area == area })
    }

    private func page(on profile: Profile) -> String {
        list(
            "\(style.bold(profile.rawValue)) · profile of a \(profile.role.rawValue)",
            "A \(profile.role.rawValue) that declares it is judged by these clauses.",
            specification.clauses.filter { $0.profile == profile || $0.companions.contains(profile) })
    }

    private func list(_ head: String, _ text: String, _ clauses: [Clause]) -> String {
        let lines = clauses.map { clause in
            style.wrapped(
                padded(clause.id.description, 11) + clause.sentence, indent: 2, hanging: 11, keepingSpaces: 11)
        }
        return [
            "\(head) · \(clauses.count) clauses", PlainMarkdown(style: style).text(text, indent: 2),
            lines.joined(separator: "\n"),
            "One of them: conformance explain \(clauses.first?.id.description ?? "SYNC-3")",
        ].joined(separator: "\n\n")
    }
}

extension SymptomIndex.Entry {
    /// Whether a word is one of its names.
    fileprivate func isCalled(_ word: String) -> Bool { words.contains { $0.lowercased() == word.lowercased() } }
}

extension ExitStatus {
    /// What whoever sees it does next.
    fileprivate var advice: String {
        switch self {
        case .conforms: "Every clause in question was put to the test and kept; nothing is left to do."
        case .violation:
            "A clause is broken, and the report shows the frames. 'conformance explain CLAUSE' says why it matters; the line 'again:' of the report runs it alone."
        case .incomplete:
            "Nothing is broken, and not everything is proved: a clause of a declared profile was not exercised, or its evidence proves nothing. The lines 'untested:' say what is missing; 'conformance doctor' says it before a run."
        case .staleBaseline:
            "An entry of the baseline names nothing, is over, or expects a violation that is none any more. Correct or delete the line that the report names."
        case .usage: "The command was given something that it cannot use. The message names it, and says what to write."
        case .unreachable: "The subject took no connection, or did not start. Nothing was tested."
        case .harness:
            "The suite itself failed. The run says nothing about the subject; the transcripts help to report it."
        }
    }
}
