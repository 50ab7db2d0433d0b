import HoldfastBasics
import HoldfastJSON

/// Reads one step of a scenario; the result for a step that does not match its schema is discarded.
struct ScenarioStepReader {
    private let reader: MemberReader
    private let flow: ScenarioFlow

    static func steps(_ elements: [MemberReader.Element], flow: ScenarioFlow) -> [ScenarioStep] {
        elements.compactMap { element in
            guard let reader = MemberReader(element.value, at: element.pointer, into: flow.problems),
                let action = ScenarioStepReader(reader: reader, flow: flow).action(reader.text("do"))
            else { return nil }
            let profile = reader.choice("profile", of: Profile.self)
            return ScenarioStep(
                pointer: element.pointer, profile: profile, needsKeys: reader.bool("keys") ?? false, action: action)
        }
    }

    private func action(_ verb: String) -> ScenarioStep.Action? {
        switch verb {
        case "together":
            let branches = reader.array("branches") ?? []
            return .together(branches.map { Self.steps(MemberReader.elements($0), flow: flow) })
        case "repeat": return repetition()
        default:
            flow.use(reader, besides: ["save", "as"])
            let action = plain(verb)
            for name in save.keys { flow.define(name) }
            return action
        }
    }

    private func repetition() -> ScenarioStep.Action {
        flow.use(reader, besides: ["steps", "counter"])
        let counter = reader.string("counter")
        if let counter { flow.define(counter) }
        let steps = Self.steps(reader.array("steps") ?? [], flow: flow)
        let isParallel = reader.bool("parallel") ?? false
        let until = reader.string("until")
        if let until, isParallel {
            let _: Never? = reader.wrong(
                "until", .string(until), "rounds one after another; with 'parallel', all begin at the same time")
        } else if let until {
            // The name in `until` must be set inside the loop.
            flow.use(.string("${\(until)}"), at: reader.pointer.appending("until"))
        }
        return .repeat(
            times: reader.value("times") ?? 1, counter: counter, until: until, isParallel: isParallel, steps)
    }

    private func plain(_ verb: String) -> ScenarioStep.Action? {
        switch verb {
        case "connect": connect()
        case "chat": chat()
        case "send": .send(frame: reader.value("frame") ?? .null, bytes: reader.value("bytes"), on: lane())
        case "sendText":
            .sendText(
                fragments: reader.strings("fragments")?.map(\.text) ?? [reader.text("text")],
                times: reader.integer("times") ?? 1, on: lane())
        case "sendBinary":
            if let frame = reader.value("frame") {
                .sendBinary(.frame(frame), on: lane())
            } else {
                bytes(ofHexDigits: reader.text("hex")).map { .sendBinary(.bytes($0), on: lane()) }
            }
        case "ping": .ping(on: lane())
        case "await": awaiting()
        case "awaitClose": .awaitClose(bound(otherwise: "close"), after: statedTime("after"), on: lane())
        case "watch": statedTime("for").map { .watch($0) }
        case "mute": .mute(on: lane())
        case "fence": .fence(on: lane())
        case "http":
            exchange(
                reader.text("method"), reader.text("path"), body: reader.value("body"),
                bodyText: reader.string("bodyText", isEmptyAllowed: true))
        case "readSession": exchange("GET", "/api/sessions/\(reader.text("session"))", session: reader.text("session"))
        case "listSessions": exchange("GET", "/api/sessions")
        case "postChat": .postChat(question(), credential(), save: save)
        case "leave": leave()
        case "readUntil": readUntil()
        case "sync":
            .sync(
                position: reader.value("lastSeqSeen") ?? 0, epoch: reader.string("epoch"),
                limit: reader.value("limit"), on: lane())
        case "cut": .cut(reader.choice("how", of: Cut.self) ?? .fin, on: lane())
        case "close": .close(code: reader.integer("code") ?? 1000, on: lane())
        case "stopReading": .stopReading(on: lane())
        case "resumeReading": .resumeReading(on: lane())
        case "alive": .alive(principal: principal())
        case "kill": .process(.kill(after: pause()))
        case "killOn" where reader.value("on") == nil: .process(.killOn(.nextExchange(bytes: reader.text("bytes"))))
        case "killOn": .process(.killOn(.message(type: reader.text("type"), on: lane())))
        case "awaitKill": .process(.awaitKill(bound(otherwise: "turn")))
        case "stop": .process(.stop)
        case "start": .process(.start)
        case "refuseWrites": .process(.refuseWrites)
        case "acceptWrites": .process(.acceptWrites)
        case "pushAnswer": pushAnswer()
        case "awaitPush":
            .awaitPush(
                ScenarioStep.AwaitPush(
                    principal: principal(), conditions: conditions, save: save, bound: bound(otherwise: "push")))
        default: nil
        }
    }

    private func connect() -> ScenarioStep.Action {
        let lane = reader.text("on")
        flow.open(lane)
        return .connect(
            ScenarioStep.Connect(
                on: lane, credential: credential(), handshake: reader.bool("handshake") ?? true,
                isOptional: reader.bool("optional") ?? false, version: reader.value("protocol") ?? 1,
                clientId: reader.string("clientId"), query: reader.string("query"), save: save))
    }

    private func chat() -> ScenarioStep.Action {
        let question = question()
        flow.ask(reader.text("on"), failing: question.script?.contains { $0["fail"] != nil } == true)
        return .chat(question, on: lane())
    }

