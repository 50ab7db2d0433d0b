import JSON

extension ScenarioStepReader {
    /// The members of the steps that treat the server as a process.
    static let processMembers = [
        "kill": ["after"],
        "killOn": ["on", "exchange", "bytes"],
        "awaitKill": ["within"],
        "stop": [],
        "start": [],
        "refuseWrites": [],
        "acceptWrites": [],
    ]

    func processStep(_ verb: String, flow: ScenarioFlow) -> ScenarioStep.ProcessStep? {
        switch verb {
        case "kill":
            guard reader.value("after") != nil else { return .kill(after: nil) }
            return pause().map { .kill(after: $0) }
        case "killOn": return killOn(flow: flow)
        case "awaitKill": return .awaitKill(bound(otherwise: "turn"))
        case "stop": return .stop
        case "start": return .start
        case "refuseWrites": return .refuseWrites
        case "acceptWrites": return .acceptWrites
        default: return nil
        }
    }

    private func killOn(flow: ScenarioFlow) -> ScenarioStep.ProcessStep? {
        guard let bytes = reader.string("bytes", required: true) else { return nil }
        let lane = reader.string("on")
        let exchange = reader.string("exchange")
        guard (lane == nil) != (exchange == nil) else {
            reader.collector.note(
                reader.pointer, "neither or both of 'on' and 'exchange'", expected: "one of them", fix: "keep one")
            return nil
        }
        if let lane {
            flow.useLane(lane, at: reader.pointer.appending("on"))
            return .killOn(bytes: bytes, .connection(lane))
        }
        guard exchange == "next" else {
            return reader.wrong("exchange", .string(exchange ?? ""), "'next', for the next HTTP request")
        }
        return .killOn(bytes: bytes, .nextExchange)
    }

    private func pause() -> ScenarioStep.ProcessStep.Pause? {
        guard let members = reader.members("after") else { return nil }
        let units = ScenarioStep.ProcessStep.Pause.Unit.allCases
        members.refuseUnknown(besides: units.map(\.rawValue))
        guard members.object.count == 1, let unit = units.first(where: { members.value($0.rawValue) != nil }) else {
            members.collector.note(
                members.pointer, "\(members.object.count) members", expected: "milliseconds or microseconds",
                fix: "write one of them")
            return nil
        }
        return ScenarioStepReader(reader: members).number(unit.rawValue).map {
            ScenarioStep.ProcessStep.Pause(number: $0, unit: unit)
        }
    }
}
