import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastJudge
import HoldfastTranscript

/// Violated clauses whose findings share frames, messages or a silence: the probable cause, and its consequences.
package struct Cause: Sendable, Equatable {
    /// The clause to examine first.
    package let head: ClauseID
    let followers: [ClauseID]
}

extension Cause {
    /// Groups violated clauses, most important first.
    ///
    /// A clause follows from a group if each of its findings shares a frame, a message or a silent connection of its
    /// scenario with a finding of the group; a single independent finding makes it a cause of its own.
    static func causes(
        of found: [(clause: ClauseID, findings: [ClauseResult.Occurrence])], in histories: [String: History]
    ) -> [Cause] {
        guard found.count > 1 else { return found.map { Cause(head: $0.clause, followers: []) } }
        var evidence = SharedEvidence(histories, broken: Set(found.map(\.clause)))
        let breaches = found.map { evidence.breach($0.clause, $0.findings) }
        let causes = evidence.groups(breaches).map { group in
            let head = CauseRank.head(of: group)
            let followers = group.map(\.clause).filter { $0 != head.clause }.sorted()
            return (head: head, scenarios: Set(group.flatMap(\.moments.keys)).count, followers: followers)
        }
        let isVague = { (clause: ClauseID) in clause.area != .REST && CauseRank.general.contains(clause) }
        return causes.sorted { left, right in
            let (one, other) = (left.head.clause, right.head.clause)
            return (left.head.needsCrash ? 1 : 0, right.scenarios, right.followers.count, isVague(one) ? 1 : 0, one)
                < (right.head.needsCrash ? 1 : 0, left.scenarios, left.followers.count, isVague(other) ? 1 : 0, other)
        }.map { Cause(head: $0.head.clause, followers: $0.followers) }
    }
}

/// Chooses the clause of a group that explains the others.
///
/// Candidates appear in at least half of the scenarios. The order: unambiguous clauses first and generic ones last;
/// then the earliest in the histories; at the same event, the one whose earliest evidence is latest; then clauses that
/// need no crash; then the more basic area.
private enum CauseRank {
    /// The areas from the most basic, about the form of a frame, to lasting state.
    static let areas: [Area] = [
        .ENV, .ID, .AUTH, .TURN, .ORDER, .SYNC, .IDEM, .REST, .RATE, .PUSH, .LIVE, .PERSIST, .CLIENT,
    ]

    /// Clauses whose violation is unambiguous, such as a read that lacks the content of an earlier one.
    static let specific: Set<ClauseID> = [
        harm, ClauseID(.ID, 5), ClauseID(.TURN, 5), renumbering, ClauseID(.AUTH, 6), ClauseID(.PERSIST, 5),
        ClauseID(.AUTH, 7), ClauseID(.LIVE, 9), ClauseID(.CLIENT, 21), ClauseID(.CLIENT, 6),
    ]

    /// Generic clauses, such as the one about changed reads, of which other clauses state special cases.
    ///
    /// An invalid body explains everything that is missing from it, so only clauses of its own area rank above it.
    static let general: Set<ClauseID> = [
        ClauseID(.TURN, 7), ClauseID(.SYNC, 7), ClauseID(.PERSIST, 5), ClauseID(.PERSIST, 7), ClauseID(.REST, 1),
        ClauseID(.LIVE, 1), end,
    ]

    /// The clause about ends without a cause.
    ///
    /// Only with a start command does each of them count, so their number says nothing about other clauses.
    static let end = ClauseID(.LIVE, 10)

    /// The clause that isolates principals: frames for another principal may break any clause in any scenario.
    static let leak = ClauseID(.AUTH, 6)

    /// The clause that forbids a client to end others' connections: such an end may break any clause anywhere.
    static let harm = ClauseID(.ENV, 5)

    /// The clause about the numbers of the stream across a restart: later frames of the stream may break others.
    static let renumbering = ClauseID(.SYNC, 5)

