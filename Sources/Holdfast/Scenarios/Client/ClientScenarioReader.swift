import HoldfastBasics
import HoldfastJSON

/// Reads a client scenario and notes all problems, by line and JSON pointer.
public enum ClientScenarioReader {
    /// Reads one scenario.
    ///
    /// * `name`: Such as `client/CLIENT/foreground-reconnects`.
    /// * `clauses`: The existing clauses; nil to accept any.
    /// * `isSound`: Whether it is known to pass its schema.
    /// - Throws: All problems of the file, with lines.
    public static func scenario(
        _ text: String, named name: String, file: String, clauses: Set<ClauseID>? = nil, isSound: Bool = false
    ) throws(InputProblems) -> ClientScenario {
        try MemberReader.read(
            Array(text.utf8), file: file, schema: .clientScenario, isSound: isSound, expected: "a scenario"
        ) { read($0, named: name, clauses) }
    }

    /// Reads a generated scenario, whose schema is checked only when it is written to a file.
    package static func scenario(_ generated: JSONValue, named name: String) throws(InputProblems) -> ClientScenario {
        try MemberReader.read(generated, at: name, schema: nil) { read($0, named: name, nil) }
    }

    /// Reads generated steps for a running app; empty if one of them is invalid.
    package static func steps(_ generated: [JSONValue]) -> [ClientStep] {
        let file: JSONValue = ["title": "", "summary": "", "steps": .array([["do": "launch"]] + generated)]
        return (try? scenario(file, named: "steps"))?.steps.dropFirst().map(\.self) ?? []
    }

    private static func read(_ members: MemberReader, named name: String, _ clauses: Set<ClauseID>?) -> ClientScenario?
    {
        let flow = ScenarioFlow(names: Self.known, collector: members.collector)
        let steps = ClientStepReader.steps(members.array("steps") ?? [], flow: flow)
        let first = steps.lazy.compactMap { step in
            if case .person(let act) = step.action { (verb: act.verb, pointer: step.pointer) } else { nil }
        }.first
        if let first, first.verb != "launch" {
            members.collector.note(
                first.pointer, "'\(first.verb)' before the app runs", expected: "a launch step before",
                fix: "begin with {\"do\": \"launch\"}")
        }
        return ClientScenario(
            name: name, title: members.text("title"), summary: members.text("summary"),
            clauses: members.clauses(among: clauses, example: "CLIENT-36"), needs: needs(members),
            world: members.members("world")?.world ?? ClientWorld(), steps: steps)
    }

    /// Names with a value from the start, or from the first question on.
    static let known = ["run", "epoch", "lastSeq", "next", "turn", "key", "text", "session"]

    /// Whether a reference has a value only after a question.
    package static func isQuestionVariable(_ name: String) -> Bool {
        ["turn", "key", "text", "session"].contains(String(name.prefix { $0 != "." }))
    }

    private static func needs(_ members: MemberReader) -> ClientScenario.Needs {
        var needs = ClientScenario.Needs()
        guard let reader = members.members("needs") else { return needs }
        for (profile, pointer) in reader.choices("profiles", of: Profile.self) {
            if profile.role != .client {
                members.collector.note(
                    pointer, "'\(profile.rawValue)' is a profile of servers",
                    expected: "client-core, client-push, client-sync", fix: "list the server's profiles in /world")
            }
            needs.profiles.insert(profile)
        }
        needs.timeScale = reader.value("timeScale")?.doubleValue
        return needs
    }
}

extension MemberReader {
    fileprivate var world: ClientWorld {
        var world = ClientWorld()
        var seen: Set<String> = []
        for session in objects("sessions") {
            let id = session.text("id")
            if !seen.insert(id).inserted {
                collector.note(
                    session.pointer.appending("id"), "session '\(excerpt(id))' is already defined",
                    expected: "every id once", fix: "give it another id")
            }
            world.sessions.append(ClientWorld.Session(id: id, messages: session.messages("messages")))
        }
        world.epoch = string("epoch") ?? world.epoch
        world.lastSeq = integer("lastSeq") ?? world.lastSeq
        if value("profiles") != nil {
            world.profiles = Set(choices("profiles", of: Profile.self).map(\.choice)).union([.core])
        }
        world.limits = value("limits")?.objectValue ?? world.limits
        world.heartbeatSeconds = integer("heartbeatSeconds")
        world.hasRareForms = value("rareForms")?.boolValue == true
        world.newer = value("newer")?.objectValue ?? world.newer
        return world
    }

    /// Messages in short form, such as `"u1"`, or with their members.
    func messages(_ key: String) -> [ClientWorld.Message] {
        (array(key) ?? []).compactMap { element in
            guard let id = element.value.stringValue else {
                return element.value["role"]?.stringValue.flatMap { ClientWorld.Message.Role(rawValue: $0) }.map {
                    ClientWorld.Message(
                        id: element.value["id"]?.stringValue ?? "", role: $0, text: element.value["text"]?.stringValue)
                }
            }
            if let role = ["u": ClientWorld.Message.Role.user, "a": .assistant][id.prefix(1)] {
                return ClientWorld.Message(id: id, role: role)
            }
            collector.note(
                element.pointer, "message '\(excerpt(id))' has no role",
                expected: "u1, u2, … or a1, a2, …", fix: "write {\"id\": …, \"role\": …, \"text\": …} instead")
            return nil
        }
    }
}
