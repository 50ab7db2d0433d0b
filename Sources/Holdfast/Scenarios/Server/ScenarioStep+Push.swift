import JSON

extension ScenarioStep {
    /// What the push service does with the next pushes to a device.
    public struct PushAnswer: Sendable, Equatable {
        /// The principal whose device is pushed to.
        public let principal: String
        /// What the push service answers.
        public let outcome: Outcome
        /// With how many pushes; later ones are taken again.
        public let times: Int

        /// What becomes of one push.
        public enum Outcome: Sendable, Equatable {
            /// It is answered; the reason goes with a refusal.
            case status(Int, reason: String?)
            /// It is taken and never answered.
            case hang
            /// It is taken, and the connection ends without an answer.
            case close
        }
    }

    /// A push to wait for; each satisfies one wait at most.
    public struct AwaitPush: Sendable, Equatable {
        /// The principal whose device is to be pushed to.
        public let principal: String
        /// Values the payload has; null stands for a member that is absent.
        public let conditions: [String: JSONValue]
        /// Names for values of the payload.
        public let save: [String: JSONPointer]
        /// How long the push may take.
        public let bound: Bound
    }
}
