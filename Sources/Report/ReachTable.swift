import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastJudge
import HoldfastTranscript

/// The reach of a run compared with the goals of a life of three minutes, as stored in a report.
package struct ReachTable: JSONRepresentable {
    package let json: JSONValue

    init(_ stored: JSONValue) { json = stored }

    /// The reach of all scenarios against the reference peer of a role.
    ///
    /// `reach.json` has the dimensions with their goals and measured values; a test compares it with a run.
    package init?(ofScenarios role: Role) {
        guard let stored = (try? JSONParser.value(Resources.reachJSON))?[role.rawValue] else { return nil }
        json = stored
    }

    /// How often each scenario exercises each of its clauses with the reference peer; a test compares it with a run.
    static let exercised = (try? JSONParser.value(Resources.exercisedJSON)) ?? .null

    /// The goals of a life of three minutes.
    package static func goals(of role: Role) -> [Reach.Dimension: Int] {
        let rows = ReachTable(ofScenarios: role)?.rows("dimensions") ?? []
        let goals = rows.compactMap { row -> (Reach.Dimension, Int)? in
            guard let name = row["name"]?.stringValue.flatMap(Reach.Dimension.init) else { return nil }
            return row["goal"]?.intValue.map { (name, $0) }
        }
        return Dictionary(uniqueKeysWithValues: goals)
    }

    /// The reach of a subject; nil if nothing was counted.
    package init?(_ reach: Reach, of subject: History.Subject) {
        guard !reach.values.isEmpty, let table = ReachTable(ofScenarios: subject.role) else { return nil }
        let names = table.situations.map(\.name)
        json = JSONValue(members: [
            "version": 1,
            "dimensions": table.rows("dimensions").map { row in
                let dimension = row["name"]?.stringValue.flatMap(Reach.Dimension.init)
                let reached = dimension.flatMap { reach.values[$0] } ?? 0
                let isBelow = reached < row["goal"]?.intValue ?? 0
                return JSONValue(members: [
                    "name": row["name"], "what": row["what"], "unit": row["unit"], "reached": reached,
                    "goal": row["goal"], "needs": row["needs"],
                    "prevented": isBelow ? row["needs"].flatMap { Self.prevented($0, reach, subject) } : nil,
                ])
            },
            "situations": zip(table.rows("situations"), names.indices).map { row, index in
                let own = Reach.Situation(rawValue: names[index])
                let reached = names[index...].filter { name in
                    Reach.Situation(rawValue: name).map { reach.pairs.contains(.init(own ?? $0, $0)) } ?? false
                }
                return JSONValue(members: ["name": names[index], "what": row["what"], "met": reached])
            },
        ])
    }

    /// The limit that kept a dimension below its goal, and how to raise it.
    private static func prevented(_ needs: JSONValue, _ reach: Reach, _ subject: History.Subject) -> String? {
        if let count = needs["questions"]?.intValue, let limit = reach.limits["messagesPerMinute"], limit > 0 {
            let window = min(max(reach.limits["rateWindowSeconds"] ?? 60, 1), 60)
            let least = (count * window + 179) / 180
            guard limit < least else { return nil }
            return "questions of a person: \(limit) in \(window) s (limits.messagesPerMinute; \(least) would do)"
        }
        if let bytes = needs["frameBytes"]?.intValue, let limit = reach.limits["maxFrameBytes"], limit < bytes {
            return "frames: \(readable(limit)) bytes (limits.maxFrameBytes; \(readable(bytes)) would do)"
        }
        if let count = needs["people"]?.intValue, reach.values[.people] ?? 0 < count {
            return "\(counted(reach.values[.people] ?? 0, "person", "people")) (one --token for each)"
        }
        if let profile = needs["profile"]?.stringValue, !subject.profiles.map(\.rawValue).contains(profile) {
            return "profile '\(profile)', which is not declared"
        }
        return needs["start"] != nil && reach.values[.restarts] == nil
            ? "a server that the suite did not start (--start)" : nil
    }

    private func rows(_ name: String) -> [JSONValue] { json[name]?.arrayValue ?? [] }

    private var situations: [(name: String, words: String, met: Set<String>)] {
        rows("situations").map { row in
            let met = (row["met"]?.arrayValue ?? []).compactMap(\.stringValue)
            return (row["name"]?.stringValue ?? "", visible(row["what"]?.stringValue ?? ""), Set(met))
        }
    }

    package var shortfalls: [String] {
        rows("dimensions").compactMap { row in
            guard let reached = row["reached"]?.intValue, let goal = row["goal"]?.intValue, reached < goal else {
                return nil
            }
            return "\(visible(row["what"]?.stringValue ?? "")) \(readable(reached)) of \(readable(goal))"
        }
    }

    /// A line for each dimension: the largest value, the goal, and what prevented more.
    package func lines(_ style: ConsoleStyle) -> [String] {
        [style.bold(padded("dimension", 48) + aligned("largest", 16) + aligned("goal", 16))]
            + rows("dimensions").flatMap { row in
                let numbers = ["reached", "goal"].map { name in
                    let unit = row["unit"]?.stringValue.map { " " + $0 } ?? ""
                    return aligned(row[name]?.intValue.map { readable($0) + visible(unit) } ?? "-", 16)
                }
                let prevented = row["prevented"]?.stringValue.map { "prevented by \(visible($0))" }
                return [padded(visible(row["what"]?.stringValue ?? ""), 48) + numbers.joined()]
                    + (prevented.map { [style.wrapped($0, indent: 4)] } ?? [])
            } + [pairsInWords]
    }

    private var pairsInWords: String {
        let all = situations
        let count = all.reduce(0) { $0 + $1.met.subtracting([$1.name]).count }
        return "situations of a person within 10 s: \(count) of \(all.count * (all.count - 1) / 2) pairs met"
    }

    package func pairLines(_ style: ConsoleStyle) -> [String] {
        let all = situations
        let letters = all.indices.map { String(UnicodeScalar(UInt8(65 + min($0, 57)))) }
        let table = all.indices.map { row in
            let marks = all[..<row].map { $0.met.contains(all[row].name) ? "+" : "·" }
            return padded(letters[row], 3) + padded(all[row].words, 42) + marks.joined(separator: " ")
        }
        let known = all.filter { $0.met.contains($0.name) }
        let holes = all.indices.compactMap { row -> String? in
            guard all[row].met.contains(all[row].name) else { return "never: \(all[row].words)" }
            let later = Set(all[row...].map(\.name)).subtracting(all[row].met)
            let missing = known.filter { later.contains($0.name) }.map(\.words)
            return missing.isEmpty ? nil : "never with \(all[row].words): \(missing.joined(separator: ", "))"
        }
        return [style.bold(pairsInWords), "+ met, · not met"] + table + [
            padded("", 45) + letters.joined(separator: " ")
        ]
            + holes.map { style.wrapped($0, indent: 0, hanging: 2) }
    }

    var html: Markup {
        let parts = [("Dimensions, with the goals of a life of three minutes", lines), (pairsInWords, pairLines)]
        return Markup.joined(
            parts.map { title, lines in
                let text = lines(ConsoleStyle(width: 120)).joined(separator: "\n")
                return
                    "<details class=\"item\"><summary>\(title)</summary><pre class=\"said\">\(text)</pre></details>\n"
            })
    }
}