    private func leave() -> ScenarioStep.Action {
        let question = reader.text("question")
        flow.use(.string("${\(question)}"), at: reader.pointer.appending("question"))
        return .leave(question: question, reader.choice("how", of: Cut.self) ?? .fin)
    }

    private func awaiting() -> ScenarioStep.Action {
        let types = reader.string("type").map { [$0] } ?? reader.strings("type")?.map(\.text) ?? []
        let bound = bound(otherwise: defaultBound(of: types))
        return .await(
            ScenarioStep.Await(types: types, conditions: conditions, save: save, bound: bound), on: lane())
    }

    private func exchange(
        _ method: String, _ path: String, body: JSONValue? = nil, bodyText: String? = nil, session: String? = nil
    ) -> ScenarioStep.Action {
        .http(
            ScenarioStep.Exchange(
                method: method, path: path, credential: credential(), body: body, bodyText: bodyText, save: save,
                session: session))
    }

    private func readUntil() -> ScenarioStep.Action {
        let holds = reader.members("holds")
        return .readUntil(
            ScenarioStep.ReadUntil(
                session: reader.text("session"), principal: principal(), messages: holds?.integer("messages") ?? 0,
                endedTurns: holds?.integer("endedTurns") ?? 0, countsRefused: holds?.bool("countsRefused") ?? false,
                save: save, bound: bound(otherwise: "turn")))
    }

    private func pushAnswer() -> ScenarioStep.Action {
        let outcome: ScenarioStep.PushAnswer.Outcome
        if reader.bool("hang") == true {
            outcome = .hang
        } else if reader.bool("close") == true {
            outcome = .close
        } else {
            let status = reader.integer("status") ?? 200
            outcome = .status(status, reason: reader.string("reason"))
            if status == 400, reader.value("reason") == nil {
                // A 400 concerns the device or the message depending on its reason, which therefore must be given.
                flow.problems.note(
                    reader.pointer, "a 400 without a reason", expected: "'reason', such as 'BadDeviceToken'",
                    fix: "name the reason")
            }
        }
        let times = reader.integer("times") ?? 1
        return .pushAnswer(ScenarioStep.PushAnswer(principal: principal(), outcome: outcome, times: times))
    }

    // MARK: parts

    private func question() -> ScenarioStep.Question {
        let name = reader.string("as")
        if let name { flow.define(name) }
        return ScenarioStep.Question(
            name: name, session: reader.string("session", isEmptyAllowed: true),
            script: reader.value("script")?.arrayValue, tools: reader.value("tools"),
            text: reader.string("text", isEmptyAllowed: true), context: reader.value("context")?.arrayValue ?? [],
            key: reader.string("clientMessageId"), extra: reader.value("extra")?.objectValue ?? [:],
            bytes: reader.value("bytes"), fragments: reader.integer("fragments") ?? 1)
    }

    /// The connection of the step, which an earlier step must have opened.
    private func lane() -> String {
        let lane = reader.text("on")
        if !lane.isEmpty { flow.useLane(lane, at: reader.pointer.appending("on")) }
        return lane
    }

    private func principal() -> String {
        let principal = reader.string("principal") ?? "p1"
        flow.usePrincipal(principal, at: reader.pointer.appending("principal"))
        return principal
    }

    private func credential() -> ScenarioStep.Credential {
        let token: ScenarioStep.Credential.Token =
            switch reader.value("token") {
            case nil: .own
            case .string(let text)?: .other(text)
            default: .none
            }
        return ScenarioStep.Credential(principal: principal(), token: token)
    }

    private func bound(otherwise fallback: String) -> ScenarioStep.Bound {
        ScenarioStep.Bound(within: reader.string("within") ?? fallback, isOptional: reader.bool("optional") ?? false)
    }

    private var conditions: [String: JSONValue] {
        Dictionary(uniqueKeysWithValues: (reader.value("where")?.objectValue ?? [:]).map { ($0.key, $0.value) })
    }

    private var save: [String: JSONPointer] {
        let pairs = (reader.value("save")?.objectValue ?? [:]).compactMap { member in
            member.value.stringValue.flatMap { JSONPointer($0) }.map { (member.key, $0) }
        }
        return Dictionary(pairs) { $1 }
    }

    private func statedTime(_ key: String) -> ScenarioStep.StatedTime? {
        guard let members = reader.members(key) else { return nil }
        let seconds = members.value("seconds")
        return (seconds ?? members.value("milliseconds")).map { amount in
            ScenarioStep.StatedTime(amount: amount, isInSeconds: seconds != nil, times: members.integer("times") ?? 1)
        }
    }

    private func pause() -> ScenarioStep.ProcessStep.Pause? {
        reader.members("after").flatMap { after in
            ScenarioStep.ProcessStep.Pause.Unit.allCases.lazy.compactMap { unit in
                after.value(unit.rawValue).map { ScenarioStep.ProcessStep.Pause(number: $0, unit: unit) }
            }.first
        }
    }

    private func defaultBound(of types: [String]) -> String {
        // A failing agent ends a turn; other errors are refusals, which take no time.
        if types.contains("error"), flow.isFailing(reader.text("on")) { return "turn" }
        if !Set(types).isDisjoint(with: ["done", "toolUse", "message"]) { return "turn" }
        let bounds = ["connected": "connect", "ack": "ack", "pong": "pong", "syncResult": "sync"]
        return bounds[types.first ?? ""] ?? "error"
    }
}
