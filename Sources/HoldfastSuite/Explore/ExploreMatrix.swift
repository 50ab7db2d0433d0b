import Holdfast
import HoldfastBasics
import HoldfastExplore
import HoldfastJSON
import HoldfastJudge
import HoldfastPlatform
import HoldfastReference
import HoldfastReport
import HoldfastTranscript
import ReferenceClient

/// Measures how soon exploration finds each named defect of the reference peers, and its false alarms.
///
/// Everything is simulated, so equal seeds give equal matrices.
package struct ExploreMatrix: Sendable {
    let specification: Specification
    /// The number of plans for the healthy peers, and the limit for each defect.
    let runs: Int
    let seed: UInt64
    let shrinks: Bool
    let show: ProgressDisplay?
    /// The handwritten scenarios of each side.
    private let scenarios: [Role: [Plan]]

    package init(
        under specification: Specification, runs: Int, seed: UInt64, shrinking shrinks: Bool = false,
        showing show: ProgressDisplay? = nil
    ) {
        self.shrinks = shrinks
        self.specification = specification
        self.runs = max(1, runs)
        self.seed = seed
        self.show = show
        scenarios = Dictionary(
            uniqueKeysWithValues: [Role.server, .client].map { ($0, Plan.scenarios(of: $0, in: specification)) })
    }

    private func explorer(_ setting: Setting) -> Explorer {
        Explorer(setting, under: specification, disturbing: scenarios[.server])
    }

    private func explorer(_ setting: ClientSetting) -> Explorer {
        Explorer(client: setting, under: specification, disturbing: scenarios[.client])
    }

    /// The number of searches for each defect, with seeds far apart, so that one lucky plan does not decide the result.
    private static let searches = 3

    /// The number of simulated worlds in which a small plan is tried.
    private static let worlds = 6

    /// The number of consecutive plans in which later ones learn from earlier ones.
    private static let slice = 100

    struct Search: Sendable {
        let name: String
        let clause: ClauseID
        /// The number of plans until its clause broke, in each search; nil if it never broke.
        var plans: [Int?] = []
        /// Other clauses that broke in plans that did not break its own.
        var others: Set<ClauseID> = []
        /// The smallest of the plans that break the clause in the most worlds; nil unless plans are shrunk.
        var smallest: Explorer.Trial?
        /// The number of worlds in which that plan breaks the clause.
        var rate = 0

        /// The median of the searches; nil if most of them found nothing.
        var median: Int? {
            let found = plans.compactMap(\.self).sorted()
            return found.count > plans.count / 2 ? found[plans.count / 2] : nil
        }
    }

    /// A false alarm, or a failed simulation.
    struct Alarm: Sendable {
        let seed: UInt64
        /// The conforming peer in the run.
        let peer: String
        /// The clause that the judge reports as broken; nil if the simulation failed.
        var clause: ClauseID?
        let what: String
        /// The plan with its history; nil if the plan was not a scenario.
        var trial: Explorer.Trial?
        var explorer: Explorer?

        /// Its identity, since many plans raise the same alarm.
        var cause: String {
            (clause.map { "\($0) " } ?? "") + (what.firstIndex(of: ":").map { String(what[..<$0]) } ?? what)
        }
    }

    /// The number of plans with the same alarm that are shrunk.
    private static let shownAlarms = 3

    package struct Result: Sendable {
        var runs = 0
        /// False alarms about healthy peers, and failures of the simulation.
        var alarms: [Alarm] = []
        /// A digest of the first histories: equal wherever equal seeds give equal bytes.
        var digest = ""
        var searches: [Search] = []
        /// The time for the healthy peers.
        var healthyTime = Duration.zero
        var duration = Duration.zero

        /// The scenario files of the smallest plans, by defect, and each alarm with its plan and transcript.
        package var files: [(name: String, text: String)] {
            searches.compactMap { search in
                search.smallest.map { ("\(search.name).json", $0.file(about: search.clause)) }
            }
                + alarms.flatMap { alarm -> [(name: String, text: String)] in
                    let parts = ["alarm", alarm.clause?.description, "\(alarm.seed)"].compactMap(\.self)
                    guard let trial = alarm.trial else { return [] }
                    let name = parts.joined(separator: "-")
                    return [
                        ("\(name).json", trial.file(about: alarm.clause ?? ClauseID(.TURN, 1))),
                        ("\(name).ndjson", TranscriptWriter.text(trial.simulation.history)),
                    ]
                }
        }

        package var holds: Bool { alarms.isEmpty }
    }

    private typealias Wanted = (name: String, clause: ClauseID, explorer: Explorer)

    /// Runs the healthy peers and the given defects; a role without defects is omitted.
    package func run(_ defects: [Defect], _ clientDefects: [ClientDefect]) async -> Result {
        let began = ContinuousClock.now
        let servers: [Wanted] = defects.map { ($0.name, $0.clause, explorer(Setting(defects: [$0]))) }
        let wanted = servers + clientDefects.map { ($0.name, $0.clause, explorer(ClientSetting(defects: [$0]))) }
        let names = ["healthy"] + wanted.map(\.name)
        let meter = Meter(
            Dictionary(names.map { ($0, $0 == "healthy" ? 0 : 1) }, uniquingKeysWith: max), flaw: .misjudged,
            showing: show)
        defer { meter.close() }
        var result = Result()
        meter.begin("healthy")
        result.runs = runs
        if !defects.isEmpty { result.alarms += await healthy(legalServer) }
        if !clientDefects.isEmpty { result.alarms += await healthy(legalClient) }
        result.healthyTime = .now - began
        if shrinks { result.alarms = await shrunk(result.alarms) }
        result.digest = explorer(Setting()).digest(of: 1...5)
        meter.end("healthy", isFlawed: !result.alarms.isEmpty)
        let searches = await inParallel(wanted) { defect in
            meter.begin(defect.name)
            let search = await self.search(for: defect)
            meter.end(defect.name, isFlawed: search.median == nil)
            return search
        }
        result.searches = searches
        result.duration = .now - began
        return result
    }

    /// Legal servers in rotation: with all profiles, in a variation, and with fewer profiles.
    private func legalServer(_ index: Int) -> (name: String, explorer: Explorer) {
        let all = Profile.all(of: .server)
        switch (index % 3, index / 3) {
        case (1, let number):
            let variation = Variation.allCases[number % Variation.allCases.count]
            var setting = Setting()
            setting.configuration.variations = [variation]
            return (variation.rawValue, explorer(setting))
        case (2, let number):
            let removed = all.subtracting([.core]).sorted().enumerated().filter { (number + 1) >> $0.offset & 1 == 1 }
            let profiles = all.subtracting(removed.map(\.element))
            return ("without \(removed.map(\.element.rawValue).joined(separator: ", "))", explorer(Setting(profiles)))
        default: return ("healthy", explorer(Setting()))
        }
    }

    /// Legal clients in rotation: with all profiles, in a variation, and with fewer profiles.
    private func legalClient(_ index: Int) -> (name: String, explorer: Explorer) {
        var setting = ClientSetting()
        var name = "healthy client"
        switch (index % 3, index / 3) {
        case (1, let number):
            let variation = ClientVariation.allCases[number % ClientVariation.allCases.count]
            setting.variations = [variation]
            name = variation.rawValue
        case (2, let number):
            let removed: Set<Profile> = [[.clientSync], [.clientPush], [.clientSync, .clientPush]][number % 3]
            setting.profiles.subtract(removed)
            name = "without \(removed.sorted().map(\.rawValue).joined(separator: ", "))"
        default: break
        }
        return (name, explorer(setting))
    }

    private func healthy(_ peer: @escaping @Sendable (Int) -> (name: String, explorer: Explorer)) async -> [Alarm] {
        let slices = stride(from: 0, to: runs, by: Self.slice).map { $0..<min($0 + Self.slice, runs) }
        let alarms = await inParallel(Array(slices.enumerated())) { index, slice in
            let (name, explorer) = peer(index)
            var guide = Guide(explorer.draw)
            return slice.flatMap { index -> [Alarm] in
                let seed = self.seed &+ UInt64(index)
                if Task.isCancelled { return [] }
                let plan = guide.plan(seed: seed)
                guard let trial = explorer.trial(of: plan, seed: seed) else {
                    return [Alarm(seed: seed, peer: name, what: "the plan is not a scenario")]
                }
                guide.learn(from: plan, explorer.coverage(of: trial))
                let accused = trial.broken.map { verdict in
                    let what = verdict.findings.first?.what ?? ""
                    return Alarm(
                        seed: seed, peer: name, clause: verdict.clause, what: what, trial: trial, explorer: explorer)
                }
                guard let problem = trial.simulation.problem else { return accused }
                return accused + [Alarm(seed: seed, peer: name, what: problem, trial: trial)]
            }
        }
        return alarms.flatMap(\.self)
    }

    /// The same alarms; the first few of each cause have shrunk plans.
    private func shrunk(_ alarms: [Alarm]) async -> [Alarm] {
        var seen: [String: Int] = [:]
        let chosen = alarms.map { alarm in
            seen[alarm.cause, default: 0] += 1
            return (alarm, isShown: seen[alarm.cause, default: 0] <= Self.shownAlarms)
        }
        return await inParallel(chosen) { alarm, isShown in
            guard isShown, let clause = alarm.clause, let trial = alarm.trial, let explorer = alarm.explorer else {
                return alarm
            }
            var copy = alarm
            copy.trial = await explorer.shrink(trial, to: clause)
            return copy
        }
    }

    private func search(for defect: Wanted) async -> Search {
        var search = Search(name: defect.name, clause: defect.clause)
        let explorer = defect.explorer
        for number in 0..<Self.searches {
            let first = seed &+ UInt64(number) &* 1_000_003
            var found: Int?
            var guide = Guide(explorer.draw)
            for index in 0..<runs where found == nil && !Task.isCancelled {
                let plan = guide.plan(seed: first &+ UInt64(index))
                guard let trial = explorer.trial(of: plan, seed: first &+ UInt64(index)) else { continue }
                guide.learn(from: plan, explorer.coverage(of: trial))
                let broken = trial.broken.map(\.clause)
                guard broken.contains(defect.clause) else {
                    search.others.formUnion(broken)
                    continue
                }
                found = index + 1
                guard shrinks else { continue }
                let small = await explorer.shrink(trial, to: defect.clause, worlds: Self.searches)
                let rate = explorer.rate(of: small.plan, breaking: defect.clause, in: Self.worlds)
                guard search.smallest.map({ (-rate, small.plan.count) < (-search.rate, $0.plan.count) }) ?? true else {
                    continue
                }
                (search.smallest, search.rate) = (small, rate)
            }
            search.plans.append(found)
        }
        return search
    }
}

