import Holdfast
import HoldfastJSON

/// A random schedule: a scenario, drawn from a grammar or shrunk from a longer one, for real or simulated subjects.
package struct Plan: Sendable, Equatable {
    package var name: String
    package var role = Role.server
    /// The sessions of the scripted server that a client meets.
    var world: JSONValue?
    var principals: Int
    var profiles: Set<Profile>
    /// The steps in the form of a scenario file.
    package var steps: [JSONValue]
    /// Whether it needs its own server although no step controls it: on a shared one, earlier turns may still run.
    var isApart = false
    /// The factor by which the client's timers must run faster.
    var timeScale: JSONValue?

    package static func scenarios(of role: Role, in specification: Specification) -> [Plan] {
        specification.files.texts.filter { $0.key.hasPrefix("scenarios/\(role)/") }.sorted { $0.key < $1.key }
            .compactMap { Plan($0.value, named: $0.key) }
    }

    /// The plan in the text of a scenario file; nil if that is not valid.
    package init?(_ text: String, named name: String) {
        guard let file = try? JSONParser.value(text), let steps = file["steps"]?.arrayValue,
            let role = file["role"]?.stringValue.flatMap(Role.init(rawValue:)), Self.isScenario(text, role)
        else { return nil }
        let profiles = (file["needs"]?["profiles"]?.arrayValue ?? []).compactMap(\.stringValue)
        self.init(
            name: name, principals: file["needs"]?["principals"]?.intValue ?? 1,
            profiles: Set(profiles.compactMap(Profile.init(rawValue:))), steps: steps)
        self.role = role
        world = file["world"]
        timeScale = file["needs"]?["timeScale"]
        isApart = file["needs"]?["start"]?.boolValue == true && !needsStart
    }

    init(name: String, principals: Int, profiles: Set<Profile>, steps: [JSONValue]) {
        (self.name, self.principals, self.profiles, self.steps) = (name, principals, profiles, steps)
    }

    package var needsStart: Bool { !verbs.isDisjoint(with: Self.processVerbs) }

    var verbs: Set<String> { Set(allSteps.compactMap { $0["do"]?.stringValue }) }

    var allSteps: [JSONValue] {
        func all(_ step: JSONValue) -> [JSONValue] { [step] + Self.inner(step).flatMap(all) }
        return steps.flatMap(all)
    }

    static func inner(_ step: JSONValue) -> [JSONValue] {
        let groups = ["branches", "of"].flatMap { step[$0]?.arrayValue ?? [] }.flatMap { $0.arrayValue ?? [] }
        return groups + ["before", "steps", "after"].flatMap { step[$0]?.arrayValue ?? [] }
    }

    static let processVerbs: Set = ["kill", "stop", "start", "refuseWrites", "acceptWrites"]

    package var count: Int { allSteps.count }

    package func file(
        about clauses: [ClauseID], title: String = "A random schedule",
        summary: String = "Its steps were chosen at random."
    ) -> JSONValue {
        var needs: JSONValue = role == .server ? ["agent": "scripted"] : [:]
        let named = profiles.subtracting([.core]).sorted().map { JSONValue.string($0.rawValue) }
        if !named.isEmpty { needs["profiles"] = .array(named) }
        if principals > 1 { needs["principals"] = JSONValue(principals) }
        if needsStart || isApart { needs["start"] = true }
        needs["timeScale"] = timeScale
        return JSONValue(members: [
            "title": title, "summary": summary, "role": role.rawValue,
            "clauses": JSONValue.array(clauses.map { .string("\($0)") }), "needs": needs, "world": world,
            "steps": JSONValue.array(steps),
        ])
    }

    /// The plan as a scenario; a shrunk plan may not be a valid one.
    package func scenario() throws(InputProblems) -> Scenario {
        try ScenarioReader.scenario(file(about: [ClauseID(.TURN, 1)]), named: name)
    }

    package func clientScenario() throws(InputProblems) -> ClientScenario {
        try ClientScenarioReader.scenario(file(about: [ClauseID(.CLIENT, 36)]), named: name)
    }

    /// The same plan; a client is watched long enough at the end to show the effects of the last step.
    package var settled: Plan {
        guard role == .client else { return self }
        let least = 600
        var plan = self
        let isWatched = plan.steps.last?["do"] == "watch"
        if isWatched, plan.steps.last?["for"]?.intValue ?? least >= least { return self }
        if isWatched { plan.steps.removeLast() }
        plan.steps.append(["do": "watch", "for": JSONValue(least)])
        return plan
    }

    /// Whether it parses as a scenario.
    var parses: Bool { (try? ScenarioFile(self)) != nil }

    private static func isScenario(_ text: String, _ role: Role) -> Bool {
        (try? ScenarioFile(text, of: role, named: "plan", file: "plan")) != nil
    }

    /// Whether its file is a valid scenario.
    var isSound: Bool {
        keepsLettersApart && parses && Self.isScenario(file(about: [ClauseID(.TURN, 1)]).text(), role)
    }

    /// Whether it is fair to a client: the assumptions of its parts still hold after they were combined.
    var isFair: Bool {
        guard role == .client else { return true }
        var isRunning = false
        var names: Set<String> = []
        var epochs: Set<String> = ["e1"]
        let stored = world?["sessions"]?.arrayValue ?? []
        var sessions = Set(stored.compactMap { $0["id"]?.stringValue })
        var messages = Set(stored.flatMap { Self.messages(in: $0) })
        var removed: Set<String> = []
        func holds(_ steps: [JSONValue]) -> Bool {
            steps.allSatisfy { step in
                let isNew = step["do"] == "elsewhere" && step["new"] == true
                // A step must name an existing session; the server itself names those that it begins.
                for name in [step["session"], step["opened"]?["session"]].compactMap({ $0?.stringValue }) where !isNew {
                    guard name == ClientPlanner.unknownSession || sessions.contains(name) else { return false }
                }
                // A notification must be about an existing answer.
                for push in [step, step["opened"] ?? [:]] where step["do"] != "elsewhere" {
                    guard let message = push["message"]?.stringValue, !message.contains("$"),
                        push["session"]?.stringValue != ClientPlanner.unknownSession
                    else { continue }
                    guard messages.contains(message) else { return false }
                }
                switch step["do"]?.stringValue {
                case "launch", "quit", "crash":
                    isRunning.toggle()
                    guard isRunning == (step["do"] == "launch") else { return false }
                case "send":
                    guard names.insert(step["as"]?.stringValue ?? "").inserted else { return false }
                case "restart": guard epochs.insert(step["epoch"]?.stringValue ?? "").inserted else { return false }
                case "remove": removed.insert(step["session"]?.stringValue ?? "")
                case "elsewhere":
                    // A plan does not write into a session that was removed.
                    guard !removed.contains(step["session"]?.stringValue ?? "") else { return false }
                    guard Self.messages(in: step).allSatisfy({ messages.insert($0).inserted }) else { return false }
                    if step["new"] == true, !sessions.insert(step["session"]?.stringValue ?? "").inserted {
                        return false
                    }
                default: break
                }
                return holds(Self.inner(step))
            }
        }
        return holds(steps)
    }

    /// The ids of messages in the written scenario.
    static func messages(in stored: JSONValue) -> [String] {
        (stored["messages"]?.arrayValue ?? []).compactMap { $0.stringValue ?? $0["id"]?.stringValue }
            .filter { !$0.contains("${next") }
    }

    /// Whether no connection is opened under the letter of another open one; their frames could not be distinguished.
    var keepsLettersApart: Bool {
        var open: Set<String> = []
        var unread: Set<String> = []
        func holds(_ steps: [JSONValue]) -> Bool {
            steps.allSatisfy { step in
                let letter = step["on"]?.stringValue ?? ""
                switch step["do"]?.stringValue {
                case "connect": return open.insert(letter).inserted
                case "cut", "close":
                    open.remove(letter)
                    unread.remove(letter)
                case "stopReading": unread.insert(letter)
                case "resumeReading": unread.remove(letter)
                case "kill", "stop", "awaitKill":
                    // Unread frames arrive later, under a letter that belongs to another connection by then.
                    guard unread.isEmpty else { return false }
                    open = []
                default: break
                }
                return holds(Self.inner(step))
            }
        }
        return holds(steps)
    }
}

