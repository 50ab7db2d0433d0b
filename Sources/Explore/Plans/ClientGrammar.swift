import Holdfast
import HoldfastBasics
import HoldfastJSON

/// The possible contents of schedules for clients: the actions of a person, a phone, other devices and a server.
package struct ClientGrammar: Sendable {
    var profiles: Set<Profile>
    /// About how many steps a plan has, without those that look at the end.
    package var size = 24
    /// Commands that the client's driver does not obey.
    private let unsupported: Set<String>
    /// Scenarios that people wrote; half of the plans are one of them, disturbed.
    private let scenarios: [Plan]

    /// - Parameters:
    ///   - profiles: The profiles of the client.
    ///   - scenarios: The scenarios of the specification.
    ///   - unsupported: Commands that the client's driver does not obey.
    package init(profiles: Set<Profile>, disturbing scenarios: [Plan], without unsupported: Set<String> = []) {
        (self.profiles, self.unsupported) = (profiles, unsupported)
        self.scenarios = scenarios.filter { scenario in
            scenario.profiles.isSubset(of: profiles.union([.clientCore]))
                && scenario.verbs.isDisjoint(with: unsupported) && scenario.leavesTheServerFree
        }.map(\.spread)
    }

    /// Whether the client's driver supports all of this.
    func allows(_ commands: String...) -> Bool { unsupported.isDisjoint(with: commands) }

    /// The plan of a seed.
    package func plan(seed: UInt64) -> Plan {
        ClientDrawing.plan(seed: seed, of: .client, disturbing: scenarios) { ClientDrawing(self, seed: $0) }
    }
}

/// A client's plan while it is drawn: the state of the app, and what the server has sent.
struct ClientDrawing: Drawing {
    /// The questions of the person.
    struct Asked {
        let name: String
        /// Whether its turn runs until it is ended, if all went well.
        var runs: Bool
    }

    let grammar: ClientGrammar
    var chance: SplitMix64
    var steps: [JSONValue] = []
    var names = 0
    var weights: [Int] = []

    /// Conversations that the server has.
    var sessions: [String] = []
    /// The first words of the person in conversations that were there at the beginning.
    var openings: [(session: String, text: String)] = []
    /// Answers that a notification may be about.
    var answers: [(session: String, message: String)] = []
    var asked: [Asked] = []
    var lastTurn = 0
    var epochs = 1
    /// The subjects of rules that may still apply.
    var ruled: [String] = []
    var held: [String] = []
    var isRunning = true
    var isForeground = true
    var hasNetwork = true
    /// Whether moves are drawn that happen beside others.
    var isBeside = false
    /// The bound of waits for what need not come; nil for the usual ones.
    var bound: JSONValue?

    init(_ grammar: ClientGrammar, seed: UInt64) {
        self.grammar = grammar
        chance = SplitMix64(seed: seed)
    }

    mutating func plan(named name: String) -> Plan {
        let world = drawWorld()
        weights = drawWeights()
        if happens(15) { rule() }
        launch()
        if happens(80) { add("await", ("comes", "connection"), ("within", "connect"), ("optional", true)) }
        if let session = any(sessions), happens(50), grammar.allows("selectSession") {
            add("select", ("session", .string(session)))
        }
        let size = chance.number(in: grammar.size / 2...grammar.size * 3 / 2)
        while steps.count < size { move() }
        end()
        var plan = Plan(name: name, principals: 1, profiles: [], steps: steps)
        plan.role = .client
        plan.world = world
        return plan
    }

    /// The server's sessions at the beginning.
    private mutating func drawWorld() -> JSONValue {
        var all: [JSONValue] = []
        for _ in 0..<one(of: 0, 1, 1, 2, 2, 3) {
            let session = newSession()
            var messages: [JSONValue] = []
            for _ in 0..<one(of: 0, 1, 1, 2, 3, 12) {
                lastTurn += 1
                let question = message("u")
                if messages.isEmpty {
                    openings.append((session, question["text"]?.stringValue ?? "question \(lastTurn)"))
                }
                messages.append(question)
                // Another device may still wait for the last answer.
                if happens(90) {
                    messages.append(message("a"))
                    answers.append((session, "a\(lastTurn)"))
                }
            }
            all.append(["id": .string(session), "messages": .array(messages)])
        }
        return JSONValue(members: [
            "sessions": JSONValue.array(all), "lastSeq": JSONValue(one(of: 0, 0, 7, 999_999_990)),
            "profiles": given(happens(25), ["core"]), "heartbeatSeconds": given(happens(20), 20),
            "limits": given(happens(10), ["maxFrameBytes": 1024]),
            "newer": given(happens(10), Words.newer), "rareForms": given(happens(10), true),
        ])
    }

    private mutating func message(_ letter: String) -> JSONValue {
        let id = JSONValue.string("\(letter)\(lastTurn)")
        guard happens(20), let text = happens(30) ? Words.usual : any(Words.all) else { return id }
        return ["id": id, "role": letter == "u" ? "user" : "assistant", "text": .string(text)]
    }

    private mutating func newSession() -> String {
        sessions.append("s\(sessions.count + 1)")
        return sessions.last ?? "s1"
    }

    static let moves: [Move<ClientDrawing>] = [
        Move(weight: 12, isVital: true) { $0.say() },
        Move(weight: 8, isVital: true) { $0.endTurn() },
        Move(weight: 3) { $0.useTool() },
        Move(weight: 5) { $0.elsewhere() },
        Move(weight: 4) { $0.select() },
        Move(weight: 5) { $0.goAway() },
        Move(weight: 4) { $0.loseNetwork() },
        Move(weight: 3) { $0.quit() },
        Move(weight: 5) { $0.endConnection() },
        Move(weight: 5) { $0.rule() },
        Move(weight: 2) { $0.release() },
        Move(weight: 3) { $0.push() },
        Move(weight: 2) { $0.restart() },
        Move(weight: 2) { $0.forget() },
        Move(weight: 2) { $0.sayAgain() },
        Move(weight: 2) { $0.failAndSayAgain() },
        Move(weight: 3) { $0.revisit() },
        Move(weight: 2) { $0.absence() },
        Move(weight: 2) { $0.listen() },
        Move(weight: 2) { $0.beginInTheDark() },
        Move(weight: 2) { $0.tellUnknown() },
        Move(weight: 3) { $0.outage() },
        Move(weight: 4) { $0.together() },
        Move(weight: 6, isVital: true) { $0.watch() },
    ]
}
