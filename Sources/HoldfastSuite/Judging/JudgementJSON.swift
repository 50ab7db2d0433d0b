import Holdfast
import JSON
import Judge
import Report

/// The judgement for machines.
package struct JudgementJSON {
    private let judgement: Judgement
    private let specification: Specification

    package init(_ judgement: Judgement, _ specification: Specification) {
        self.judgement = judgement
        self.specification = specification
    }

    package var value: JSONValue {
        var object: JSONObject = [
            "format": "holdfast-judgement", "version": 1, "specification": .string(specification.version),
            "exit": ["code": JSONValue(Int(judgement.exit.rawValue)), "meaning": .string(judgement.exit.meaning)],
            "bytes": JSONValue(judgement.bytes), "events": JSONValue(judgement.events),
            "histories": JSONValue(judgement.histories), "files": .array(judgement.files.map(file)),
            "clauses": .array(judgement.clauses.keys.sorted().map(clause)),
        ]
        if judgement.recomputed > 0 {
            object["recomputed"] = JSONValue(judgement.recomputed)
            object["differing"] = JSONValue(judgement.differenceCount)
            object["differences"] = .array(judgement.differences.map(difference))
        }
        object["problems"] = .array(judgement.problems.map { .string($0.description) })
        return .object(object)
    }

    private func texts(_ texts: some Sequence<String>) -> JSONValue { .array(texts.map { .string($0) }) }

    private func file(_ file: Judgement.FileTally) -> JSONValue {
        var object: JSONObject = ["name": .string(file.name), "bytes": JSONValue(file.summary.bytes)]
        object["form"] = file.summary.form.map { .string($0.rawValue) }
        object["histories"] = JSONValue(file.histories)
        object["cutShort"] = JSONValue(file.cutShort)
        object["events"] = JSONValue(file.events)
        let foreign = file.foreignSpecifications(to: specification.version)
        if !foreign.isEmpty { object["recordedUnder"] = texts(foreign) }
        object["lacks"] = file.summary.lacks.map { texts($0.map(\.rawValue).sorted()) }
        object["leftOut"] = .array(
            file.summary.leftOut.entries.map { entry in
                [
                    "reason": .string(entry.reason), "count": JSONValue(entry.count),
                    "first": .string(entry.first.description),
                ]
            })
        return .object(object)
    }

    private func clause(_ id: ClauseID) -> JSONValue {
        let tally = judgement.clauses[id] ?? Judgement.ClauseTally()
        var object: JSONObject = [
            "id": .string(id.description), "outcome": .string(tally.outcome.rawValue),
            "exercised": JSONValue(tally.exercised), "findings": JSONValue(tally.findings),
        ]
        if !tally.wasReachable, !tally.unreached.isEmpty {
            object["unreached"] = texts(tally.unreached.sorted())
        }
        if !tally.exhibits.isEmpty {
            object["first"] = .array(
                tally.exhibits.map { exhibit in
                    [
                        "file": .string(exhibit.name), "history": JSONValue(exhibit.number),
                        "what": .string(exhibit.finding.what), "expected": .string(exhibit.finding.expected),
                        "actual": .string(exhibit.finding.actual),
                        "events": texts(exhibit.lines),
                    ]
                })
        }
        return .object(object)
    }

    private func difference(_ difference: Judgement.Difference) -> JSONValue {
        [
            "scenario": .string(difference.scenario), "clause": .string(difference.clause.description),
            "stored": .string(difference.stored), "computed": .string(difference.computed),
        ]
    }
}

/// The folder `--out` names: the judgement for machines, and each part with violations as a transcript.
extension Judgement {
    package func write(to path: String, _ specification: Specification) throws {
        try Files.makeFolder(path)
        for part in parts {
            try Files.write(part.text, to: "\(path)/transcripts/\(part.name).ndjson", makingFolders: true)
        }
        try Files.write(
            JudgementJSON(self, specification).value.text(pretty: true) + "\n", to: "\(path)/judgement.json")
    }
}
