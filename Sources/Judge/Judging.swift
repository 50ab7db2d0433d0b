import Holdfast
import HoldfastTranscript

/// Judges a history: one verdict for each clause of the subject's role that has a check.
///
/// A history in a dialect is judged by its canonical view; findings cite the verbatim events.
///
/// A pure function: it does no I/O and knows no subject, so a verdict can be recomputed anywhere from its transcript.
public func judge(_ history: History, under specification: Specification) -> [Verdict] {
    verdicts(of: ReadHistory(history, under: specification))
}

/// Judges a history by one rule of one clause, counted from 1; nil if no check applies.
package func judge(
    _ history: History, by rule: Int, of clause: ClauseID, under specification: Specification
) -> Verdict? {
    judgeWhole(ReadHistory(history, under: specification), only: (clause, rule)).first
}

/// Judges a history; for a capture, also finds the usual symptoms of problems and, if it is short, its timeline.
///
/// A history from a stage gets neither, because the stage provokes such events.
public func examine(
    _ history: History, under specification: Specification
) -> (verdicts: [Verdict], symptoms: [Symptom], timeline: Timeline?) {
    let read = ReadHistory(history, under: specification)
    guard let capture = history.header.capture else { return (verdicts(of: read), [], nil) }
    let reader = SymptomReader(read.observations)
    let symptoms = reader.symptoms().map { $0.citing(read.view.origins) }
    return (
        verdicts(of: read), symptoms.filter { $0.events.last ?? 0 >= capture.carried },
        Timeline(reader)?.citing(read.view.origins)
    )
}

private struct ReadHistory {
    let history: History
    let view: DialectView
    let observations: Observations
    let specification: Specification

    init(_ history: History, under specification: Specification) {
        self.history = history
        self.specification = specification
        view = DialectView(history)
        observations = Observations(
            view.history, under: specification, hasAcks: history.header.dialect.hasAcks, inDoubt: view.inDoubt)
    }

    /// The same facts without guessed turns; nil if nothing was guessed.
    var sure: Observations? {
        guard !observations.guessedTurns.isEmpty else { return nil }
        return Observations(
            view.history, under: specification, hasAcks: observations.hasAcks, inDoubt: view.inDoubt,
            isWithoutGuesses: true)
    }
}

private func verdicts(of read: ReadHistory) -> [Verdict] {
    let verdicts = judgeWhole(read)
    guard let capture = read.history.header.capture, let carried = read.history.carried else { return verdicts }
    let before = judgeWhole(ReadHistory(carried, under: read.specification))
    return zip(verdicts, before).map { $0.without($1, upTo: capture.carried) }
}

/// Judges all events of a history, including those of earlier parts of a capture.
private func judgeWhole(_ read: ReadHistory, only part: (clause: ClauseID, rule: Int)? = nil) -> [Verdict] {
    let (history, specification, observations) = (read.history, read.specification, read.observations)
    // Guesses about the owners of frames must not decide: only findings that hold without them count.
    let sure = read.sure
    let clauses = specification.clauses
    return clauses.indices.compactMap { index in
        // Check the role first, because copying a clause is expensive.
        guard clauses[index].role == history.header.subject.role else { return nil }
        let clause = clauses[index]
        guard let check = Checks.check(of: clause.id), part.map({ $0.clause == clause.id }) ?? true else { return nil }
        guard clause.undeclared(in: history.header.subject.profiles) == nil else {
            return Verdict(clause: clause.id, outcome: .notApplicable, exercised: 0)
        }
        if let need = history.header.capture?.lacking(for: clause) {
            let remark = "not from this capture: \(need.reason)"
            return Verdict(clause: clause.id, outcome: .untested, exercised: 0, remarks: [remark])
        }
        var evidence = check.judge(observations, rule: part?.rule)
        if let sure {
            evidence = evidence.confirmed(by: check.judge(sure, rule: part?.rule), observations.guessedTurns)
        }
        let wire = history.header.dialect
        let limitations = wire.limitations(for: clause.id, of: clause.role)
        if clause.role == .client, evidence.violations.isEmpty, let limitation = limitations.first {
            // Where even a correct client breaks a clause, a pass proves nothing.
            evidence = Evidence(remarks: ["\(Dialect.unkeepableRemark)\(wire.name): \(limitation.reason)"])
        }
        if !evidence.violations.isEmpty, !limitations.isEmpty {
            let excuses = evidence.violations.map { finding in
                limitations.first { observations.isExcused(finding, by: $0) }
            }
            let unexcused = zip(evidence.violations, excuses).filter { $0.1 == nil }.map(\.0)
            if unexcused.isEmpty {
                for limitation in limitations where excuses.contains(limitation) {
                    evidence.remarks.append("\(Dialect.unkeepableRemark)\(wire.name): \(limitation.reason)")
                }
            } else {
                evidence.violations = unexcused + evidence.violations.filter { !unexcused.contains($0) }
            }
        }
        let verdict = verdict(on: clause, from: evidence)
        return wire.isCanonical ? verdict : verdict.citing(read.view.origins)
    }
}

