import Basics
import JSON

/// Reads one step; the verbs and their members stand in one table, so that a slip can be answered with what is allowed.
struct ScenarioStepReader {
    private static let members: [String: [String]] = {
        let asking = [
            "as", "session", "script", "tools", "text", "context", "clientMessageId", "extra", "bytes", "fragments",
        ]
        let credential = ["principal", "token"]
        return [
            "connect": ["on", "handshake", "protocol", "clientId", "query", "save", "optional"] + credential,
            "chat": ["on"] + asking,
            "send": ["on", "frame", "bytes"],
            "sendText": ["on", "text", "fragments", "times"],
            "sendBinary": ["on", "hex"],
            "ping": ["on"],
            "await": ["on", "type", "where", "save", "within", "optional"],
            "awaitClose": ["on", "within", "after", "optional"],
            "fence": ["on"],
            "http": ["method", "path", "body", "bodyText", "save"] + credential,
            "postChat": asking + credential + ["save"],
            "readSession": ["session", "save"] + credential,
            "listSessions": ["save"] + credential,
            "readUntil": ["session", "principal", "holds", "save", "within", "optional"],
            "sync": ["on", "lastSeqSeen", "epoch", "limit"],
            "cut": ["on", "how"],
            "close": ["on", "code"],
            "stopReading": ["on"],
            "resumeReading": ["on"],
            "together": ["branches"],
            "repeat": ["times", "counter", "until", "parallel", "steps"],
            "alive": ["principal"],
        ].merging(pushMembers) { first, _ in first }.merging(toldMembers) { first, _ in first }
            .merging(processMembers) { first, _ in first }
    }()

    let reader: MemberReader

    /// The step at a place; nil when it cannot be read, which has then been noted.
    static func step(_ value: JSONValue, at pointer: JSONPointer, flow: inout ScenarioFlow) -> ScenarioStep? {
        guard let reader = MemberReader(value, at: pointer, into: flow.problems) else { return nil }
        guard let verb = reader.verb(of: members) else { return nil }
        let profile = reader.choice("profile", of: Profile.self)
        let action = ScenarioStepReader(reader: reader).action(verb, flow: &flow)
        guard let action else { return nil }
        return ScenarioStep(pointer: pointer, profile: profile, action: action)
    }

    private func action(_ verb: String, flow: inout ScenarioFlow) -> ScenarioStep.Action? {
        if let nested = nested(verb, flow: &flow) { return nested }
        for member in reader.object where !["do", "note", "profile", "save", "counter"].contains(member.key) {
            // The names a repeat counts with are known inside it only, so nested steps look for themselves.
            if ["steps", "branches"].contains(member.key) { continue }
            if member.key == "as" { continue }
            flow.use(member.value, at: reader.pointer.appending(member.key))
        }
        let action = plain(verb, flow: &flow)
        for name in save().keys { flow.define(name) }
        return action
    }

    // MARK: steps that hold steps

    private func nested(_ verb: String, flow: inout ScenarioFlow) -> ScenarioStep.Action? {
        switch verb {
        case "together":
            let branches = (reader.array("branches", required: true) ?? []).map { branch in
                steps(branch.value, at: branch.pointer, flow: &flow)
            }
            return .together(branches)
        case "repeat":
            let times = times(flow: flow)
            let counter = reader.string("counter")
            if let counter { flow.define(counter) }
            guard let value = reader.require("steps"), let times else { return nil }
            let inner = steps(value, at: reader.pointer.appending("steps"), flow: &flow)
            let isParallel = reader.bool("parallel") ?? false
            return .repeat(
                times: times, counter: counter, until: until(isParallel: isParallel, flow: flow),
                isParallel: isParallel, inner)
        default:
            return nil
        }
    }

    /// The name whose value ends a repetition: one that its steps give a value, in turn.
    private func until(isParallel: Bool, flow: ScenarioFlow) -> String? {
        guard let name = reader.string("until") else { return nil }
        if isParallel {
            return reader.wrong("until", .string(name), "rounds in turn; with 'parallel' all begin at once")
        }
        flow.use(.string("${\(name)}"), at: reader.pointer.appending("until"))
        return name
    }

