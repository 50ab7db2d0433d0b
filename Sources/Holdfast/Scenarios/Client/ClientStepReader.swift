import HoldfastBasics
import HoldfastJSON

/// Reads one step of a client scenario; the result for a step that does not match its schema is discarded.
struct ClientStepReader {
    let reader: MemberReader
    private let flow: ScenarioFlow

    static func steps(_ elements: [MemberReader.Element], flow: ScenarioFlow) -> [ClientStep] {
        elements.compactMap { element in
            guard let reader = MemberReader(element.value, at: element.pointer, into: flow.problems),
                let action = ClientStepReader(reader: reader, flow: flow).action(reader.text("do"))
            else { return nil }
            let profile = reader.choice("profile", of: Profile.self)
            return ClientStep(action, at: element.pointer, profile: profile)
        }
    }

    private func steps(_ key: String) -> [ClientStep] { Self.steps(reader.array(key) ?? [], flow: flow) }

    private func groups(_ key: String) -> [[ClientStep]] {
        (reader.array(key) ?? []).map { Self.steps(MemberReader.elements($0), flow: flow) }
    }

    private func action(_ verb: String) -> ClientStep.Action? {
        switch verb {
        case "together": return .together(groups("branches"))
        case "repeat":
            let counter = reader.string("counter") ?? "round"
            flow.define(counter)
            return .repeat(times: reader.integer("times") ?? 1, counter: counter, steps("steps"))
        case "everyOrder":
            flow.define("order")
            let before = steps("before")
            let groups = groups("of")
            if !(2...4).contains(groups.count) {
                flow.problems.note(
                    reader.pointer.appending("of"), "\(groups.count) groups", expected: "from 2 to 4 groups of steps",
                    fix: "there are 24 orders of four, and 120 of five")
            }
            return .everyOrder(before: before, of: groups, after: steps("after"))
        default:
            // References inside a rule are filled in on use.
            flow.use(reader, besides: verb == "when" ? ["frame", "body"] : [])
            return plain(verb)
        }
    }

    private func plain(_ verb: String) -> ClientStep.Action? {
        switch verb {
        case "launch":
            .person(
                .launch(fresh: reader.bool("fresh"), opened: reader.members("opened").map { Self.notification($0) }))
        case "send": .person(send())
        case "sendAgain": .person(.sendAgain(name: reader.text("as")))
        case "receivePush": .person(.receivePush(Self.notification(reader)))
        case "openPush": .person(.openPush(Self.notification(reader)))
        case "select": .person(.select(session: reader.value("session")?.stringValue))
        case "when": rule().map { .when($0) }
        case "release": release().map { .release($0) }
        case "await": arrival().map { .await($0) }
        case "awaitState": .awaitState(state())
        case "watch": .watch(watch())
        default: Self.simple[verb].map(ClientStep.Action.person) ?? serverAction(verb).map(ClientStep.Action.server)
        }
    }

    /// The acts without members.
    private static let simple = [
        ClientAct.background, .foreground, .networkDown, .networkUp, .quit, .crash,
    ].keyed(by: \.verb)

    private func send() -> ClientAct {
        let name = reader.text("as")
        for prefix in ["turn", "key", "text", "session"] { flow.define("\(prefix).\(name)") }
        return .send(name: name, text: reader.string("text"))
    }

    private static func notification(_ reader: MemberReader) -> ClientNotification {
        ClientNotification(
            session: reader.text("session"), message: reader.text("message"), turn: reader.value("turn"))
    }

    // MARK: waits

    private func arrival() -> AwaitedArrival? {
        guard let kind = reader.choice("comes", of: AwaitedArrival.Kind.self) else { return nil }
        let isQuestion = [.chat, .post, .question].contains(kind)
        if !isQuestion, kind != .read { refuse("session", "'\(kind.rawValue)' names no session") }
        if !isQuestion { refuse("as", "'\(kind.rawValue)' is not a message of the user") }
        let fallback =
            switch kind {
            case .connection, .attempt, .auth: "connect"
            case .sync: "sync"
            case .end: "close"
            default: "rest"
            }
        return AwaitedArrival(
            kind: kind, session: reader.string("session"), name: reader.string("as"),
            count: reader.integer("count") ?? 1, within: reader.string("within") ?? fallback,
            isOptional: reader.bool("optional") ?? false)
    }

    private func state() -> AwaitedState {
        let connection = reader.value("connection").map { value in
            value.stringValue.map { [$0] } ?? reader.strings("connection")?.map(\.text) ?? []
        }
        return AwaitedState(
            connection: connection, thinking: reader.bool("thinking"),
            session: reader.value("session").map(\.stringValue), shows: (reader.strings("shows") ?? []).map(\.text),
            hides: (reader.strings("hides") ?? []).map(\.text), count: reader.integer("count"),
            errors: reader.bool("errors"), failed: reader.string("failed"), sent: reader.string("sent"),
            told: reader.string("told"),
            unread: Dictionary(
                uniqueKeysWithValues: (reader.value("unread")?.objectValue ?? [:]).map {
                    ($0.key, $0.value.intValue ?? 0)
                }),
            within: reader.string("within") ?? "rest", isOptional: reader.bool("optional") ?? false)
    }

    private func watch() -> ClientWatch {
        guard let name = reader.string("for") else { return .milliseconds(reader.integer("for") ?? 1) }
        let known = Timeouts().byName.keys
        if !known.contains(name) {
            reader.collector.note(
                reader.pointer.appending("for"), "unknown bound '\(excerpt(name))'", insteadOf: name, among: known,
                otherwise: "choose one of these")
        }
        return .bound(name)
    }

    /// Notes a member that has no effect next to the others.
    func refuse(_ key: String, _ why: String, expected: String? = nil) {
        guard reader.value(key) != nil else { return }
        reader.collector.note(
            reader.pointer.appending(key), why, expected: expected ?? "no '\(key)' here", fix: "remove it")
    }
}
