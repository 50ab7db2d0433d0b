import Holdfast
import HoldfastJSON
import HoldfastJudge
import HoldfastReport

package struct JudgementJSON {
    private let judgement: Judgement
    private let specification: Specification

    package init(_ judgement: Judgement, _ specification: Specification) {
        self.judgement = judgement
        self.specification = specification
    }

    package var value: JSONValue {
        let isRecomputed = judgement.recomputed > 0
        return JSONValue(members: [
            "format": "holdfast-judgement", "version": 1, "specification": specification.version,
            "headline": judgement.headline, "failOn": judgement.failsOn.rawValue,
            "exit": JSONValue(members: [
                "code": Int(judgement.exit.rawValue), "meaning": judgement.meaning,
            ]),
            "bytes": judgement.bytes, "events": judgement.events, "histories": judgement.histories,
            "files": judgement.files.map(file), "story": judgement.story?.chapters.map(chapter),
            "clauses": judgement.clauses.sorted { $0.key < $1.key }.map { clause($0, $1) },
            "observations": judgement.observed.map(observation),
            "recomputed": isRecomputed ? judgement.recomputed : nil,
            "differing": isRecomputed ? judgement.differenceCount : nil,
            "differences": isRecomputed ? judgement.differences.map(difference) : nil,
            "problems": judgement.problems.map(\.description),
        ])
    }

    private func file(_ file: Judgement.FileTally) -> JSONValue {
        JSONValue(members: [
            "name": file.name, "bytes": file.summary.bytes, "form": file.summary.form?.rawValue,
            "histories": file.histories, "cutShort": file.cutShort, "events": file.events,
            "recordedUnder": file.foreignSpecifications(to: specification.version).orAbsent,
            "lacks": file.summary.lacks?.map(\.rawValue).sorted(),
            "remarks": file.summary.remarks.orAbsent,
            "leftOut": file.summary.leftOut.entries.map {
                JSONValue(members: ["reason": $0.reason, "count": $0.count, "first": $0.first.description])
            },
        ])
    }

    private func chapter(_ chapter: Story.Chapter) -> JSONValue {
        JSONValue(members: [
            "title": chapter.title,
            "lines": chapter.lines.map { JSONValue(members: ["ms": $0.time.map { $0 / 1000 }, "what": $0.what]) },
        ])
    }

    private func clause(_ id: ClauseID, _ tally: Judgement.ClauseTally) -> JSONValue {
        let first = tally.exhibits.map { exhibit in
            JSONValue(members: [
                "file": exhibit.name, "history": exhibit.number, "what": exhibit.found.finding.what,
                "expected": exhibit.found.finding.expected, "actual": exhibit.found.finding.actual,
                "events": exhibit.lines,
                "chart": lines(of: exhibit.chart),
            ])
        }
        return JSONValue(members: [
            "id": id, "outcome": tally.outcome.rawValue, "exercised": tally.exercised, "findings": tally.findings,
            "unreached": tally.wasReachable ? nil : tally.unreached.sorted().orAbsent, "first": first.orAbsent,
        ])
    }

    private func observation(_ kind: Symptom.Kind, _ tally: Judgement.SymptomTally) -> JSONValue {
        JSONValue(members: [
            "kind": kind.rawValue, "count": tally.count, "explain": kind.topic,
            "first": tally.exhibits.map { exhibit in
                JSONValue(members: [
                    "file": exhibit.name, "history": exhibit.number, "what": exhibit.found.what,
                    "lastedMs": exhibit.found.lasted > 0 ? exhibit.found.lasted / 1000 : nil,
                    "events": exhibit.lines, "chart": lines(of: exhibit.chart),
                ])
            },
        ])
    }

    private func lines(of chart: SequenceChart) -> [String] {
        TextChart(chart, style: ConsoleStyle(width: 120)).excerpt()
    }

    private func difference(_ difference: Judgement.Difference) -> JSONValue {
        JSONValue(members: [
            "scenario": difference.scenario, "clause": difference.clause, "stored": difference.stored,
            "computed": difference.computed,
        ])
    }
}

/// The folder that `--out` names: the judgement as JSON, and each part with violations as a transcript.
extension Judgement {
    package func write(to path: String, _ specification: Specification) throws {
        try Files.makeFolder(path)
        for part in parts {
            try Files.write(part.text, to: "\(path)/" + JSONReport.transcript(of: part.name), makingFolders: true)
        }
        try Files.write(
            JudgementJSON(self, specification).value.text(pretty: true) + "\n", to: "\(path)/judgement.json")
    }
}