    /// How often: a number, or a value that the run presets such as `${kills}`.
    private func times(flow: ScenarioFlow) -> JSONValue? {
        guard reader.value("times")?.stringValue != nil else {
            return reader.integer("times", in: 1...100_000, required: true).map { JSONValue($0) }
        }
        guard let times = number("times") else { return nil }
        flow.use(times, at: reader.pointer.appending("times"))
        return times
    }

    private func steps(_ value: JSONValue, at pointer: JSONPointer, flow: inout ScenarioFlow) -> [ScenarioStep] {
        guard let elements = value.arrayValue, !elements.isEmpty else {
            flow.problems.note(
                pointer, "found \(MemberReader.shown(value))", expected: "an array of steps", fix: "write steps here")
            return []
        }
        return elements.enumerated().compactMap { index, element in
            Self.step(element, at: pointer.appending(index), flow: &flow)
        }
    }

    // MARK: plain steps

    private func plain(_ verb: String, flow: inout ScenarioFlow) -> ScenarioStep.Action? {
        switch verb {
        case "connect": return connect(flow: &flow)
        case "http", "readSession", "listSessions": return exchange(verb, flow: flow)
        case "postChat":
            guard let question = question(flow: &flow) else { return nil }
            return .postChat(question, credential(flow: flow), save: save())
        case "readUntil": return readUntil(flow: flow)
        case "alive": return .alive(principal: principal(flow: flow))
        case "kill", "killOn", "awaitKill", "stop", "start", "refuseWrites", "acceptWrites":
            return processStep(verb, flow: flow).map { .process($0) }
        case "watch": return told("for", required: true).map { .watch($0) }
        case "pushAnswer": return pushAnswer(flow: flow)
        case "awaitPush": return awaitPush(flow: flow)
        case "together", "repeat": return nil
        default: break
        }
        guard let lane = reader.string("on", required: true) else { return nil }
        flow.useLane(lane, at: reader.pointer.appending("on"))
        switch verb {
        case "chat": return question(flow: &flow).map { .chat($0, on: lane) }
        case "send":
            guard let frame = reader.members("frame", required: true) else { return nil }
            return .send(frame: .object(frame.object), bytes: number("bytes"), on: lane)
        case "sendText": return sendText(on: lane)
        case "sendBinary":
            guard let hex = reader.string("hex", required: true, isEmptyAllowed: true) else { return nil }
            guard let bytes = Self.bytes(hex) else {
                return reader.wrong("hex", .string(hex), "pairs of digits 0-9a-f")
            }
            return .sendBinary(bytes, on: lane)
        case "ping": return .ping(on: lane)
        case "await": return awaiting(on: lane)
        case "awaitClose": return .awaitClose(bound(otherwise: "close"), after: told("after"), on: lane)
        case "mute": return .mute(on: lane)
        case "fence": return .fence(on: lane)
        case "sync":
            guard reader.require("lastSeqSeen") != nil, let position = number("lastSeqSeen") else { return nil }
            return .sync(position: position, epoch: reader.string("epoch"), limit: number("limit"), on: lane)
        case "cut":
            return reader.choice("how", of: ScenarioStep.How.self, required: true).map { .cut($0, on: lane) }
        case "close": return .close(code: reader.integer("code", in: 1000...4999) ?? 1000, on: lane)
        case "stopReading": return .stopReading(on: lane)
        case "resumeReading": return .resumeReading(on: lane)
        default: return nil
        }
    }

    private func connect(flow: inout ScenarioFlow) -> ScenarioStep.Action? {
        guard let lane = reader.string("on", required: true) else { return nil }
        if Lanes.isLane(lane), lane != ScenarioStep.lifeLane {
            flow.open(lane)
        } else {
            let _: Never? = reader.wrong("on", .string(lane), "a capital letter from A to Y")
        }
        return .connect(
            ScenarioStep.Connect(
                on: lane, credential: credential(flow: flow), handshake: reader.bool("handshake") ?? true,
                isOptional: reader.bool("optional") ?? false, version: number("protocol") ?? 1,
                clientId: reader.string("clientId"), query: reader.string("query"), save: save()))
    }

