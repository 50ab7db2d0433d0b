import JSON

/// Reads a scenario file and notes everything that is wrong in it, by line and JSON pointer.
public struct ScenarioReader {
    private let name: String
    private let collector: ProblemCollector
    private let clauses: Set<ClauseID>?

    /// Reads one scenario.
    /// - Parameters:
    ///   - text: The file.
    ///   - name: The name of the scenario, such as `server/SYNC/replay-after-cut`.
    ///   - file: The file as problems name it.
    ///   - clauses: The clauses there are; nil when any will do.
    /// - Returns: The scenario, ready to be performed.
    /// - Throws: Every problem of the file at once, each with its line.
    public static func scenario(
        _ text: String, named name: String, file: String, clauses: Set<ClauseID>? = nil
    ) throws(InputProblems) -> Scenario {
        try MemberReader.read(Array(text.utf8), file: file, expected: "a scenario") { members in
            ScenarioReader(name: name, collector: members.collector, clauses: clauses).read(members)
        }
    }

    private func read(_ members: MemberReader) -> Scenario? {
        members.refuseUnknown(besides: ["title", "summary", "role", "clauses", "needs", "steps"])
        let title = members.string("title", required: true)
        let summary = members.string("summary", required: true)
        let role = members.choice("role", of: Role.self, required: true)
        let clauses = members.clauses(among: clauses, such: "SYNC-3")
        let needs = needs(members)
        var flow = ScenarioFlow(principals: needs.principals, collector: collector)
        let elements = members.array("steps", required: true)
        if let elements, elements.isEmpty {
            collector.note(
                JSONPointer(tokens: ["steps"]), "no step", expected: "at least one step", fix: "say what is done")
        }
        let steps = (elements ?? []).compactMap { ScenarioStepReader.step($0.value, at: $0.pointer, flow: &flow) }
        if !needs.start, let step = steps.first(where: \.needsProcess) {
            collector.note(
                step.pointer, "only a server of the scenario's own can be ended and started", expected: "needs.start",
                fix: "add \"start\": true to /needs")
        }
        guard let title, let summary, let role else { return nil }
        return Scenario(
            name: name, title: title, summary: summary, role: role, clauses: clauses, needs: needs, steps: steps)
    }

    private func needs(_ members: MemberReader) -> Scenario.Needs {
        var needs = Scenario.Needs()
        guard let reader = members.members("needs") else { return needs }
        reader.refuseUnknown(besides: ["profiles", "agent", "principals", "start", "budget", "patience"])
        for element in reader.strings("profiles") ?? [] {
            if let profile = reader.choice(element.text, of: Profile.self, called: "profile", at: element.pointer) {
                needs.profiles.insert(profile)
            }
        }
        needs.agent = reader.choice("agent", of: Scenario.Agent.self) ?? .any
        needs.principals = reader.integer("principals", in: 1...8) ?? 1
        needs.start = reader.bool("start") ?? false
        needs.budget = reader.bool("budget") ?? false
        if let patience = reader.members("patience") {
            let names = ["authSeconds", "heartbeatSeconds", "rateWindowSeconds"]
            patience.refuseUnknown(besides: names)
            for name in names { needs.patience[name] = patience.integer(name, in: 1...100) }
        }
        return needs
    }
}