    /// The clauses that a silence breaks first, about ordinary messages.
    static let silence = [ClauseID(.AUTH, 1), ClauseID(.TURN, 1), ClauseID(.LIVE, 1), ClauseID(.PERSIST, 7)]

    /// The clauses that say why a connection must not end; an end without a cause explains what others miss.
    static let ends = [harm, ClauseID(.LIVE, 2), ClauseID(.LIVE, 3), ClauseID(.LIVE, 9), end]

    static func head(of group: [SharedEvidence.Breach]) -> SharedEvidence.Breach {
        // The scenarios of a selection must not decide which effect of a silence or an end comes first.
        let isEnd = group.contains { $0.clause == end } && group.allSatisfy(\.isEnd)
        let fixed = isEnd ? ends : silence
        let order = { (breach: SharedEvidence.Breach) in fixed.firstIndex(of: breach.clause) ?? fixed.count }
        let first = group.filter { isEnd || $0.isSilence }.min { (order($0), rank($0)) < (order($1), rank($1)) }
        if let first { return first }
        // A violation in a few places hardly explains one that occurs everywhere.
        let most = group.filter { $0.clause != end }.map(\.moments.count).max() ?? 0
        let wide = group.filter { $0.moments.count * 2 >= most || [leak, harm].contains($0.clause) }
        let weights = wide.map { weight($0, in: wide) }
        let candidates = zip(wide, weights).filter { $0.1 == weights.min() }.map(\.0)
        let losses = candidates.map { one in candidates.count { isBefore($0, one) } }
        let best = candidates.indices.min { (losses[$0], rank(candidates[$0])) < (losses[$1], rank(candidates[$1])) }
        return best.map { candidates[$0] } ?? group[0]
    }

    private static func weight(_ breach: SharedEvidence.Breach, in group: [SharedEvidence.Breach]) -> Int {
        let isGeneral =
            general.contains(breach.clause)
            && (breach.clause.area != .REST || group.contains { $0.clause.area == .REST && $0.clause != breach.clause })
        // After a crash, more specific clauses name each broken promise.
        if specific.contains(breach.clause), !(isGeneral && breach.needsCrash) { return 0 }
        return isGeneral ? 2 : 1
    }

    private static func rank(_ breach: SharedEvidence.Breach) -> Int {
        let area = areas.firstIndex(of: breach.clause.area) ?? areas.count
        return ((breach.needsCrash ? 1 : 0) * (areas.count + 1) + area) * 1_000 + breach.clause.number
    }

    /// Whether one violation comes before another in most scenarios with both, or else is more basic.
    private static func isBefore(_ one: SharedEvidence.Breach, _ other: SharedEvidence.Breach) -> Bool {
        guard one.clause != other.clause else { return false }
        let lead = one.moments.reduce(0) { lead, entry in
            guard let moment = other.moments[entry.key], moment != entry.value else { return lead }
            return lead + (entry.value < moment ? 1 : -1)
        }
        return lead == 0 ? rank(one) < rank(other) : lead > 0
    }
}

/// The events that findings cite, and the messages they name.
private struct SharedEvidence {
    /// The cited event of a finding, and the start of its evidence.
    struct Moment: Comparable {
        let cited: Int
        /// The last earlier event in its evidence, or itself if there is none.
        let since: Int

        static func < (left: Moment, right: Moment) -> Bool {
            (left.cited, right.since) < (right.cited, left.since)
        }
    }

    struct Breach {
        let clause: ClauseID
        /// The event numbers of each finding.
        var findings: Set<[Int]> = []
        /// The earliest finding in each scenario.
        var moments: [String: Moment] = [:]
        /// Whether every finding involves an end of the process or a disk fault.
        var needsCrash = true
        /// Whether every finding is about something that a mute server left unanswered.
        var isSilence = true
        /// Whether every finding cites the end of a connection.
        var isEnd = true
    }

    private struct Place: Hashable {
        let scenario: String
        let events: [Int]
    }

    private struct Name: Hashable {
        let scenario: String
        let member: String
        let value: String
    }

