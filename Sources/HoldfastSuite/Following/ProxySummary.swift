import Holdfast
import HoldfastBasics
import HoldfastJudge
import HoldfastProxy
import HoldfastReport
import HoldfastTranscript
import HoldfastTransport

extension Proxy {
    /// Starts a proxy; each problem names the option that caused it.
    package static func listening(
        _ options: Options, under specification: Specification, note: @escaping @Sendable (String) -> Void,
        notify: @escaping @Sendable (LiveJudge.Report) -> Void
    ) async throws(InputProblem) -> Proxy {
        do {
            return try await Proxy(options, under: specification, note: note, notify: notify)
        } catch let problem as InputProblem {
            throw problem
        } catch let problem as TransportProblem where problem.isTLSProblem {
            // A problem with the upstream server has its address; any other is about the proxy's own certificate.
            throw InputProblem(
                problem.address == options.upstream.address ? "--ca" : "--tls-cert",
                String(problem.description.prefix { $0 != "\n" }), expected: "certificates and their key in PEM",
                fix: "check that the file is PEM and that key and certificate match")
        } catch {
            throw InputProblem(
                "--listen", String("\(error)".prefix { $0 != "\n" }), expected: "a free address on this machine",
                fix: "choose another one, or port 0 for a free one")
        }
    }
}

extension TransportProblem {
    fileprivate var isTLSProblem: Bool { if case .tls = code { true } else { false } }
}

extension LiveJudge.Report {
    /// A violation or a warning, with its evidence; nil if it is not explained.
    package func text(_ style: ConsoleStyle, _ detail: ReportTally.Detail) -> String? {
        guard detail == .explained else { return nil }
        if isWithdrawn {
            return style.spelled("withdrawn \(style.name(clause)): \(finding.what); later events clear it") + "\n"
        }
        let time = finding.cited.map { " at +\(readable(history.events[$0].at / 1000)) ms" } ?? ""
        let lines = ["\(style.head(clause))\(time)", style.wrapped("“\(clause.sentence)”", indent: 2)]
        let events = EventLines(history).lines(of: finding.events.suffix(6), width: style.width - 2).map { "  " + $0 }
        return (lines + style.lines(finding) + events).joined(separator: "\n") + "\n"
    }
}

/// The summary at the end of a proxy: traffic, verdicts, and problems of the proxy itself.
package struct ProxySummary {
    private let proxy: Proxy
    private let specification: Specification
    private let subject: History.Subject
    private let violations: ReportTally

    /// The summary of a proxy that has stopped.
    package init(_ proxy: Proxy, specification: Specification, subject: History.Subject, with violations: ReportTally) {
        (self.proxy, self.specification, self.subject, self.violations) = (proxy, specification, subject, violations)
    }

    /// A violation takes precedence, then failures of the proxy itself, then missing evidence.
    package var exit: ExitStatus {
        if count(.violation) > 0 { return .violation }
        if !proxy.unusedRules.isEmpty || proxy.transcriptFailure != nil { return .harness }
        if proxy.tallies.unjudged > 0 || proxy.foreign != nil { return .incomplete }
        return proxy.tally.entries.values.contains { $0.exercised > 0 } ? .conforms : .incomplete
    }

    private func count(_ outcome: Outcome) -> Int { proxy.tally.entries.values.count { $0.outcome == outcome } }

    /// The summary; if quiet, empty unless something is wrong.
    package func text(_ style: ConsoleStyle, isQuiet: Bool = false) -> String {
        if isQuiet, exit == .conforms { return "" }
        var lines = specification.clauses.compactMap { clause -> String? in
            guard !isQuiet, let entry = proxy.tally.entries[clause.id], entry.exercised > 0 else { return nil }
            return style.row(clause, entry.outcome, exercised: entry.exercised)
        }
        for (clause, count) in violations.totals.sorted(by: { $0.key < $1.key }) {
            lines.append("\(clause) is violated \(counted(count, "time")) in all; 'conformance judge' shows each")
        }
        for rule in proxy.unusedRules {
            lines.append(
                """
                suite failure: the fault rule '\(rule.text)' matched nothing
                  expected: at least one matching message or request
                  fix: correct the rule, or make the client send such a message
                """)
        }
        if let failure = proxy.transcriptFailure {
            lines.append("suite failure: the transcript is incomplete: \(failure)")
        }
        if proxy.tallies.unjudged > 0 {
            lines.append(
                """
                not judged: \(readable(proxy.tallies.unjudged)) \(proxy.tallies.unjudged == 1 ? "event" : "events") arrived faster than \
                they could be judged
                  fix: record with --out and run 'conformance judge' on the transcript
                """)
        }
        // Unless quiet, the foreign protocol was already reported when it was recognized.
        if let foreign = proxy.foreign, isQuiet { lines.append("not judged: \(foreign.what)\n  fix: \(foreign.fix())") }
        if !isQuiet { lines.append(traffic) }
        if !proxy.statedProfiles.isEmpty {
            let names = proxy.statedProfiles.union([.core]).sorted().map(\.rawValue).joined(separator: ", ")
            lines.append("profiles from 'connected': \(names)")
        }
        lines.append(headline(style))
        return lines.joined(separator: "\n") + "\n"
    }

    private var traffic: String {
        var parts = [
            counted(proxy.tallies.connections, "WebSocket"), counted(proxy.tallies.messages, "message"),
            counted(proxy.tallies.requests, "request"),
        ]
        if proxy.tallies.faults > 0 { parts.append(counted(proxy.tallies.faults, "fault")) }
        if proxy.tallies.unseen > 0 { parts.append("\(readable(proxy.tallies.unseen)) passed unseen") }
        return "passed: " + parts.joined(separator: ", ")
    }

    private func headline(_ style: ConsoleStyle) -> String {
        let entries = proxy.tally.entries.values
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

    private var shortfall: String {
        if proxy.foreign != nil { return "not judged: another protocol" }
        if proxy.tallies.unjudged > 0 { return "not everything was judged" }
        return proxy.tallies.messages + proxy.tallies.requests == 0 ? "no traffic" : "no clause was covered"
    }
}
