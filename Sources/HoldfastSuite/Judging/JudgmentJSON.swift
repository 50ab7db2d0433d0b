import Holdfast
import HoldfastJSON
import HoldfastJudge
import HoldfastReport

extension Judgment {
    package func json(under specification: Specification) -> JSONValue {
        let isRecomputed = recomputed > 0
        return JSONValue(members: [
            "format": "holdfast-judgement", "version": 1, "specification": specification.version,
            "headline": headline, "failOn": failsOn.rawValue,
            "exit": JSONValue(members: ["code": Int(exit.rawValue), "meaning": meaning]),
            "bytes": bytes, "events": events, "histories": histories,
            "files": files.map { json(of: $0, specification.version) }, "story": timeline?.sections.map(json),
            "clauses": clauses.sorted { $0.key < $1.key }.map { json(of: $0, $1) },
            "observations": observed.map(json),
            "recomputed": isRecomputed ? recomputed : nil,
            "differing": isRecomputed ? differenceCount : nil,
            "differences": isRecomputed ? differences.map(json) : nil,
            "problems": problems.map(\.description),
        ])
    }

    private func json(of file: FileTally, _ version: String) -> JSONValue {
        JSONValue(members: [
            "name": file.name, "bytes": file.summary.bytes, "form": file.summary.form?.rawValue,
            "histories": file.histories, "cutShort": file.cutShort, "events": file.events,
            "recordedUnder": file.foreignSpecifications(to: version).orAbsent,
            "lacks": file.summary.lacks?.map(\.rawValue).sorted(),
            "remarks": file.summary.remarks.orAbsent,
            "leftOut": file.summary.leftOut.entries.map {
                JSONValue(members: ["reason": $0.reason, "count": $0.count, "first": $0.first.description])
            },
        ])
    }

    private func json(of section: Timeline.Section) -> JSONValue {
        JSONValue(members: [
            "title": section.title,
            "lines": section.lines.map { JSONValue(members: ["ms": $0.time.map { $0 / 1000 }, "what": $0.what]) },
        ])
    }

    private func json(of id: ClauseID, _ tally: ClauseTally) -> JSONValue {
        let first = tally.examples.map { example in
            JSONValue(members: [
                "file": example.name, "history": example.number, "what": example.found.finding.what,
                "expected": example.found.finding.expected, "actual": example.found.finding.actual,
                "events": example.lines,
                "chart": lines(of: example.chart),
            ])
        }
        return JSONValue(members: [
            "id": id, "outcome": tally.outcome.rawValue, "exercised": tally.exercised, "findings": tally.findings,
            "unreached": tally.wasReachable ? nil : tally.obstacles.sorted().orAbsent, "first": first.orAbsent,
        ])
    }

    private func json(of kind: Symptom.Kind, _ tally: SymptomTally) -> JSONValue {
        JSONValue(members: [
            "kind": kind.rawValue, "count": tally.count, "explain": kind.topic,
            "first": tally.examples.map { example in
                JSONValue(members: [
                    "file": example.name, "history": example.number, "what": example.found.what,
                    "lastedMs": example.found.lasted > 0 ? example.found.lasted / 1000 : nil,
                    "events": example.lines, "chart": lines(of: example.chart),
                ])
            },
        ])
    }

    private func lines(of chart: SequenceChart) -> [String] {
        TextChart(chart, style: ConsoleStyle(width: 120)).excerpt()
    }

    private func json(of difference: Difference) -> JSONValue {
        JSONValue(members: [
            "scenario": difference.scenario, "clause": difference.clause, "stored": difference.stored,
            "computed": difference.computed,
        ])
    }
}

/// The folder that `--out` names: the judgment as JSON, and each part with violations as a transcript.
extension Judgment {
    package func write(to path: String, _ specification: Specification) throws {
        try Files.makeFolder(path)
        for part in parts {
            try Files.write(part.text, to: "\(path)/" + JSONReport.transcript(of: part.name), makingFolders: true)
        }
        try Files.write(json(under: specification).text(pretty: true) + "\n", to: "\(path)/judgement.json")
    }
}