extension ExploreMatrix.Result {
    package func text(_ style: ConsoleStyle) -> String {
        let width = (searches.map(\.name.count).max() ?? 0) + 2
        var lines: [String] = []
        for search in searches where search.median != nil {
            let tries = search.plans.map { $0.map(String.init) ?? "-" }.joined(separator: " ")
            lines.append(
                "found   \(padded("\(search.clause)", 11))\(padded(search.name, width))"
                    + "\(padded("\(search.median ?? 0)", 7))\(tries)"
                    + (search.smallest.map { "  in \(counted($0.plan.count, "step"))" } ?? ""))
        }
        for search in searches where search.median == nil {
            let others = search.others.sorted().map(\.description)
            let tries = search.plans.compactMap(\.self).map(String.init).joined(separator: " ")
            lines.append(
                "MISSED  \(padded("\(search.clause)", 11))\(padded(search.name, width))"
                    + (tries.isEmpty ? "" : "once after \(tries)  ")
                    + (others.isEmpty ? "" : "breaks \(listed(others, limit: 5))"))
        }
        let causes = Dictionary(grouping: alarms, by: \.cause).sorted {
            ($1.value.count, $0.key) < ($0.value.count, $1.key)
        }
        for (cause, alarms) in causes {
            let first = alarms.prefix(3).map { "seed \($0.seed) (\($0.peer))" }
            lines.append("ALARM   \(alarms.count)× \(cause): \(first.joined(separator: ", "))")
        }
        return (lines + ["", summary]).joined(separator: "\n") + "\n"
    }

