import JSON

extension ScenarioStepReader {
    /// Waits for times that the subject told, with their members.
    static let toldMembers: [String: [String]] = ["watch": ["for"], "mute": ["on"]]

    /// The told time under a key; nil when it is absent or cannot be read, which has then been noted.
    func told(_ key: String, required: Bool = false) -> ScenarioStep.Told? {
        guard let members = reader.members(key, required: required) else { return nil }
        members.refuseUnknown(besides: ["seconds", "milliseconds", "times"])
        let inner = ScenarioStepReader(reader: members)
        let seconds = inner.number("seconds")
        let milliseconds = inner.number("milliseconds")
        guard let amount = seconds ?? milliseconds, (seconds == nil) != (milliseconds == nil) else {
            reader.collector.note(
                members.pointer, "neither or both of 'seconds' and 'milliseconds'", expected: "one of them",
                fix: "keep one")
            return nil
        }
        return ScenarioStep.Told(
            amount: amount, isInSeconds: seconds != nil, times: members.integer("times", in: 1...100) ?? 1)
    }
}
