import Holdfast
import HoldfastBasics
import HoldfastJudge

struct AreaTable {
    let report: RunReport
    let style: ConsoleStyle

    /// The lines; nil if no clause applies.
    var text: String? {
        var areas = Dictionary(
            grouping: report.clauses.filter { $0.outcome != .notApplicable }, by: \.clause.id.area)
        for area in report.undecidedByArea.keys { areas[area, default: []] += [] }
        guard !areas.isEmpty else { return nil }
        let rows = areas.sorted { $0.key < $1.key }.map { area, results in
            (
                area: area, counts: counts(results, in: area),
                checks: readable(results.reduce(0) { $0 + $1.exercised })
            )
        }
        let widest = rows.map(\.counts.plain.count).max() ?? 0
        let digits = rows.map(\.checks.count).max() ?? 0
        return rows.map { row in
            let space = String(repeating: " ", count: widest - row.counts.plain.count)
            let unit = row.checks == "1" ? "check" : "checks"
            return padded(row.area.rawValue, 9) + row.counts.painted + space + "  "
                + style.dim("\(aligned(row.checks, digits)) \(unit)")
        }.joined(separator: "\n")
    }

    private func counts(_ results: [ClauseResult], in area: Area) -> (plain: String, painted: String) {
        var plain: [String] = []
        var painted: [String] = []
        func add(_ count: Int, _ word: String, _ paint: (String) -> String) {
            guard count > 0 else { return }
            let text = (plain.isEmpty ? aligned("\(count)", 2) : "\(count)") + " \(word)"
            plain.append(text)
            painted.append(paint(text))
        }
        let expected = results.count(where: report.isExpected)
        for (outcome, word) in RunReport.words {
            let count = results.count { $0.outcome == outcome && !report.isExpected($0) }
            add(count, word) { style.painted($0, as: outcome) }
        }
        add(expected, "violated as expected", style.dim)
        for (word, count) in report.undecidedByArea[area] ?? [] { add(count, word, style.dim) }
        return (plain.joined(separator: ", "), painted.joined(separator: ", "))
    }
}

extension RunReport {
    /// The numbers of undecided clauses by area and report word; out of reach comes first.
    var undecidedByArea: [Area: [(word: String, count: Int)]] {
        var areas: [Area: [(word: String, count: Int)]] = [:]
        for (word, clauses) in [("out of reach", unreached), ("set aside", setAside)] {
            for (area, own) in Dictionary(grouping: clauses, by: \.area) {
                areas[area, default: []].append((word, own.count))
            }
        }
        return areas
    }
}

extension Collection<ClauseID> {
    /// The number of clauses by area on one line, such as `REST 3, SYNC 12`.
    var byArea: String {
        Dictionary(grouping: self, by: \.area).sorted { $0.key < $1.key }
            .map { "\($0.key.rawValue) \($0.value.count)" }.joined(separator: ", ")
    }

    /// The ids if they are few or all are requested, else their number by area.
    package func named(_ namesAll: Bool) -> String {
        namesAll || count <= 8 ? map(\.description).joined(separator: ", ") : byArea
    }
}