    private var summary: String {
        let found = searches.compactMap(\.median).sorted()
        let rate = Double(runs) / max(0.001, Double(healthyTime.milliseconds) / 1000) * 60
        var words =
            "\(readable(runs)) plans against healthy peers: \(alarms.isEmpty ? "no" : readable(alarms.count)) false "
            + "alarm\(alarms.count == 1 ? "" : "s"), \(readable(Int(rate))) plans a minute"
        if !searches.isEmpty {
            words +=
                "\n\(found.count) of \(searches.count) defects found within \(readable(runs)) plans"
                + (found.isEmpty ? "" : ", half of these within \(found[found.count / 2])")
        }
        return words + ", in \(readable(duration))"
    }

    package var value: JSONValue {
        JSONValue(members: [
            "format": "holdfast-explore-matrix", "version": 1, "holds": holds, "runs": runs,
            "digest": digest,
            "alarms": alarms.map {
                JSONValue(members: [
                    "seed": JSONValue(Int($0.seed & 0x1F_FFFF_FFFF_FFFF)), "peer": $0.peer,
                    "clause": $0.clause?.description, "what": $0.what,
                ])
            },
            "defects": searches.map { search in
                JSONValue(members: [
                    "name": search.name, "clause": search.clause, "median": search.median,
                    "plans": JSONValue.array(search.plans.map { $0.map { JSONValue($0) } ?? .null }),
                    "others": search.others.sorted(),
                ])
            },
        ])
    }
}
