import JSON

/// Reads a client scenario and notes everything that is wrong in it, by line and JSON pointer.
public struct ClientScenarioReader {
    private let name: String
    private let collector: ProblemCollector
    private let clauses: Set<ClauseID>?

    /// Reads one scenario.
    /// - Parameters:
    ///   - text: The file.
    ///   - name: The name of the scenario, such as `client/CLIENT/foreground-reconnects`.
    ///   - file: The file as problems name it.
    ///   - clauses: The clauses there are; nil when any will do.
    /// - Returns: The scenario, ready to be performed.
    /// - Throws: Every problem of the file at once, each with its line.
    public static func scenario(
        _ text: String, named name: String, file: String, clauses: Set<ClauseID>? = nil
    ) throws(InputProblems) -> ClientScenario {
        try MemberReader.read(Array(text.utf8), file: file, expected: "a scenario") { members in
            ClientScenarioReader(name: name, collector: members.collector, clauses: clauses).read(members)
        }
    }

    private enum OnlyClient: String, CaseIterable { case client }

    private func read(_ members: MemberReader) -> ClientScenario? {
        members.refuseUnknown(besides: ["title", "summary", "role", "clauses", "needs", "world", "steps"])
        let title = members.string("title", required: true)
        let summary = members.string("summary", required: true)
        _ = members.choice("role", of: OnlyClient.self, required: true)
        let clauses = members.clauses(among: clauses, such: "CLIENT-3")
        let needs = needs(members)
        let world = members.members("world").map { ClientWorldReader(reader: $0).world() } ?? ClientWorld()
        var flow = ScenarioFlow(names: Self.known, collector: collector)
        let elements = members.array("steps", required: true) ?? []
        if members.value("steps") != nil, elements.isEmpty {
            collector.note(members.pointer.appending("steps"), "no step", expected: "steps", fix: "say what is done")
        }
        let steps = elements.compactMap { ClientStepReader.step($0.value, at: $0.pointer, flow: &flow) }
        if let first = steps.first(where: { if case .person = $0.action { true } else { false } }),
            case .person(let act) = first.action, act.verb != "launch"
        {
            collector.note(
                first.pointer, "'\(act.verb)' before the app runs", expected: "a launch step before",
                fix: "begin with {\"do\": \"launch\"}")
        }
        guard let title, let summary else { return nil }
        return ClientScenario(
            name: name, title: title, summary: summary, clauses: clauses, needs: needs, world: world, steps: steps)
    }

    /// Names that have a value from the start, or from the first question on.
    static let known = ["run", "epoch", "lastSeq", "next", "turn", "key", "text", "session"]

    /// Whether a reference has a value once a question has come, and not before.
    public static func isOfAQuestion(_ name: String) -> Bool {
        ["turn", "key", "text", "session"].contains(String(name.prefix { $0 != "." }))
    }

    private func needs(_ members: MemberReader) -> ClientScenario.Needs {
        var needs = ClientScenario.Needs()
        guard let reader = members.members("needs") else { return needs }
        reader.refuseUnknown(besides: ["profiles", "timeScale"])
        for element in reader.strings("profiles") ?? [] {
            if let profile = reader.choice(element.text, of: Profile.self, called: "profile", at: element.pointer) {
                if profile.role != .client {
                    collector.note(
                        element.pointer, "'\(profile.rawValue)' is a profile of servers",
                        expected: "client-core, client-push, client-sync", fix: "what the server keeps stands in /world"
                    )
                }
                needs.profiles.insert(profile)
            }
        }
        if let value = reader.value("timeScale") {
            if let scale = value.doubleValue, (1...100).contains(scale) {
                needs.timeScale = scale
            } else {
                let _: Never? = reader.wrong("timeScale", value, "a number from 1 to 100")
            }
        }
        return needs
    }
}