extension ScenarioFile {
    /// The plan as a scenario; a shrunk plan may not be a valid one.
    package init(_ plan: Plan) throws(InputProblems) {
        switch plan.role {
        case .server: self = .server(try plan.scenario())
        case .client: self = .client(try plan.clientScenario())
        }
    }
}

// A part of a longer schedule, with the other steps that it needs.
extension Plan {
    /// Names and connections that its steps use without an earlier step that defines or opens them.
    var missingNames: Set<String> {
        var (defined, missing): (Set<String>, Set<String>) = ([], [])
        for step in allSteps {
            let isOpening = step["do"] == "connect"
            if let lane = step["on"]?.stringValue, !isOpening, !defined.contains(lane) { missing.insert(lane) }
            missing.formUnion(
                Self.names(usedBy: step).filter { !defined.contains($0) && !defined.contains(Self.family($0)) })
            defined.formUnion(Self.names(definedBy: step))
        }
        return missing
    }

    /// The innermost steps in a step, in order; a repetition stays whole.
    static func leaves(_ step: JSONValue) -> [JSONValue] {
        let inner = inner(step)
        return inner.isEmpty || step["do"] == "repeat" ? [step] : inner.flatMap(leaves)
    }

    /// Whether a step defines one of the names, or opens one of the connections.
    static func defines(_ step: JSONValue, any names: Set<String>) -> Bool {
        let defined = ([step] + inner(step)).reduce(into: Set<String>()) { $0.formUnion(self.names(definedBy: $1)) }
        return !defined.isDisjoint(with: names.union(names.map(family)))
    }

    /// The name without its number, which names with a counter have in common.
    private static func family(_ name: String) -> String {
        String(name.reversed().drop { $0.isNumber }.reversed()) + "${"
    }

    private static func names(definedBy step: JSONValue) -> Set<String> {
        var names = Set(step["save"]?.objectValue?.keys ?? [])
        for member in ["as", "counter"] { if let name = step[member]?.stringValue { names.insert(name) } }
        if step["do"] == "connect", let lane = step["on"]?.stringValue { names.insert(lane) }
        return Set(names.map { $0.contains("${") ? String($0.prefix { $0 != "{" }) + "{" : $0 })
    }

    /// The names whose values a step uses, except those that every scenario has.
    private static func names(usedBy step: JSONValue) -> Set<String> {
        var own = step
        for member in ["as", "save", "branches", "steps", "of"] { own[member] = nil }
        return Set(
            own.text().split(separator: "${").dropFirst().map { String($0.prefix { $0.isLetter || $0.isNumber }) }
        ).filter { $0 != "run" && !$0.hasSuffix("Token") && $0 != "kills" && $0 != "authSeconds" }
    }
}
