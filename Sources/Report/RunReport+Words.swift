import Holdfast
import HoldfastBasics
import HoldfastJudge
import HoldfastTranscript

extension RunReport {
    var verdict: String {
        switch exit {
        case .conforms where !expected.isEmpty: "Conforms except for expected violations"
        case .conforms: part == nil ? "Conforms" : "Conforms so far"
        case .violation: "Does not conform"
        case .incomplete: "Incomplete"
        case .staleBaseline: "The baseline is stale"
        case .harness: "The suite failed"
        case .usage, .unreachable: "No run"
        }
    }

    var reason: String {
        let declared = clauses.filter { $0.outcome != .notApplicable }
        let ofAll = "of \(counted(declared.count, "applicable clause"))"
        let unproved = clauses.count(where: \.isUndecided)
        var sentences: [String]
        switch exit {
        case .conforms:
            let kept = declared.count - expected.count
            sentences =
                expected.isEmpty
                ? ["Every applicable clause was tested and passed: \(counted(kept, "clause"))."]
                : ["\(readable(expected.count)) \(ofAll) are violated, all expected by the baseline."]
            let warned = clauses(.warning).count
            if warned > 0 {
                sentences = ["No MUST \(ofAll) is violated; \(counted(warned, "recommendation")) not followed."]
            }
        case .violation:
            let from = heads.isEmpty ? "" : ", from \(counted(causes.count, "cause"))"
            sentences = [
                "\(readable(unexpected.count)) \(ofAll) \(unexpected.count == 1 ? "is" : "are") violated\(from)."
            ]
            if unproved > 0 { sentences.append("\(readable(unproved)) more could not be proved.") }
        case .incomplete:
            sentences = [expected.isEmpty ? "No violations." : "No unexpected violations."]
            if unproved > 0 {
                sentences.append(
                    "But \(readable(unproved)) \(ofAll) \(unproved == 1 ? "is" : "are") untested or inconclusive.")
            } else if cutShort == nil, !wasInterrupted {
                sentences.append("But \(endedEarly ?? "nothing was tested").")
            }
        case .staleBaseline:
            sentences = ["\(counted(baseline?.stale.count ?? 0, "entry", "entries")) in the baseline no longer apply."]
        case .harness: sentences = ["The suite itself failed, so the run proves nothing there."]
        case .usage, .unreachable: sentences = []
        }
        sentences += ([cutShort].compactMap(\.self) + deaths).map { "\($0.prefix(1).uppercased())\($0.dropFirst())." }
        if wasInterrupted { sentences.append("The run was interrupted.") }
        if let stoppedAfter {
            sentences.append("The run stopped after \(counted(stoppedAfter, "scenario")) with a violation.")
        }
        if let part { sentences.append("This is shard \(part.shard.index) of \(part.shard.count).") }
        return sentences.joined(separator: " ")
    }

    /// The strength of the proof that answers are stored before they are announced; nil if not applicable.
    var persistenceProof: (outcome: Outcome, words: String)? {
        guard let result = clauses.first(where: { $0.clause.id == ClauseID(.PERSIST, 1) }) else { return nil }
        let words: String
        switch result.outcome {
        case .pass:
            words =
                result.remarks.isEmpty
                ? "exercised \(times(result.exercised))" : result.remarks.joined(separator: "; ")
        case .violation, .warning:
            words = result.findings.first?.finding.what ?? "an answer was announced but not stored"
        case .inconclusive: words = result.findings.first?.finding.what ?? "the evidence is inconclusive"
        case .untested: words = "no proof: " + whyUntested(result.clause.id)
        case .notApplicable: words = "its profile is not declared"
        case .harnessError: words = "no proof: the suite failed"
        }
        return (result.outcome, words)
    }

    /// The verdicts of a scenario that count for their clauses: those in question, except doubts that another scenario
    /// removes.
    func significant(_ verdicts: [Verdict]) -> [Verdict] {
        let outcomes = Dictionary(clauses.map { ($0.clause.id, $0.outcome) }, uniquingKeysWith: { first, _ in first })
        return verdicts.filter { verdict in
            outcomes[verdict.clause].map { $0 == .inconclusive || verdict.outcome != .inconclusive } ?? false
        }
    }

    package func whyUntested(_ clause: ClauseID) -> String {
        gaps.first { $0.clauses.contains(clause) }?.reason ?? "nothing exercised it"
    }

    /// The predictability of the agent's answers; nil for a client, whose server belongs to the suite.
    var agentWords: String? {
        guard subject.role == .server else { return nil }
        return TierResult.agent(of: subject.hasScriptedAgent ? (tiers.contains { $0.tier == 3 } ? 3 : 2) : 1)
    }
}

func times(_ count: Int) -> String { count == 1 ? "once" : "\(readable(count)) times" }

extension History.Subject {
    var profileNames: String { profiles.sorted().map(\.rawValue).joined(separator: ", ") }
}
