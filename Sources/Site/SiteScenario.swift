import Holdfast
import HoldfastBasics
import HoldfastJSON

struct SiteScenario: Sendable {
    let name: String
    let title: String
    let summary: String
    let clauses: [ClauseID]
    let text: String

    var page: String { "scenarios/\(name.split(separator: "/").dropLast().joined(separator: "-")).html" }

    var anchor: String { String(name.split(separator: "/").last ?? "") }

    var address: String { "\(page)#\(anchor)" }

    static func all(in files: SpecificationFiles) throws(InputProblems) -> [SiteScenario] {
        var found: [SiteScenario] = []
        for (file, text) in files.texts {
            guard let name = SpecificationFiles.name(of: file, in: "scenarios") else { continue }
            let root: JSONValue
            do {
                root = try JSONParser.value(text)
            } catch {
                throw InputProblems([
                    InputProblem(location: "Spec/\(file)", what: "\(error)", expected: "a scenario", fix: "correct it")
                ])
            }
            found.append(
                SiteScenario(
                    name: name, title: root["title"]?.stringValue ?? "", summary: root["summary"]?.stringValue ?? "",
                    clauses: (root["clauses"]?.arrayValue ?? []).compactMap { $0.stringValue.flatMap { ClauseID($0) } },
                    text: text))
        }
        return found.sorted { $0.name < $1.name }
    }
}

extension Site {
    /// The pages of the scenarios, one for each role and area.
    func scenarioPages(_ links: LinkResolver) -> [(page: String, title: String, content: String)] {
        SiteMarkup.pages(
            scenarios, by: \.page, links: links,
            title: { "Scenarios: \($0.name.split(separator: "/").prefix(2).joined(separator: ", "))" }
        ) { scenario, renderer in
            let clauses = scenario.clauses.map(\.description).joined(separator: ", ")
            return (
                scenario.anchor, scenario.name,
                [
                    "<p><strong>\(escapedForMarkup(scenario.title)).</strong> \(renderer.withClauses(scenario.summary))</p>",
                    "<p>Exercises \(renderer.withClauses(clauses)).</p>",
                    "<details><summary>Steps</summary>\(SiteMarkup.code(scenario.text))</details>",
                ]
            )
        }
    }
}
