import JSON

extension ScenarioStepReader {
    /// The members of the steps about notifications.
    static let pushMembers = [
        "pushAnswer": ["principal", "status", "reason", "hang", "close", "times"],
        "awaitPush": ["principal", "where", "save", "within", "optional"],
    ]

    func pushAnswer(flow: ScenarioFlow) -> ScenarioStep.Action? {
        let principal = principal(flow: flow)
        let times = reader.integer("times", in: 1...1000) ?? 1
        guard let outcome = outcome() else { return nil }
        return .pushAnswer(ScenarioStep.PushAnswer(principal: principal, outcome: outcome, times: times))
    }

    private func outcome() -> ScenarioStep.PushAnswer.Outcome? {
        let hangs = reader.bool("hang") ?? false
        let closes = reader.bool("close") ?? false
        let status = reader.integer("status", in: 200...599)
        let reason = reader.string("reason")
        guard (hangs ? 1 : 0) + (closes ? 1 : 0) + (reader.value("status") == nil ? 0 : 1) == 1 else {
            reader.collector.note(
                reader.pointer, "no answer, or several", expected: "one of 'status', 'hang' and 'close'",
                fix: "keep one")
            return nil
        }
        if hangs { return .hang }
        if closes { return .close }
        guard let status else { return nil }
        if status == 400, reason == nil {
            // A 400 means the device or the message, depending on its reason; nobody can guess which.
            reader.collector.note(
                reader.pointer, "a 400 without a reason", expected: "'reason', such as 'BadDeviceToken'",
                fix: "name the reason")
        }
        return .status(status, reason: reason)
    }

    func awaitPush(flow: ScenarioFlow) -> ScenarioStep.Action? {
        .awaitPush(
            ScenarioStep.AwaitPush(
                principal: principal(flow: flow), conditions: conditions(), save: save(),
                bound: bound(otherwise: "push")))
    }
}
