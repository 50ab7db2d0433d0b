import JSON

/// Reads one step of a client scenario; the verbs and their members stand in one table, so that a slip can be answered with
/// what is allowed.
struct ClientStepReader {
    private static let notification = ["session", "message", "turn"]
    private static let members: [String: [String]] = [
        "launch": ["fresh", "opened"], "send": ["as", "text"], "background": [], "foreground": [],
        "networkDown": [], "networkUp": [], "receivePush": notification, "openPush": notification,
        "select": ["session"], "quit": [],
        "when": ["comes", "then", "session", "times"] + ClientStepReader.reactionMembers,
        "release": ["comes", "session", "as", "pick", "optional"],
        "tool": ["turn", "tool", "to"], "finish": ["turn", "text", "to"], "fail": ["turn", "code", "to"],
        "tell": ["frame", "numbered", "to", "text", "hex"],
        "elsewhere": ["session", "messages", "new", "to"], "end": ["how", "code"],
        "restart": ["epoch", "lastSeq", "keepsFrames"], "forget": ["upTo"], "remove": ["session"],
        "await": ["comes", "session", "as", "count", "within", "optional"],
        "awaitState": [
            "connection", "thinking", "session", "shows", "hides", "count", "errors", "failed", "sent", "told",
            "unread",
            "within", "optional",
        ],
        "watch": ["for"], "together": ["branches"], "repeat": ["times", "counter", "steps"],
        "everyOrder": ["before", "of", "after"],
    ]

    let reader: MemberReader

    /// The step at a place; nil when it cannot be read, which has then been noted.
    static func step(_ value: JSONValue, at pointer: JSONPointer, flow: inout ScenarioFlow) -> ClientStep? {
        guard let reader = MemberReader(value, at: pointer, into: flow.problems) else { return nil }
        guard let verb = reader.verb(of: members) else { return nil }
        let profile = reader.choice("profile", of: Profile.self)
        let own = ClientStepReader(reader: reader)
        if !["together", "repeat", "everyOrder"].contains(verb) { own.useReferences(of: verb, flow) }
        guard let action = own.nested(verb, flow: &flow) ?? own.action(verb, flow: &flow) else { return nil }
        return ClientStep(pointer: pointer, profile: profile, action: action)
    }

    /// Notes references that nothing before gives a value; what a rule holds is filled in later, when it is used.
    private func useReferences(of verb: String, _ flow: ScenarioFlow) {
        for member in reader.object where !["do", "note", "profile"].contains(member.key) {
            if verb == "when", ["frame", "body"].contains(member.key) { continue }
            // The number of a name is a counter, which the steps around it know.
            flow.use(member.value, at: reader.pointer.appending(member.key))
        }
    }

    // MARK: steps that hold steps

    private func nested(_ verb: String, flow: inout ScenarioFlow) -> ClientStep.Action? {
        switch verb {
        case "together":
            var branches: [[ClientStep]] = []
            for branch in reader.array("branches", required: true) ?? [] {
                branches.append(steps(branch.value, at: branch.pointer, flow: &flow))
            }
            return .together(branches)
        case "repeat":
            guard let times = reader.integer("times", in: 1...1000, required: true) else { return nil }
            let counter = reader.string("counter") ?? "round"
            flow.define(counter)
            return .repeat(times: times, counter: counter, steps("steps", required: true, flow: &flow))
        case "everyOrder":
            flow.define("order")
            let before = steps("before", flow: &flow)
            var groups: [[ClientStep]] = []
            let elements = reader.array("of", required: true) ?? []
            if !(2...4).contains(elements.count) {
                reader.collector.note(
                    reader.pointer.appending("of"), "\(elements.count) groups", expected: "from 2 to 4 groups of steps",
                    fix: "there are 24 orders of four, and 120 of five")
            }
            for group in elements { groups.append(steps(group.value, at: group.pointer, flow: &flow)) }
            return .everyOrder(before: before, of: groups, after: steps("after", flow: &flow))
        default: return nil
        }
    }

    private func steps(_ key: String, required: Bool = false, flow: inout ScenarioFlow) -> [ClientStep] {
        guard let value = required ? reader.require(key) : reader.value(key) else { return [] }
        return steps(value, at: reader.pointer.appending(key), flow: &flow)
    }

    private func steps(_ value: JSONValue, at pointer: JSONPointer, flow: inout ScenarioFlow) -> [ClientStep] {
        guard let elements = value.arrayValue else {
            flow.problems.note(
                pointer, "found \(MemberReader.shown(value))", expected: "an array of steps", fix: "write steps here")
            return []
        }
        var steps: [ClientStep] = []
        for (index, element) in elements.enumerated() {
            if let step = Self.step(element, at: pointer.appending(index), flow: &flow) { steps.append(step) }
        }
        return steps
    }

    // MARK: plain steps

    private func action(_ verb: String, flow: inout ScenarioFlow) -> ClientStep.Action? {
        switch verb {
        case "launch", "send", "background", "foreground", "networkDown", "networkUp", "receivePush", "openPush",
            "select", "quit":
            return act(verb, flow: &flow).map { .person($0) }
        case "when": return rule().map { .when($0) }
        case "release": return release().map { .release($0) }
        case "await": return arrival().map { .await($0) }
        case "awaitState": return state().map { .awaitState($0) }
        case "watch": return watch().map { .watch($0) }
        default: return deed(verb).map { .server($0) }
        }
    }

    private func act(_ verb: String, flow: inout ScenarioFlow) -> ClientAct? {
        switch verb {
        case "launch":
            let opened = reader.members("opened")
            opened?.refuseUnknown(besides: Self.notification)
            let notification = opened.flatMap { Self.notification(of: $0) }
            if opened != nil, notification == nil { return nil }
            return .launch(fresh: reader.bool("fresh"), opened: notification)
        case "send":
            guard let name = reader.string("as", required: true) else { return nil }
            for prefix in ["turn", "key", "text", "session"] { flow.define("\(prefix).\(name)") }
            return .send(name: name, text: reader.string("text"))
        case "background": return .background
        case "foreground": return .foreground
        case "networkDown": return .networkDown
        case "networkUp": return .networkUp
        case "receivePush": return Self.notification(of: reader).map { .receivePush($0) }
        case "openPush": return Self.notification(of: reader).map { .openPush($0) }
        case "select":
            guard let value = reader.require("session") else { return nil }
            if value.isNull { return .select(session: nil) }
            return reader.string("session").map { .select(session: $0) }
        default: return .quit
        }
    }

    private static func notification(of reader: MemberReader) -> ClientNotification? {
        guard let session = reader.string("session", required: true),
            let message = reader.string("message", required: true)
        else { return nil }
        return ClientNotification(session: session, message: message, turn: reader.value("turn"))
    }
}
