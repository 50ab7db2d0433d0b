import HoldfastJSON

// Mutations of written scenarios, with more events in them.
extension Planner {
    /// The steps of a scenario, with additional acts in a few places, and some after its end.
    mutating func disturb(_ scenario: Plan, from first: Int) {
        weights = drawWeights()
        let disturbed = Set((0..<one(of: 1, 1, 2, 3)).map { _ in chance.number(in: first...scenario.steps.count) })
        // An unmet wait would end the plan, and nothing would check the consequences.
        let goesOn = happens(50)
        for (index, step) in scenario.steps.enumerated() {
            if disturbed.contains(index) { act() }
            var step = step
            if goesOn, ["await", "awaitState"].contains(step["do"]), step["save"] == nil { step["optional"] = true }
            steps.append(step)
            follow(step)
        }
        for _ in 0..<one(of: 0, 2, 4, 6) { act() }
    }
}

extension Plan {
    /// Whether it stays valid with additional events.
    ///
    /// Frames that the server sends by hand, a refusal of the latest question, a notification of a future answer, and
    /// an id that follows the latest question are correct only if all goes as written.
    var toleratesAddedEvents: Bool {
        !allSteps.contains { step in
            step["do"] == "tell" && ["ack", "done", "message", "error"].contains(step["frame"]?["type"])
                || Self.messages(in: step).contains { $0.contains("${turn") && $0.contains("+") }
                || step["frame"]?["type"] == "error" && step["frame"]?["clientMessageId"] == nil
                || step["do"] != "elsewhere" && step["message"]?.stringValue?.contains("$") == true
        }
    }

    /// The same plan, with ids of other devices' messages so far apart that no question gets one of them.
    var spread: Plan {
        let written = allSteps.filter { $0["do"] == "elsewhere" }.flatMap(Self.messages(in:))
        var plan = self
        plan.steps = steps.map { step in
            step.replacing { part in
                guard let text = part.stringValue, written.contains(text) else { return nil }
                return .string(text + "000")
            }
        }
        return plan
    }
}

extension ClientPlanner {
    mutating func plan(named name: String, disturbing scenario: Plan) -> Plan {
        isRunning = false
        // The scenario's own names have low numbers.
        (names, epochs) = (500, 500)
        for session in scenario.world?["sessions"]?.arrayValue ?? [] {
            guard let id = session["id"]?.stringValue else { continue }
            sessions.append(id)
            for message in session["messages"]?.arrayValue ?? [] {
                guard let name = message.stringValue ?? message["id"]?.stringValue, name.hasPrefix("a") else {
                    continue
                }
                answers.append((id, name))
            }
        }
        disturb(scenario, from: (scenario.steps.firstIndex { $0["do"] == "launch" } ?? 0) + 1)
        end()
        var plan = scenario
        plan.name = name
        (plan.world, plan.steps) = (withRareForms(scenario.world ?? [:]), steps)
        return plan
    }

    private mutating func withRareForms(_ world: JSONValue) -> JSONValue {
        var world = world
        if world["rareForms"] == nil, happens(10) { world["rareForms"] = true }
        if world["newer"] == nil, happens(10) { world["newer"] = Words.newer }
        return world
    }

    mutating func follow(_ step: JSONValue) {
        switch step["do"]?.stringValue {
        case "launch": (isRunning, isForeground) = (true, true)
        case "quit", "crash": isRunning = false
        case "foreground", "openPush": isForeground = true
        case "background": isForeground = false
        case "networkDown": hasNetwork = false
        case "networkUp": hasNetwork = true
        case "send":
            guard let name = step["as"]?.stringValue, !name.contains("$") else { break }
            asked.append(Asked(name: name, runs: true))
        case "finish", "fail":
            let name = step["turn"]?.stringValue ?? asked.last?.name
            for index in asked.indices where asked[index].name == name { asked[index].runs = false }
        case "elsewhere":
            if step["new"] == true, let session = step["session"]?.stringValue { sessions.append(session) }
        case "when":
            guard let event = step["comes"]?.stringValue, step["then"] != "serve" else { return }
            if !activeRules.contains(event) { activeRules.append(event) }
            if step["then"] == "hold" { heldEvents.append(event) }
        default: break
        }
        for inner in Plan.inner(step) { follow(inner) }
    }
}

extension ServerPlanner {
    mutating func plan(named name: String, disturbing scenario: Plan) -> Plan {
        names = 500
        people = (1...scenario.principals).map { "p\($0)" }
        everybody = people
        disturb(scenario, from: 1)
        end()
        var plan = scenario
        plan.name = name
        plan.steps = steps
        plan.profiles.formUnion(grammar.profiles.intersection([.sync, .auth]))
        return plan
    }

    mutating func follow(_ step: JSONValue) {
        // A step for a profile that the server lacks is skipped.
        if let profile = step["profile"]?.stringValue, !grammar.profiles.contains(where: { $0.rawValue == profile }) {
            return
        }
        let letter = step["on"]?.stringValue ?? ""
        let principal = step["principal"]?.stringValue ?? devices.first { $0.letter == letter }?.principal ?? people[0]
        let index = devices.firstIndex { $0.letter == letter }
        switch step["do"]?.stringValue {
        case "connect":
            if let index {
                devices[index].isOpen = true
            } else {
                devices.append(Device(letter: letter, principal: principal))
            }
        case "cut", "close", "awaitClose": close(letter)
        case "stopReading": if let index { devices[index].isPaused = true }
        case "resumeReading": if let index { devices[index].isPaused = false }
        case "kill", "stop", "awaitKill": for device in devices { close(device.letter) }
        case "refuseWrites": refusesWrites = true
        case "acceptWrites": refusesWrites = false
        case "chat", "postChat":
            guard let name = step["as"]?.stringValue, !name.contains("$") else { break }
            var content = step.objectValue ?? JSONObject()
            for member in ["do", "on", "principal", "as", "save", "expect", "optional"] { content[member] = nil }
            questions.append(Asked(name: name, principal: principal, content: content, isFirst: false))
        default: break
        }
        // The variable of an optional step may have no value.
        let saved = step["optional"] == true ? JSONObject() : step["save"]?.objectValue ?? JSONObject()
        let names = saved.reduce(into: [:]) { $0[$1.value.stringValue ?? ""] = $1.key }
        if let name = names["/sessionId"] { note(session: name, of: principal) }
        if let epoch = names["/epoch"], let seq = names["/lastSeq"] {
            positions.append(Position(principal: principal, epoch: epoch, seq: seq))
        }
        for inner in Plan.inner(step) { follow(inner) }
    }
}
