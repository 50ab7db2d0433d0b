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

/// The pages of the scenarios, one for each role and area.
struct ScenarioPages {
    let site: Site
    let links: LinkResolver

    func all() -> [(page: String, title: String, content: String)] {
        Dictionary(grouping: site.scenarios, by: \.page).sorted { $0.key < $1.key }.map { page, scenarios in
            let parts = scenarios[0].name.split(separator: "/")
            let title = "Scenarios: \(parts.first ?? ""), \(parts.dropFirst().first ?? "")"
            let renderer = PageRenderer(links: links, page: page)
            let sections = scenarios.map { scenario in
                """
                <section id="\(escapedForMarkup(scenario.anchor))" class="card">
                <h2><a class="here" href="#\(escapedForMarkup(scenario.anchor))">\(escapedForMarkup(scenario.name))</a></h2>
                <p><strong>\(escapedForMarkup(scenario.title)).</strong> \(renderer.withClauses(scenario.summary))</p>
                <p>Exercises \(renderer.withClauses(scenario.clauses.map(\.description).joined(separator: ", "))).</p>
                <details><summary>Steps</summary><pre tabindex="0"><code>\(escapedForMarkup(scenario.text))</code></pre></details>
                </section>
                """
            }
            return (page, title, "<h1>\(escapedForMarkup(title))</h1>\n" + sections.joined(separator: "\n"))
        }
    }
}
