import HoldfastJSON

/// Reads a scenario file and notes all problems, by line and JSON pointer.
public enum ScenarioReader {
    /// Reads one scenario.
    ///
    /// * `name`: Such as `server/SYNC/replay-after-cut`.
    /// * `clauses`: The existing clauses; nil to accept any.
    /// * `isSound`: Whether it is known to pass its schema.
    /// - Throws: All problems of the file, with lines.
    public static func scenario(
        _ text: String, named name: String, file: String, clauses: Set<ClauseID>? = nil, isSound: Bool = false
    ) throws(InputProblems) -> Scenario {
        try MemberReader.read(
            Array(text.utf8), file: file, schema: .scenario, isSound: isSound, expected: "a scenario"
        ) { read($0, named: name, clauses) }
    }

    /// Reads a generated scenario, whose schema is checked only when it is written to a file.
    package static func scenario(_ generated: JSONValue, named name: String) throws(InputProblems) -> Scenario {
        try MemberReader.read(generated, at: name, schema: nil) { read($0, named: name, nil) }
    }

    private static func read(_ members: MemberReader, named name: String, _ clauses: Set<ClauseID>?) -> Scenario? {
        let needs = needs(members)
        let flow = ScenarioFlow(principals: needs.principals, collector: members.collector)
        let clauses = members.clauses(among: clauses, example: "SYNC-3")
        let steps = ScenarioStepReader.steps(members.array("steps") ?? [], flow: flow)
        if !needs.start, let step = steps.first(where: \.needsProcess) {
            members.collector.note(
                step.pointer, "only a server that the scenario starts can be stopped and started",
                expected: "needs.start",
                fix: "add \"start\": true to /needs")
        }
        return members.choice("role", of: Role.self).map { role in
            Scenario(
                name: name, title: members.text("title"), summary: members.text("summary"), role: role,
                clauses: clauses, needs: needs, steps: steps)
        }
    }

    private static func needs(_ members: MemberReader) -> Scenario.Needs {
        var needs = Scenario.Needs()
        guard let reader = members.members("needs") else { return needs }
        needs.profiles = Set(reader.choices("profiles", of: Profile.self).map(\.choice))
        needs.keys = reader.bool("keys") ?? false
        needs.agent = reader.choice("agent", of: Scenario.Agent.self) ?? .any
        needs.principals = min(max(1, reader.integer("principals") ?? 1), 8)
        needs.start = reader.bool("start") ?? false
        needs.budget = reader.bool("budget") ?? false
        needs.replay = reader.integer("replay") ?? 0
        let patience = reader.members("patience")
        for name in patience?.object.keys ?? [] { needs.patience[name] = patience?.integer(name) }
        return needs
    }
}
