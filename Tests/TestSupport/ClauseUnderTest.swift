import Holdfast
import HoldfastJudge
import HoldfastTranscript

/// One clause, and what its check says about histories written in the notation.
///
/// ```swift
/// let clause = ClauseUnderTest("ORDER-3")
/// try clause.conforms("A+(e1 #0) A>chat(c1) A<ack(c1) A<toolUse(t1 #1) A<done(t1 #4)")
/// try clause.violates("A+(e1 #0) A>chat(c1) A<ack(c1) A<toolUse(t1 #2) A<done(t1 #1)^")
/// ```
/// A server declares `core` and the clause's own profile, a client all profiles of its side, unless `profiles` says
/// otherwise. In every history no clause but those in `also` may be violated.
public struct ClauseUnderTest {
    private let id: String
    private let rule: Int?
    private let profiles: Set<Profile>?
    private let hasScriptedAgent: Bool
    private let lateness: [History.Lateness]
    private let slowAnswers: [History.SlowAnswer]
    private var limits: [String: Int] = [:]

    /// Names the clause, such as `SYNC-3`; with `rule`, one of its rules by its place in the check, from 1.
    public init(
        _ id: String, rule: Int? = nil, profiles: Set<Profile>? = nil, hasScriptedAgent: Bool = true,
        lateness: [History.Lateness] = [], slowAnswers: [History.SlowAnswer] = []
    ) {
        (self.lateness, self.slowAnswers) = (lateness, slowAnswers)
        (self.id, self.rule) = (id, rule)
        self.profiles = profiles
        self.hasScriptedAgent = hasScriptedAgent
    }

    /// The same clause, of a subject of which limits are stated.
    public func limited(to limits: [String: Int]) -> ClauseUnderTest {
        var clause = self
        clause.limits = limits
        return clause
    }

    /// The history puts the clause to the test and keeps it.
    public func conforms(
        _ notation: String, also: [String] = [], profiles: Set<Profile>? = nil, file: String = #fileID,
        line: Int = #line
    ) throws {
        try expect(.pass, notation, also, profiles, (file, line))
    }

    /// The history breaks the clause, a MUST or MUST NOT, at the event marked `^` and nowhere else.
    public func violates(
        _ notation: String, also: [String] = [], profiles: Set<Profile>? = nil, file: String = #fileID,
        line: Int = #line
    ) throws {
        try expect(.violation, notation, also, profiles, (file, line))
    }

    /// The history breaks the clause, a SHOULD or SHOULD NOT, at the event marked `^` and nowhere else.
    public func warns(
        _ notation: String, also: [String] = [], profiles: Set<Profile>? = nil, file: String = #fileID,
        line: Int = #line
    ) throws {
        try expect(.warning, notation, also, profiles, (file, line))
    }

    /// The history does not put the clause to the test.
    public func untested(
        _ notation: String, also: [String] = [], profiles: Set<Profile>? = nil, file: String = #fileID,
        line: Int = #line
    ) throws {
        try expect(.untested, notation, also, profiles, (file, line))
    }

    /// The history puts the clause to the test and proves neither.
    public func inconclusive(
        _ notation: String, also: [String] = [], profiles: Set<Profile>? = nil, file: String = #fileID,
        line: Int = #line
    ) throws {
        try expect(.inconclusive, notation, also, profiles, (file, line))
    }

    /// What the verdict on the clause remarks about its evidence in a history.
    public func remarks(_ notation: String) throws -> [String] {
        try verdict(notation)?.remarks ?? []
    }

    /// What the verdict on the clause found in a history.
    public func findings(_ notation: String) throws -> [Finding] {
        try verdict(notation)?.findings ?? []
    }

    private func verdict(_ notation: String) throws -> Verdict? {
        let specification = try SourceTree.specification()
        guard let clause = ClauseID(id).flatMap({ specification[$0] }) else { return nil }
        let subject = subject(of: clause)
        let text = notation.replacing("^", with: "")
        let history = try NotationExpansion(text, header: History.Header(subject: subject)).history
        if let rule { return judge(history, by: rule, of: clause.id, under: specification) }
        return judge(history, under: specification).first { $0.clause == clause.id }
    }

    private func subject(of clause: Clause, _ profiles: Set<Profile>? = nil) -> History.Subject {
        let all: Set<Profile> = clause.role == .server ? [.core] : [.clientCore, .clientSync, .clientPush]
        return History.Subject(
            name: "golden", role: clause.role,
            profiles: profiles ?? self.profiles ?? all.union([clause.profile]),
            hasScriptedAgent: hasScriptedAgent, limits: limits)
    }