    private func sendText(on lane: String) -> ScenarioStep.Action? {
        let fragments = reader.strings("fragments")?.map(\.text)
        let text = reader.string("text", isEmptyAllowed: true)
        guard (fragments == nil) != (text == nil) else {
            reader.collector.note(
                reader.pointer, "neither or both of 'text' and 'fragments'", expected: "one of them",
                fix: "keep one")
            return nil
        }
        let times = reader.integer("times", in: 1...1_000_000) ?? 1
        return .sendText(fragments: fragments ?? text.map { [$0] } ?? [], times: times, on: lane)
    }

    private func awaiting(on lane: String) -> ScenarioStep.Action? {
        let types: [String]
        if reader.value("type")?.stringValue != nil {
            types = reader.string("type").map { [$0] } ?? []
        } else {
            types = (reader.strings("type", required: true) ?? []).map(\.text)
        }
        guard !types.isEmpty else { return nil }
        return .await(
            ScenarioStep.Await(
                types: types, conditions: conditions(), save: save(),
                bound: bound(otherwise: Self.usualBound(of: types))),
            on: lane)
    }

    private func exchange(_ verb: String, flow: ScenarioFlow) -> ScenarioStep.Action? {
        let credential = credential(flow: flow)
        switch verb {
        case "readSession":
            guard let session = reader.string("session", required: true) else { return nil }
            return .http(
                ScenarioStep.Exchange(
                    method: "GET", path: "/api/sessions/\(session)", credential: credential, body: nil, bodyText: nil,
                    save: save(), session: session))
        case "listSessions":
            return .http(
                ScenarioStep.Exchange(
                    method: "GET", path: "/api/sessions", credential: credential, body: nil, bodyText: nil,
                    save: save(), session: nil))
        default:
            guard let method = reader.string("method", required: true), let path = reader.string("path", required: true)
            else { return nil }
            return .http(
                ScenarioStep.Exchange(
                    method: method, path: path, credential: credential, body: reader.value("body"),
                    bodyText: reader.string("bodyText", isEmptyAllowed: true), save: save(), session: nil))
        }
    }

    private func readUntil(flow: ScenarioFlow) -> ScenarioStep.Action? {
        guard let session = reader.string("session", required: true),
            let holds = reader.members("holds", required: true)
        else { return nil }
        holds.refuseUnknown(besides: ["messages", "endedTurns"])
        return .readUntil(
            ScenarioStep.ReadUntil(
                session: session, principal: principal(flow: flow),
                messages: holds.integer("messages", in: 0...100_000) ?? 0,
                endedTurns: holds.integer("endedTurns", in: 0...100_000) ?? 0, save: save(),
                bound: bound(otherwise: "turn")))
    }

    // MARK: parts

    private func question(flow: inout ScenarioFlow) -> ScenarioStep.Question? {
        let name = reader.string("as")
        if let name { flow.define(name) }
        let key: ScenarioStep.Question.Key
        switch reader.value("clientMessageId") {
        case nil: key = name == nil ? .none : .own
        case .some(.bool(false)): key = .none
        case .some(.string(let text)): key = .other(text)
        case .some(let value): return reader.wrong("clientMessageId", value, "a string, or false for none")
        }
        let script = reader.array("script")
        for element in script ?? [] { checkScript(element.value, at: element.pointer) }
        return ScenarioStep.Question(
            name: name, session: reader.string("session", isEmptyAllowed: true), script: script?.map(\.value),
            tools: number("tools"), text: reader.string("text", isEmptyAllowed: true),
            context: reader.array("context")?.map(\.value) ?? [],
            key: key, extra: reader.members("extra")?.object ?? [:], bytes: number("bytes"),
            fragments: reader.integer("fragments", in: 1...1000) ?? 1)
    }