extension Observations {
    /// Whether a limit of the dialect explains a finding.
    ///
    /// No dialect makes a server end a connection or its own process, so such a finding is never excused.
    fileprivate func isExcused(_ finding: Finding, by limitation: Dialect.Limitation) -> Bool {
        let concernsFrame =
            limitation.frames.isEmpty
            || finding.events.contains { event in frames[event]?.type.map(limitation.frames.contains) == true }
        let concernsMember = limitation.members.isEmpty || finding.lacking.map(limitation.members.contains) == true
        return concernsFrame && concernsMember && (history.header.subject.role == .client || !isAboutAnEnd(finding))
    }

    fileprivate func isAboutAnEnd(_ finding: Finding) -> Bool {
        let isProcessEnd = finding.evidence.contains { event in
            if case .act("exit", _) = events[event].kind {
                return lives.end(of: lives.life(at: event))?.cause == .exited
            }
            return false
        }
        return isProcessEnd
            || connections.contains { connection in
                guard let greeted = connection.connected, let ending = connection.endByServer(after: greeted) else {
                    return false
                }
                return finding.evidence.contains(ending.event) && !wasStopped(between: greeted, and: ending.event)
            }
    }
}

extension [Int] {
    /// The original events for events of a view; events without an original stay the same.
    fileprivate func verbatim(_ events: [Int]) -> [Int] { events.map { indices.contains($0) ? self[$0] : $0 } }
}

extension Symptom {
    /// The same, citing the original events of a view.
    fileprivate func citing(_ origins: [Int]) -> Symptom {
        Symptom(kind, what, at: origins.verbatim(events), lasted: lasted)
    }
}

extension Timeline {
    fileprivate func citing(_ origins: [Int]) -> Timeline {
        var timeline = self
        timeline.sections = sections.map { section in
            var result = section
            result.lines = section.lines.map { line in
                Line(event: origins.verbatim([line.event])[0], time: line.time, what: line.what)
            }
            return result
        }
        return timeline
    }
}

extension Verdict {
    fileprivate func citing(_ origins: [Int]) -> Verdict {
        Verdict(
            clause: clause, outcome: outcome, exercised: exercised,
            findings: findings.map { finding in
                Finding(
                    finding.what, expected: finding.expected, actual: finding.actual,
                    at: origins.verbatim(finding.events), proof: finding.proof.map { origins.verbatim([$0])[0] })
            }, remarks: remarks)
    }
}

extension Verdict {
    /// Whether this is a violation that no server with this dialect can avoid.
    package var isUnkeepable: Bool {
        outcome == .violation && remarks.contains { $0.hasPrefix(Dialect.unkeepableRemark) }
    }
}

private func verdict(on clause: Clause, from evidence: Evidence) -> Verdict {
    let outcome: Outcome
    if !evidence.violations.isEmpty {
        outcome = clause.keyword.isRequirement ? .violation : .warning
    } else if evidence.exercised == 0 {
        outcome = .untested
    } else if !evidence.doubts.isEmpty {
        outcome = .inconclusive
    } else {
        outcome = .pass
    }
    return Verdict(
        clause: clause.id, outcome: outcome, exercised: evidence.exercised,
        findings: evidence.violations + (outcome == .inconclusive ? evidence.doubts : []), remarks: evidence.remarks)
}
