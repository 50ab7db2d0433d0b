import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastReference
import HoldfastReport
import HoldfastSuite
import ReferenceClient

/// Everything that can be explained, by name.
package struct TopicBook {
    let specification: Specification
    let style: ConsoleStyle
    let handbook: Handbook
    let fixtures: FixtureIndex
    private let symptoms: SymptomIndex

    package init(_ specification: Specification, _ style: ConsoleStyle) throws {
        self.specification = specification
        self.style = style
        handbook = Handbook(specification: specification)
        fixtures = try FixtureIndex(specification.files)
        symptoms = SymptomIndex(specification.files)
    }

    /// The protocol on one sheet, and the commands to continue with; without a final newline.
    package var sheet: String {
        let sheet = handbook.sheet
        let areas = Area.allCases.map(\.rawValue).joined(separator: " ")
        let ways = [
            ("conformance explain SYNC", "the clauses of an area: \(areas)"),
            ("conformance explain SYNC-3", "a clause, kept and broken"),
            ("conformance serve", "a server to try a client on"),
            ("conformance server URL", "test a server"),
            ("conformance client -- DRIVER", "test a client"),
        ].map { command, what in
            style.wrapped("\(padded(command, 30))\(what)", indent: 2, hanging: 30, keepingSpaces: 30)
        }
        return [
            style.bold(sheet.title), PlainMarkdown(style: style).text(sheet.text),
            style.bold("Go on") + "\n" + ways.joined(separator: "\n"),
        ].joined(separator: "\n\n")
    }

    /// The pages on topics, or on one topic of several words; `page` gives those that only the caller knows.
    package func pages(on topics: [String], orElse page: (String) -> String?) throws -> [String] {
        let whole = topics.joined(separator: " ")
        // Several lowercase words may be one phrase; names keep their case.
        if topics.count > 1, topics.allSatisfy({ $0.allSatisfy { $0.isLowercase || $0 == "'" || $0 == "," } }) {
            if let page = page(whole) { return [page] }
            let known = named(whole)
            if !known.isEmpty { return known }
            let matching = symptoms.entries(for: whole)
            let areNames = topics.allSatisfy { !named($0).isEmpty }
            if !matching.isEmpty, !areNames || matching.contains(where: { $0.isCalled(whole) }) {
                return matching.map { self.page(on: $0) }
            }
        }
        var pages: [String] = []
        var problems: [InputProblem] = []
        for topic in topics {
            do throws(InputProblem) {
                if let page = page(topic) { pages.append(page) } else { pages += try self.pages(on: topic) }
            } catch {
                problems.append(error)
            }
        }
        // If some words are not topics, try all of them as a sentence; if that fails, explain the names in it.
        if !problems.isEmpty, topics.count > 1 {
            do throws(InputProblem) {
                return try self.pages(on: whole)
            } catch {
                let names = topics.filter { $0.contains("_") || $0.dropFirst().contains(where: \.isUppercase) }
                let known = names.flatMap(named)
                if known.isEmpty { throw error }
                return known
            }
        }
        try problems.throwAll()
        return pages
    }

    /// The pages on a topic: one, or one for each clause that a pattern names, and for each symptom with this name.
    func pages(on topic: String) throws(InputProblem) -> [String] {
        let matching = symptoms.entries(for: topic)
        let named = named(topic)
        if !named.isEmpty { return named + matching.filter { $0.isCalled(topic) }.map { page(on: $0) } }
        if !matching.isEmpty { return matching.map { page(on: $0) } }
        throw InputProblem(
            "explain", "unknown topic '\(topic)'",
            expected:
                "a symptom such as spinner, a clause such as SYNC-3, an area such as SYNC, a message, a term or a code",
            fix: nearestName(to: topic, among: names).map { "did you mean '\($0)'?" } ?? nearest(to: topic))
    }

    private func nearest(to topic: String) -> String {
        let found = symptoms.nearest(to: topic).map { "'\($0.name)' (\($0.entry.title))" }
        return "choose a known topic; the nearest are \(found.joined(separator: ", "))"
    }

    private func named(_ topic: String) -> [String] {
        if let status = Int32(topic).flatMap(ExitStatus.init(rawValue:)) { return [page(on: status)] }
        // Profiles and areas have the same names except for case.
        if let profile = Profile(rawValue: topic) { return [page(on: profile)] }
        if let area = Area(rawValue: topic.uppercased()) { return [page(on: area)] }
        let pattern = NamePattern(topic.uppercased())
        let clauses = specification.clauses.filter { pattern.matches($0.id) }
        if !clauses.isEmpty {
            let scenarios = scenarios(of: clauses)
            return clauses.map { page(on: $0, scenarios: scenarios[$0.id] ?? []) }
        }
        let entries = entries
        let exact = entries.filter { $0.name == topic }
        let alike = exact.isEmpty ? entries.filter { $0.name.lowercased() == topic.lowercased() } : exact
        // The last part of a scenario's name is enough.
        let found = alike.isEmpty ? entries.filter { $0.name.hasSuffix("/\(topic)") } : alike
        return found.map { $0.page() }
    }

    /// Every known name; lookups also find lowercase spellings.
    package var names: [String] {
        specification.clauses.map(\.id.description) + Area.allCases.map(\.rawValue) + Profile.allCases.map(\.rawValue)
            + entries.map(\.name) + symptoms.entries.flatMap(\.words)
    }

    /// A name, and a function that makes its page on demand.
    private typealias Entry = (name: String, page: () -> String)

    private var entries: [Entry] {
        let prose =
            handbook.messages.map { ("message", $0) } + handbook.terms.map { ("term", $0) }
            + handbook.codes.map { (Int($0.name) == nil ? "error code" : "close code", $0) }
        let written = prose.map { kind, entry -> Entry in
            (
                entry.name,
                { "\(style.bold(entry.name)) · \(kind)\n\n\(PlainMarkdown(style: style).text(entry.text, indent: 2))" }
            )
        }
        let performed = specification.scenarioNames.map { name -> Entry in (name, { page(onScenario: name) }) }
        let defects =
            Defect.all.map { ($0.name, $0.clause, $0.summary, "serve") }
            + ClientDefect.all.map { ($0.name, $0.clause, $0.summary, "client --reference") }
        let broken = defects.map { name, clause, summary, command -> Entry in
            let head = "\(style.bold(name)) · defect that breaks \(clause)"
            let see = "See it: conformance \(command) --defect \(name)"
            return (name, { [head, style.wrapped(summary, indent: 2), see].joined(separator: "\n\n") })
        }
        return written + performed + broken
    }

    /// The names of the scenarios that exercise clauses, by area.
    private func scenarios(of clauses: [Clause]) -> [ClauseID: [String]] {
        // For a single clause, a file is parsed only if it contains the id.
        let only = clauses.count == 1 ? clauses.first.map { "\"\($0.id)\"" } : nil
        var names: [ClauseID: [String]] = [:]
        for name in specification.scenarioNames {
            guard let text = specification.files.texts["scenarios/\(name).json"], only.map(text.contains) ?? true else {
                continue
            }
            for clause in Self.clauses(of: try? JSONParser.value(text)).compactMap(ClauseID.init) {
                names[clause, default: []].append(name)
            }
        }
        return names.mapValues { names in
            names.sorted { (Area(ofScenario: $0) ?? .CLIENT, $0) < (Area(ofScenario: $1) ?? .CLIENT, $1) }
        }
    }

    private static func clauses(of scenario: JSONValue?) -> [String] {
        (scenario?["clauses"]?.arrayValue ?? []).compactMap(\.stringValue)
    }

    /// The page on one scenario, from its file alone: reading all scenarios takes longer than everything else.
    private func page(onScenario name: String) -> String {
        let file = specification.files.json("scenarios/\(name).json")
        let clauses = Self.clauses(of: file)
        return "\(style.bold(name)) · scenario\n\n" + style.wrapped(file?["title"]?.stringValue ?? "", indent: 2)
            + "\n\nClauses\n" + style.wrapped(clauses.joined(separator: ", "), indent: 2)
    }

    private func page(on symptom: SymptomIndex.Entry) -> String {
        let clauses = symptom.clauses.compactMap { name in ClauseID(name).flatMap { specification[$0] } }
        let runs = [(Role.server, "server URL", ""), (.client, "client", " -- ./my-driver")].compactMap {
            (role, command, driver) -> String? in
            let names = clauses.filter { $0.role == role }.map { " --only \($0.id)" }
            return names.isEmpty ? nil : "  conformance \(command)\(names.joined())\(driver)"
        }
        let sections: [(String, [String])] = [
            ("Clauses", lines(clauses)), ("Test for it", runs),
            ("In a capture", clauses.isEmpty ? [] : ["  conformance judge CAPTURE"]),
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
            "A \(profile.role.rawValue) that declares it must keep these clauses.",
            specification.clauses.filter { $0.profile == profile })
    }

    private func lines(_ clauses: [Clause]) -> [String] {
        clauses.map { clause in
            style.wrapped(
                padded(clause.id.description, 11) + clause.sentence, indent: 2, hanging: 11, keepingSpaces: 11)
        }
    }

    private func list(_ head: String, _ text: String, _ clauses: [Clause]) -> String {
        return [
            "\(head) · \(clauses.count) clauses", PlainMarkdown(style: style).text(text, indent: 2),
            lines(clauses).joined(separator: "\n"),
            "One of them: conformance explain \(clauses.first?.id.description ?? "SYNC-3")",
        ].joined(separator: "\n\n")
    }
}

extension SymptomIndex.Entry {
    fileprivate func isCalled(_ word: String) -> Bool { words.contains { $0.lowercased() == word.lowercased() } }
}

extension ExitStatus {
    fileprivate var advice: String {
        switch self {
        case .conforms: "Every applicable clause was tested and passed."
        case .violation:
            "A clause is violated, and the report shows the frames. 'conformance explain CLAUSE' says why it matters; the line 'again:' reruns only this clause."
        case .incomplete:
            "No violations, but not everything is proved: a clause of a declared profile was not exercised, or its evidence is inconclusive. The lines 'untested:' say what is missing; 'conformance doctor' says it before a run."
        case .staleBaseline:
            "A baseline entry matches nothing, has expired, or expects a violation that no longer happens. Correct or delete the line that the report shows."
        case .usage: "The command line or an input file is wrong. The message says what and how to fix it."
        case .unreachable: "The subject accepted no connection or did not start. Nothing was tested."
        case .harness:
            "The suite itself failed. The run says nothing about the subject; please report it with the transcripts."
        }
    }
}