    private func expect(
        _ outcome: Outcome, _ notation: String, _ also: [String], _ profiles: Set<Profile>?, _ place: (String, Int)
    ) throws {
        let specification = try SourceTree.specification()
        guard let clauseID = ClauseID(id), let clause = specification[clauseID] else {
            throw UnexpectedVerdict("\(id) is no clause of the specification", place)
        }
        guard Checks.check(of: clauseID) != nil else { throw UnexpectedVerdict("\(id) has no check", place) }
        let subject = subject(of: clause, profiles)
        var header = History.Header(subject: subject, lateness: lateness)
        header.slowAnswers = slowAnswers
        let expansion = try NotationExpansion(notation, header: header)
        let verdicts = judge(expansion.history, under: specification)
        let printer = NotationPrinter(expansion.history)
        let isBroken = outcome == .violation || outcome == .warning
        guard expansion.citations.count == (isBroken ? 1 : 0) else {
            throw UnexpectedVerdict(
                "the history of \(id) has \(expansion.citations.count) marks ^, expected \(isBroken ? 1 : 0)", place)
        }
        let citation = expansion.citations.first
        let judged =
            rule.map { judge(expansion.history, by: $0, of: clauseID, under: specification) }
            ?? verdicts.first { $0.clause == clauseID }
        guard let verdict = judged else { throw UnexpectedVerdict("\(id) was not judged", place) }
        let cited = verdict.findings.compactMap(\.cited)
        guard verdict.outcome == outcome, !isBroken || Set(cited) == Set(citation.map { [$0] } ?? []) else {
            let wanted =
                citation.map { "\(described(outcome)) at event \(printer.number(of: $0))" } ?? described(outcome)
            let at = cited.map { " at event \(printer.number(of: $0))" }.first ?? ""
            let reasons = verdict.findings.map { "\n  \($0.what); expected: \($0.expected); actual: \($0.actual)" }
            throw UnexpectedVerdict(
                "\(id) expected \(wanted), got \(described(verdict.outcome))\(at) (exercised \(times(verdict.exercised)))"
                    + reasons.joined() + "\n  \(printer.excerpt(upTo: citation ?? cited.first))", place)
        }
        for other in verdicts where other.outcome == .violation && other.clause != clauseID {
            guard !also.contains(other.clause.description) else { continue }
            let finding = other.findings.first
            throw UnexpectedVerdict(
                "\(id) is judged as expected, but \(other.clause) is violated too: \(finding?.what ?? "")"
                    + "; expected: \(finding?.expected ?? ""); actual: \(finding?.actual ?? "")"
                    + "\n  \(printer.excerpt(upTo: finding?.cited))", place)
        }
        for name in also
        where name != id && !verdicts.contains(where: { $0.clause.description == name && $0.outcome == .violation }) {
            throw UnexpectedVerdict("'also' names \(name), which is not violated", place)
        }
    }

    private func described(_ outcome: Outcome) -> String {
        switch outcome {
        case .violation: "a violation"
        case .warning: "a warning"
        default: outcome.rawValue
        }
    }

    private func times(_ count: Int) -> String {
        switch count {
        case 0: "never"
        case 1: "once"
        default: "\(count) times"
        }
    }
}

/// A verdict that a test did not expect; the text speaks the notation.
struct UnexpectedVerdict: Error, CustomStringConvertible {
    let description: String

    init(_ text: String, _ place: (file: String, line: Int)) {
        description = "\(place.file):\(place.line): \(text)"
    }
}

extension NotationPrinter {
    /// The position of an event among the words, from 1.
    fileprivate func number(of event: Int) -> Int {
        (items.firstIndex { $0.events.contains(event) } ?? items.count) + 1
    }

    /// The last words up to an event, marked `^`; the other words are only counted.
    ///
    /// Without an event, the end of the history is unmarked. At most `count` words are shown.
    fileprivate func excerpt(upTo event: Int?, count: Int = 8) -> String {
        let end = event.map { number(of: $0) } ?? items.count
        let shown = items.prefix(end).suffix(count)
        var words = shown.map(\.text)
        if event != nil, let last = words.popLast() { words.append(last + "^") }
        let before = min(end, items.count) - shown.count
        let after = items.count - min(end, items.count)
        return (before > 0 ? "… \(before) before  " : "") + words.joined(separator: " ")
            + (after > 0 ? "  … \(after) after" : "")
    }
}