    private let histories: [String: History]
    private let broken: Set<ClauseID>
    /// The sessions and turns that principals of several scenarios received frames about.
    private let leaked: Set<String>
    private let unheard: [String: [Int: String]]
    /// Whether the server answered nothing, over REST or else, in all scenarios: one silence then explains what they lack.
    private let isMute: (overREST: Bool, elsewhere: Bool)
    private var numbers: [Place: Int] = [:]
    private var nameNumbers: [Name: Int] = [:]
    /// The messages named by each event.
    private var names: [Set<Int>] = []

    init(_ histories: [String: History], broken: Set<ClauseID>) {
        (self.histories, self.broken) = (histories, broken)
        leaked = broken.contains(CauseRank.leak) ? Self.heardTwice(in: histories) : []
        unheard = histories.mapValues(\.unheard)
        let types = Set(histories.values.flatMap { $0.frames.compactMap { $0?["type"]?.stringValue } })
        let events = histories.values.lazy.flatMap(\.events)
        let responds = events.contains { if case .response = $0.kind { true } else { false } }
        isMute = (!responds, types.isDisjoint(with: ["ack", "pong", "syncResult", "done", "message"]))
    }

    /// The sessions and turns with frames in several scenarios, which should share none.
    private static func heardTwice(in histories: [String: History]) -> Set<String> {
        var (once, twice): (Set<String>, Set<String>) = ([], [])
        for history in histories.values {
            let frames = history.frames.compactMap(\.self)
            let names = Set(frames.flatMap { [$0["sessionId"], $0["turnId"]].compactMap { $0?.stringValue } })
            twice.formUnion(once.intersection(names))
            once.formUnion(names)
        }
        return twice
    }

    mutating func breach(_ clause: ClauseID, _ findings: [ClauseResult.Occurrence]) -> Breach {
        var breach = Breach(clause: clause)
        for occurrence in findings {
            let scenario = occurrence.scenario
            guard let history = histories[scenario] else { continue }
            let events = occurrence.finding.events.filter(history.events.indices.contains)
            // An event that only proves that a bound had passed is shared by chance, but it says when the clause broke.
            let evidence = occurrence.finding.evidence.filter(history.events.indices.contains)
            let numbers = evidence.compactMap { number(of: $0, in: history, scenario) }
            if !evidence.contains(where: { isIgnored($0, scenario) }) { breach.isSilence = false }
            let ends = evidence.map { history.events[$0].kind }.contains {
                if case .close(.fromServer, _, _) = $0 { true } else { $0.isLoss }
            }
            if !ends { breach.isEnd = false }
            breach.findings.insert(
                numbers.isEmpty && !evidence.isEmpty
                    ? [number(of: Place(scenario: scenario, events: evidence), [])] : numbers)
            guard let cited = events.last else {
                breach.needsCrash = false
                continue
            }
            let moment = Moment(cited: cited, since: events.dropLast().last ?? cited)
            breach.moments[scenario] = min(breach.moments[scenario] ?? moment, moment)
            let first = events.min() ?? cited
            let isCrossed = first < cited && history.events[first...cited].contains(where: \.isFault)
            if !isCrossed && !clause.isProvedByCrashes { breach.needsCrash = false }
        }
        return breach
    }

    /// Whether an event is a message or request that a mute server left unanswered.
    private func isIgnored(_ event: Int, _ scenario: String) -> Bool {
        unheard[scenario]?[event].map { $0 == "REST" ? isMute.overREST : isMute.elsewhere } ?? false
    }

    private mutating func number(of place: Place, _ found: Set<Int>) -> Int {
        if let number = numbers[place] { return number }
        numbers[place] = names.count
        names.append(found)
        return names.count - 1
    }

