import Basics
import Foundation
import Holdfast
import Judge
import Report
import Stage
import Synchronization
import Transcript
import Transport

/// What a proxy says while it runs.
final class ProxyConsole: Sendable {
    private let style: ConsoleStyle
    private let isQuiet: Bool
    private let lock = Mutex(())

    init(style: ConsoleStyle, isQuiet: Bool) {
        self.style = style
        self.isQuiet = isQuiet
    }

    func greet(_ proxy: Proxy, _ options: Proxy.Options) {
        guard !isQuiet else { return }
        let host = options.host.contains(":") ? "[\(options.host)]" : options.host
        let secure = proxy.isSecure ? "s" : ""
        let address = "\(host):\(proxy.port)"
        let file = options.transcript.map { ", transcript in \($0)" } ?? ""
        lock.withLock { _ in
            Console.write(
                "ws\(secure)://\(address)  http\(secure)://\(address)  to \(options.upstream.origin)\(file)\n")
        }
    }

    func note(_ line: String) {
        guard !isQuiet else { return }
        lock.withLock { _ in Console.error(line) }
    }

    /// A violation or a warning, with what shows it.
    func tell(_ report: LiveJudge.Report) {
        let (clause, finding) = (report.clause, report.finding)
        let word = clause.keyword.isRequirement ? style.red("violation") : style.yellow("warning")
        let time = finding.cited.map { " at +\(readable(report.history.events[$0].at / 1000)) ms" } ?? ""
        var lines = [
            "\(word) \(style.bold(clause.id.description)) (\(clause.keyword.rawValue), \(clause.role.rawValue))\(time)",
            style.wrapped("“\(clause.sentence)”", indent: 2),
            style.wrapped(finding.what, indent: 2),
            style.wrapped("expected: \(finding.expected)", indent: 2),
            style.wrapped("actual: \(finding.actual)", indent: 2),
        ]
        lines += EventLines(report.history).lines(of: finding.events.suffix(6), width: style.width - 2).map {
            "  " + $0
        }
        lock.withLock { _ in Console.write(lines.joined(separator: "\n") + "\n") }
    }
}

/// What a proxy says at its end: what passed, what each clause came to, and what went wrong with the proxy itself.
struct ProxySummary {
    private let tallies: ProxyTallies
    private let tally: ClauseTally
    private let unused: [FaultRule]
    private let failure: String?
    private let specification: Specification
    private let subject: History.Subject

    init(_ proxy: Proxy, specification: Specification, subject: History.Subject) {
        tallies = proxy.tallies
        tally = proxy.tally
        unused = proxy.unusedRules
        failure = proxy.transcriptFailure
        self.specification = specification
        self.subject = subject
    }

    /// A violation is evidence whatever else happened; then the proxy's own failures; then nothing seen at all.
    var exit: ExitStatus {
        if count(.violation) > 0 { return .violation }
        if !unused.isEmpty || failure != nil { return .harness }
        if tallies.unjudged > 0 { return .incomplete }
        return tally.entries.values.contains { $0.exercised > 0 } ? .conforms : .incomplete
    }

    private func count(_ outcome: Outcome) -> Int { tally.entries.values.count { $0.outcome == outcome } }

    func text(_ style: ConsoleStyle) -> String {
        var lines = specification.clauses.compactMap { clause -> String? in
            guard let entry = tally.entries[clause.id], entry.exercised > 0 else { return nil }
            return style.row(clause, entry.outcome, exercised: entry.exercised)
        }
        for rule in unused {
            lines.append(
                """
                harness: the fault '\(rule.text)' was armed and nothing ever matched it
                  expected: at least one message or request that it is about
                  fix: correct the rule, or let the client do what it waits for
                """)
        }
        if let failure { lines.append("harness: the transcript is not whole: \(failure)") }
        if tallies.unjudged > 0 {
            lines.append(
                """
                not judged: \(readable(tallies.unjudged)) \(tallies.unjudged == 1 ? "event" : "events") came faster than \
                they could be looked at
                  fix: judge the transcript of '--out' with 'conformance judge', which takes its time
                """)
        }
        lines.append(passed)
        lines.append(headline(style))
        return lines.joined(separator: "\n") + "\n"
    }

    private var passed: String {
        func counted(_ count: Int, _ what: String) -> String { "\(readable(count)) \(what)\(count == 1 ? "" : "s")" }
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
            (Outcome.pass, "kept"), (.violation, "violated"), (.warning, "warned"), (.inconclusive, "inconclusive"),
        ]
        .compactMap { outcome, word in count(outcome) == 0 ? nil : "\(count(outcome)) \(word)" }
        let rest = unseen == 0 ? [] : ["\(unseen) not seen"]
        let meaning =
            switch exit {
            case .conforms: style.green("nothing was broken")
            case .violation: style.red("violation")
            case .incomplete: style.yellow(tallies.unjudged > 0 ? "not everything was judged" : "nothing was seen")
            default: style.red(exit.meaning)
            }
        return "\(meaning): \((counts + rest).joined(separator: ", ")) of \(subject.role.rawValue) clauses"
    }
}
