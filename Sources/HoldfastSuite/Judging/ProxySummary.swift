import Holdfast
import HoldfastBasics
import HoldfastJudge
import HoldfastPlatform
import HoldfastProxy
import HoldfastReport
import HoldfastTranscript

/// What was told of clauses that are broken again and again: the first few times are shown, the others counted.
package final class ToldBreaches: Sendable {
    private static let most = 3
    private let counts = Mutex<[ClauseID: Int]>([:])

    package init() {}

    /// Takes one more finding, and tells whether it is to be shown.
    package func take(_ clause: ClauseID) -> Bool {
        counts.withLock { counts in
            counts[clause, default: 0] += 1
            return counts[clause, default: 0] <= Self.most
        }
    }

    /// How many findings of each clause were not shown.
    package var rest: [ClauseID: Int] {
        counts.withLock { $0.filter { $0.value > Self.most }.mapValues { $0 - Self.most } }
    }
}

/// What a proxy says at its end: what passed, what each clause came to, and what went wrong with the proxy itself.
package struct ProxySummary {
    private let tallies: ProxyTallies
    private let tally: ClauseTally
    private let unused: [Rule]
    private let failure: String?
    private let foreign: ForeignProtocol?
    private let specification: Specification
    private let subject: History.Subject
    private let stated: Set<Profile>
    private let breaches: ToldBreaches

    package init(_ proxy: Proxy, specification: Specification, subject: History.Subject, told breaches: ToldBreaches) {
        self.breaches = breaches
        tallies = proxy.tallies
        tally = proxy.tally
        unused = proxy.unusedRules
        failure = proxy.transcriptFailure
        foreign = proxy.foreign
        self.specification = specification
        self.subject = subject
        stated = proxy.statedProfiles
    }

    /// A violation is evidence whatever else happened; then the proxy's own failures; then nothing seen at all.
    package var exit: ExitStatus {
        if count(.violation) > 0 { return .violation }
        if !unused.isEmpty || failure != nil { return .harness }
        if tallies.unjudged > 0 || foreign != nil { return .incomplete }
        return tally.entries.values.contains { $0.exercised > 0 } ? .conforms : .incomplete
    }

    private func count(_ outcome: Outcome) -> Int { tally.entries.values.count { $0.outcome == outcome } }

    /// The summary; a quiet one is empty when nothing is wrong, and else names what is.
    package func text(_ style: ConsoleStyle, isQuiet: Bool = false) -> String {
        if isQuiet, exit == .conforms { return "" }
        var lines = specification.clauses.compactMap { clause -> String? in
            guard !isQuiet, let entry = tally.entries[clause.id], entry.exercised > 0 else { return nil }
            return style.row(clause, entry.outcome, exercised: entry.exercised)
        }
        for (clause, count) in breaches.rest.sorted(by: { $0.key < $1.key }) {
            lines.append("\(clause) is violated \(counted(count, "more time")), as 'conformance judge' shows")
        }
        for rule in unused {
            lines.append(
                """
                harness: the fault rule '\(rule.text)' matched nothing
                  expected: at least one matching message or request
                  fix: correct the rule, or make the client send such a message
                """)
        }
        if let failure { lines.append("harness: the transcript is incomplete: \(failure)") }
        if tallies.unjudged > 0 {
            lines.append(
                """
                not judged: \(readable(tallies.unjudged)) \(tallies.unjudged == 1 ? "event" : "events") came faster than \
                they could be judged
                  fix: record with --out and run 'conformance judge' on the transcript
                """)
        }
        // Said as soon as it was recognized, unless that was to be quiet.
        if let foreign, isQuiet { lines.append("not judged: \(foreign.what)\n  fix: \(foreign.fix())") }
        if !isQuiet { lines.append(passed) }
        if !stated.isEmpty {
            let names = stated.union(subject.profiles).sorted().map(\.rawValue).joined(separator: ", ")
            lines.append("profiles from 'connected': \(names)")
        }
        lines.append(headline(style))
        return lines.joined(separator: "\n") + "\n"
    }

    private var passed: String {
        var parts = [
            counted(tallies.connections, "WebSocket"), counted(tallies.messages, "message"),
            counted(tallies.requests, "request"),
        ]
        if tallies.faults > 0 { parts.append(counted(tallies.faults, "fault")) }
        if tallies.unseen > 0 { parts.append("\(readable(tallies.unseen)) passed unseen") }
        return "passed: " + parts.joined(separator: ", ")
    }

    private func headline(_ style: ConsoleStyle) -> String {
        let entries = tally.entries.values
        let unseen = entries.count { $0.exercised == 0 }
        let counts = [
            (Outcome.pass, "passed"), (.violation, "violated"), (.warning, "with warnings"),
            (.inconclusive, "inconclusive"),
        ]
        .compactMap { outcome, word in count(outcome) == 0 ? nil : "\(count(outcome)) \(word)" }
        let rest = unseen == 0 ? [] : ["\(unseen) not covered"]
        let meaning =
            switch exit {
            case .conforms: style.green("no violations")
            case .violation: style.red("violation")
            case .incomplete: style.yellow(shortfall)
            default: style.red(exit.meaning)
            }
        return "\(meaning); \(subject.role.rawValue) clauses: \((counts + rest).joined(separator: ", "))"
    }

    /// Why the verdict is incomplete.
    private var shortfall: String {
        if foreign != nil { return "not judged: another protocol" }
        if tallies.unjudged > 0 { return "not everything was judged" }
        return tallies.messages + tallies.requests == 0 ? "no traffic" : "no clause was covered"
    }
}
