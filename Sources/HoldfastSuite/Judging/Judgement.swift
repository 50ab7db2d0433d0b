import Basics
import Holdfast
import Judge
import Report
import Transcript

/// What became of all captures of one command; of each clause it holds a few findings, however many there are.
package struct Judgement: Sendable {
    /// One finding, with what it rests on.
    struct Exhibit: Sendable {
        let file: Int
        let number: Int
        let name: String
        let outcome: Outcome
        let finding: Finding
        /// The events cited, in words: where they stand, and their text.
        let lines: [String]
    }

    /// One clause over all captures.
    struct ClauseTally: Sendable {
        var outcomes: [Outcome: Int] = [:]
        var exercised = 0
        var findings = 0
        var exhibits: [Exhibit] = []
        /// Why captures could not reach it.
        var unreached: Set<String> = []
        /// Whether any history could have shown it.
        var wasReachable = false

        /// The outcome over all histories: broken once is broken, and a proof stands beside doubts.
        var outcome: Outcome {
            [.violation, .warning, .pass, .inconclusive, .untested].first { outcomes[$0] ?? 0 > 0 } ?? .notApplicable
        }
    }

    /// A verdict that a report holds and that its transcript does not bear out.
    struct Difference: Sendable {
        let file: Int
        let number: Int
        let scenario: String
        let clause: ClauseID
        let stored: String
        let computed: String
    }

    /// What one file held.
    struct FileTally: Sendable {
        let name: String
        var summary = JudgeSource.Summary()
        var histories = 0
        var cutShort = 0
        var events = 0
        var profiles: Set<Profile> = []
        var dialects: Set<String> = []
        /// The versions of the specification that its histories were made under.
        var specifications: Set<String> = []

        /// Those versions of them that are not the given one; of captures none is known.
        func foreignSpecifications(to version: String) -> [String] {
            [.transcript, .report].contains(summary.form) ? specifications.subtracting([version]).sorted() : []
        }
    }

    /// The most findings of a clause that are kept.
    static let mostExhibits = 3
    /// The most differences that are kept.
    static let mostDifferences = 1000
    /// The most parts with violations that are kept for `--out`.
    static let mostParts = 100

    var clauses: [ClauseID: ClauseTally] = [:]
    var files: [FileTally]
    var differences: [Difference] = []
    var differenceCount = 0
    var recomputed = 0
    /// Parts with violations, as transcripts.
    var parts: [(name: String, text: String)] = []
    var duration: Duration = .zero

    /// What is wrong with files, in their order.
    package var problems: [InputProblem] {
        files.flatMap { [$0.summary.problem].compactMap { $0 } + $0.summary.moreProblems }
    }

    var bytes: Int { files.reduce(0) { $0 + $1.summary.bytes } }
    var events: Int { files.reduce(0) { $0 + $1.events } }
    var histories: Int { files.reduce(0) { $0 + $1.histories } }

    /// The clauses with an outcome, in order.
    func clauses(_ outcome: Outcome) -> [ClauseID] { clauses.filter { $0.value.outcome == outcome }.keys.sorted() }

    /// The clauses that were put to the test.
    var exercised: [ClauseID] { clauses.filter { $0.value.exercised > 0 }.keys.sorted() }

    package var exit: ExitStatus {
        if !clauses(.violation).isEmpty || differenceCount > 0 { return .violation }
        // A capture owes no clause; a run that a report tells of owes all that it declared.
        return exercised.isEmpty || files.contains { $0.summary.runIsIncomplete } ? .incomplete : .conforms
    }

    /// Takes in what one history came to.
    mutating func add(
        _ unit: JudgeSource.Unit, name: String, _ verdicts: [Verdict], under specification: Specification,
        keepsParts: Bool
    ) {
        let header = unit.history.header
        files[unit.file].histories += 1
        files[unit.file].cutShort += unit.wasCutShort ? 1 : 0
        files[unit.file].events += unit.history.events.count - (header.capture?.carried ?? 0)
        files[unit.file].profiles.formUnion(header.subject.profiles)
        files[unit.file].dialects.insert(header.dialect.name)
        files[unit.file].specifications.insert(header.specification)
        for verdict in verdicts where unit.inQuestion?.contains(verdict.clause) ?? true {
            var tally = clauses[verdict.clause] ?? ClauseTally()
            tally.outcomes[verdict.outcome, default: 0] += 1
            tally.exercised += verdict.exercised
            tally.findings += verdict.findings.count
            if let clause = specification[verdict.clause], let need = header.capture?.lacking(for: clause) {
                tally.unreached.insert(need.reason)
            } else if verdict.outcome != .notApplicable {
                tally.wasReachable = true
            }
            if !verdict.findings.isEmpty { tally.keep(verdict, of: unit, name: name) }
            clauses[verdict.clause] = tally
        }
        if keepsParts, parts.count < Self.mostParts,
            verdicts.contains(where: {
                $0.outcome == .violation && unit.inQuestion?.contains($0.clause) ?? true
            })
        {
            // The name of a scenario is the file's own, and no path.
            parts.append(("file-\(unit.file + 1)-part-\(unit.number)", TranscriptWriter.text(unit.history)))
        }
        if let stored = unit.stored { compare(stored.verdicts, verdicts, stored.scenario, unit) }
    }

    private mutating func compare(
        _ stored: [Verdict], _ computed: [Verdict], _ scenario: String, _ unit: JudgeSource.Unit
    ) {
        let before = stored.keyed(by: \.clause)
        let now = computed.keyed(by: \.clause)
        for clause in Set(before.keys).union(now.keys).sorted() {
            let (one, other) = (before[clause], now[clause])
            // Clauses that nothing put to the test are not stored, nor are those of profiles that were not declared.
            if one == nil, other.map({ $0.outcome == .notApplicable || $0.outcome == .untested }) ?? true { continue }
            recomputed += 1
            guard one != other else { continue }
            differenceCount += 1
            guard differences.count < Self.mostDifferences else { continue }
            var (stored, computed) = (Self.words(one), Self.words(other))
            if stored == computed { (stored, computed) = (stored + " on other findings", computed + " on its own") }
            differences.append(
                Difference(
                    file: unit.file, number: unit.number, scenario: scenario, clause: clause, stored: stored,
                    computed: computed))
        }
    }

    private static func words(_ verdict: Verdict?) -> String {
        guard let verdict else { return "no verdict" }
        return verdict.exercised == 0 ? verdict.outcome.word : "\(verdict.outcome.word) (\(verdict.exercised)×)"
    }
}