    /// The number of an event; nil for one that says nothing of a frame or a message.
    ///
    /// A screen shows every message at once, and a wait or an act of the person may be common to anything.
    private mutating func number(of event: Int, in history: History, _ scenario: String) -> Int? {
        let place = Place(scenario: scenario, events: [event])
        if let number = numbers[place] { return number }
        var found: Set<Int> = []
        func add(_ name: Name) {
            let number = nameNumbers[name] ?? nameNumbers.count
            nameNumbers[name] = number
            found.insert(number)
        }
        func addLeak(_ value: some StringProtocol) {
            if leaked.contains(String(value)) { add(Name(scenario: "", member: "leak", value: "")) }
        }
        history.events[event].forEachName {
            add(Name(scenario: scenario, member: $0, value: $1))
            addLeak($1)
        }
        if let lane = unheard[scenario]?[event] {
            add(Name(scenario: scenario, member: "silence", value: lane))
            if isIgnored(event, scenario) { add(Name(scenario: "", member: "silence", value: "")) }
        }
        addLeak(history.frames[event]?["sessionId"]?.stringValue ?? "")
        switch history.events[event].kind {
        case .request(let request): addLeak(request.path.split(separator: "/").last ?? "")
        // A server that gives the same code and reason everywhere ends its connections for one cause.
        case .close(.fromServer, let code?, let reason) where !history.events[..<event].contains(where: \.isFault):
            add(Name(scenario: "", member: "close", value: "\(code) \(reason)"))
        case .eof where broken.contains(CauseRank.harm): add(Name(scenario: "", member: "end", value: ""))
        case .text(.fromServer, _) where broken.contains(CauseRank.renumbering):
            let isLater = history.events[..<event].contains {
                if case .act("start", _) = $0.kind { true } else { false }
            }
            if isLater { add(Name(scenario: scenario, member: "later stream", value: "")) }
        default: break
        }
        return found.isEmpty && history.events[event].isAside ? nil : number(of: place, found)
    }

    /// For each event, whether a group cites it, or it names a message that a cited event names.
    private func touched(by group: some Sequence<Breach>) -> [Bool] {
        let events = Set(group.flatMap { $0.findings.joined() })
        let messages = events.reduce(into: Set<Int>()) { $0.formUnion(names[$1]) }
        return names.indices.map { events.contains($0) || !messages.isDisjoint(with: names[$0]) }
    }

    /// Groups violations by shared evidence; each group starts with the most explanatory one.
    func groups(_ breaches: [Breach]) -> [[Breach]] {
        func follows(_ breach: Breach, _ touched: [Bool]) -> Bool {
            !breach.findings.isEmpty && breach.findings.allSatisfy { $0.contains { touched[$0] } }
        }
        let explained = breaches.map { one in
            let touched = touched(by: [one])
            return Set(breaches.indices.filter { breaches[$0].clause != one.clause && follows(breaches[$0], touched) })
        }
        var left = Set(breaches.indices)
        var groups: [[Breach]] = []
        while !left.isEmpty {
            let order = left.sorted { breaches[$0].clause < breaches[$1].clause }
            let widest = order.max { one, other in
                let counts = (explained[one].intersection(left).count, explained[other].intersection(left).count)
                return (counts.0, breaches[one].moments.count, breaches[other].clause)
                    < (counts.1, breaches[other].moments.count, breaches[one].clause)
            }
            guard let widest else { break }
            var group = [widest] + order.filter(explained[widest].contains)
            left.subtract(group)
            var grown = group.count > 1
            while grown {
                let touched = touched(by: group.map { breaches[$0] })
                let more = order.filter { left.contains($0) && follows(breaches[$0], touched) }
                left.subtract(more)
                group += more
                grown = !more.isEmpty
            }
            groups.append(group.map { breaches[$0] })
        }
        return groups
    }
}

extension Event {
    /// Whether the stage ended or started the process, or made its disk fail.
    fileprivate var isFault: Bool {
        guard case .act(let act, _) = kind else { return false }
        return ["kill", "stop", "start", "refuseWrites"].contains(act)
    }

    /// Whether it is a screen, a wait or an act, except for faults.
    fileprivate var isAside: Bool {
        switch kind {
        case .state, .wait: true
        case .act: !isFault
        default: false
        }
    }