    /// What a step of a script can be.
    private static let deeds = ["tool", "wait", "reply", "fail"]

    private func checkScript(_ value: JSONValue, at pointer: JSONPointer) {
        guard let step = MemberReader(value, at: pointer, into: reader.collector) else { return }
        step.refuseUnknown(besides: step.value("tool") == nil ? Self.deeds : Self.deeds + ["input"])
        let deeds = step.object.count { Self.deeds.contains($0.key) }
        if deeds != 1 {
            reader.collector.note(
                pointer, "\(deeds) members", expected: "one of tool, wait, reply, fail",
                fix: "write one thing a step")
        }
        _ = step.string("tool")
        _ = step.integer("wait", in: 0...60_000)
        _ = step.string("reply", isEmptyAllowed: true)
        _ = step.string("fail")
    }

    private func credential(flow: ScenarioFlow) -> ScenarioStep.Credential {
        let token: ScenarioStep.Credential.Token
        switch reader.value("token") {
        case nil: token = .own
        case .some(.null): token = .none
        case .some(.string(let text)): token = .other(text)
        case .some(let value):
            let _: Never? = reader.wrong("token", value, "a string, or null for none")
            token = .none
        }
        return ScenarioStep.Credential(principal: principal(flow: flow), token: token)
    }

    func principal(flow: ScenarioFlow) -> String {
        let principal = reader.string("principal") ?? "p1"
        flow.usePrincipal(principal, at: reader.pointer.appending("principal"))
        return principal
    }

    /// Values by their places that what is waited for has.
    func conditions() -> [String: JSONValue] {
        guard let members = reader.members("where") else { return [:] }
        var values: [String: JSONValue] = [:]
        for member in members.object {
            if JSONPointer(member.key) == nil {
                let _: Never? = members.wrong(member.key, .string(member.key), "a JSON pointer such as /sessionId")
            }
            values[member.key] = member.value
        }
        return values
    }

    func save() -> [String: JSONPointer] {
        guard let members = reader.members("save") else { return [:] }
        var places: [String: JSONPointer] = [:]
        for member in members.object {
            if let text = member.value.stringValue, let pointer = JSONPointer(text) {
                places[member.key] = pointer
            } else {
                let _: Never? = members.wrong(member.key, member.value, "a JSON pointer such as /sessionId")
            }
        }
        return places
    }

    func bound(otherwise usual: String) -> ScenarioStep.Bound {
        let known = Timeouts().byName
        var within = reader.string("within") ?? usual
        if known[within] == nil {
            let near = nearestName(to: within, among: known.keys)
            reader.collector.note(
                reader.pointer.appending("within"), "unknown bound '\(clipped(within))'",
                expected: known.keys.sorted().joined(separator: ", "),
                fix: near.map { "did you mean '\($0)'?" } ?? "choose one of these")
            within = usual
        }
        return ScenarioStep.Bound(within: within, isOptional: reader.bool("optional") ?? false)
    }

    /// An integer, or a reference that will be one.
    func number(_ key: String) -> JSONValue? {
        guard let value = reader.value(key) else { return nil }
        if value.intValue != nil { return value }
        if value.stringValue?.hasPrefix("${") == true { return value }
        return reader.wrong(key, value, "an integer, or a reference such as ${seq}")
    }

    static func usualBound(of types: [String]) -> String {
        if !Set(types).isDisjoint(with: ["done", "toolUse", "message"]) { return "turn" }
        switch types.first {
        case "connected": return "connect"
        case "ack": return "ack"
        case "pong": return "pong"
        case "syncResult": return "sync"
        default: return "error"
        }
    }

    private static func bytes(_ hex: String) -> [UInt8]? {
        let digits = hex.compactMap(\.hexDigitValue)
        guard digits.count == hex.count, digits.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
    }
}

private enum Lanes {
    static func isLane(_ text: String) -> Bool {
        text.count == 1 && text.allSatisfy { ("A"..."Z").contains($0) }
    }
}