extension Judgement.ClauseTally {
    /// Keeps the first findings, in the order of files and parts, whichever worker came first.
    fileprivate mutating func keep(_ verdict: Verdict, of unit: JudgeSource.Unit, name: String) {
        for finding in verdict.findings.prefix(Judgement.mostExhibits) {
            exhibits.append(
                Judgement.Exhibit(
                    file: unit.file, number: unit.number, name: name, outcome: verdict.outcome, finding: finding,
                    lines: JudgedEvents(unit: unit).lines(of: finding.events)))
        }
        // Doubts are of no interest once the clause is broken.
        let sorted = exhibits.filter { $0.outcome == outcome }.enumerated().sorted {
            ($0.element.file, $0.element.number, $0.offset) < ($1.element.file, $1.element.number, $1.offset)
        }
        exhibits = Array(sorted.map(\.element).prefix(Judgement.mostExhibits))
    }
}

/// The events that a finding cites: where each stands in its file, and its text as it was on the wire.
struct JudgedEvents {
    let unit: JudgeSource.Unit
    /// The most characters of a text that are shown.
    private static let most = 400

    /// A line for each of the last events cited.
    func lines(of events: [Int]) -> [String] {
        events.unique.suffix(6).compactMap { index in
            guard unit.history.events.indices.contains(index) else { return nil }
            let event = unit.history.events[index]
            let place = unit.places.indices.contains(index) ? unit.places[index].description : "event \(index)"
            let isTimed = unit.history.header.capture?.lacks.contains(.times) != true
            let time = isTimed ? ", +\(event.at / 1000) ms" : ""
            return "\(place)\(time)  \(event.lane) \(Self.text(of: event.kind))"
        }
    }

    static func text(of kind: Event.Kind) -> String {
        switch kind {
        case .opening(let opening): "opens \(cut(opening.path))"
        case .opened: "is open"
        case .refused(let status, let reason): "is refused \(status.map(String.init) ?? "") \(cut(reason))"
        case .text(let direction, let text): "\(arrow(direction)) \(cut(text))"
        case .binary(let direction, let bytes): "\(arrow(direction)) \(bytes.count) bytes, binary"
        case .ping(let direction): "\(arrow(direction)) WebSocket ping"
        case .pong(let direction): "\(arrow(direction)) WebSocket pong"
        case .close(let direction, let code, let reason):
            "\(arrow(direction)) close \(code.map(String.init) ?? "without code") \(cut(reason))"
        case .eof(let reason): "ended without a close frame \(cut(reason))"
        case .request(let request): "\(request.method) \(cut(request.path)) \(cut(request.body ?? ""))"
        case .response(let response): "\(response.status) \(cut(response.body))"
        case .failed(let reason): "failed: \(cut(reason))"
        case .act(let name, _): "stage: \(cut(name))"
        case .state(let state): "state \(cut(state.text()))"
        case .wait(let awaited, let met): "watched for \(cut(awaited)): \(met ? "it came" : "it did not come")"
        }
    }

    private static func arrow(_ direction: Direction) -> String { direction == .toServer ? "->" : "<-" }

    /// A text on one line that steers no terminal, cut with its length.
    static func cut(_ text: String) -> String {
        let scalars = text.unicodeScalars
        let end = scalars.index(scalars.startIndex, offsetBy: most, limitedBy: scalars.endIndex) ?? scalars.endIndex
        return visible(String(text[..<end])) + (end < scalars.endIndex ? "… (\(text.utf8.count) bytes)" : "")
    }
}