    /// Visits each member that names a message or a turn, at any depth.
    fileprivate func forEachName(_ body: (_ member: String, _ value: String) -> Void) {
        switch kind {
        case .text(_, let text): (try? JSONParser.value(text))?.forEachName(body)
        case .request(let request): request.body.flatMap { try? JSONParser.value($0) }?.forEachName(body)
        case .response(let response): (try? JSONParser.value(response.body))?.forEachName(body)
        case .act(_, let details): JSONValue.object(details).forEachName(body)
        default: break
        }
    }
}

extension History {
    /// Messages and requests without any sign of the server after them, each with its connection or `REST`.
    ///
    /// A connection that ended explains the silence on it.
    fileprivate var unheard: [Int: String] {
        var (heard, unheard): (Set<String>, [Int: String]) = ([], [:])
        for (index, event) in events.enumerated().reversed() where header.subject.role == .server {
            let lane: String
            switch event.lane {
            case .connection(let device): lane = device
            case .exchange: lane = "REST"
            default: continue
            }
            switch event.kind {
            case .opening, .close(.toServer, _, _), .act("cut", _): heard.remove(lane)
            case .text(.toServer, _), .binary(.toServer, _), .request, .act("mute", _):
                if !heard.contains(lane) { unheard[index] = lane }
            // Libraries answer pings even if nothing else answers.
            case .wait, .failed("late"), .ping, .pong: break
            default: heard.insert(lane)
            }
        }
        return unheard
    }
}

extension JSONValue {
    fileprivate func forEachName(_ body: (_ member: String, _ value: String) -> Void) {
        if let elements = arrayValue { for element in elements { element.forEachName(body) } }
        for (key, value) in objectValue ?? [:] {
            if let text = value.stringValue {
                if ["messageId", "turnId", "clientMessageId"].contains(key) { body(key, text) }
            } else {
                value.forEachName(body)
            }
        }
    }
}

extension RunReport {
    /// Orders the findings of each clause, and groups unexpected violations; those that the subject's wire format makes
    /// unavoidable form the last groups.
    mutating func findCauses() {
        for index in clauses.indices { clauses[index].arranged = arranged(clauses[index]) }
        let histories = scenarios.keyed(by: \.name).mapValues(\.history)
        causes = [false, true].flatMap { isUnkeepable in
            Cause.causes(
                of: unexpected.filter { $0.isUnkeepable == isUnkeepable }.map { result in
                    (result.clause.id, result.findings.filter { expectation(of: result, in: $0) == nil })
                }, in: histories)
        }
    }

    /// The cause of a clause among all violations in the run's scenarios, expected or not; the clause itself if it
    /// follows from no other.
    package func head(of clause: ClauseID) -> ClauseID? {
        var found: [ClauseID: [ClauseResult.Occurrence]] = [:]
        for scenario in scenarios {
            for verdict in scenario.verdicts where verdict.outcome == .violation {
                found[verdict.clause, default: []] += verdict.findings.map {
                    .init(scenario: scenario.name, finding: $0)
                }
            }
        }
        let causes = Cause.causes(
            of: found.sorted { $0.key < $1.key }.map { ($0.key, $0.value) },
            in: scenarios.keyed(by: \.name).mapValues(\.history))
        return causes.first { $0.head == clause || $0.followers.contains(clause) }?.head
    }

    var unexpectedByCause: [(head: ClauseResult, followers: [ClauseResult])] {
        let results = unexpected.keyed(by: \.clause.id)
        let known = causes.isEmpty ? unexpected.map { Cause(head: $0.clause.id, followers: []) } : causes
        return known.compactMap { cause in
            results[cause.head].map { ($0, cause.followers.compactMap { results[$0] }) }
        }
    }

    package var heads: [ClauseID: ClauseID] {
        causes.reduce(into: [:]) { heads, cause in for follower in cause.followers { heads[follower] = cause.head } }
    }
}
