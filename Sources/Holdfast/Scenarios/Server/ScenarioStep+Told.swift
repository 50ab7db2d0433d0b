import JSON

extension ScenarioStep {
    /// A time that the subject told, or was configured with: a heartbeat, the time to authenticate, a stated wait.
    ///
    /// It is no oracle: what the judge concludes rests on what was observed until it was over.
    public struct Told: Sendable, Equatable {
        /// The amount; an integer, or a reference that will be one.
        public let amount: JSONValue
        /// Whether the amount is in seconds; milliseconds otherwise.
        public let isInSeconds: Bool
        /// How often the amount has to pass.
        public let times: Int

        /// The whole time for an amount; nil when it is negative or would take more than a day.
        public func duration(of amount: Int) -> Duration? {
            let unit = isInSeconds ? 1000 : 1
            guard amount >= 0, amount <= 86_400_000 / unit / times else { return nil }
            return .milliseconds(amount * unit * times)
        }
    }
}
