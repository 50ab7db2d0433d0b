import JSON

extension ScenarioStep {
    /// Something done to the server as a process; only a server that the suite started itself can be treated so.
    public enum ProcessStep: Sendable, Equatable {
        /// Ends it without warning, at once or after a pause.
        case kill(after: Pause?)
        /// Ends it without warning as soon as a message or a response with these bytes is whole, before anything reads it.
        case killOn(bytes: String, Target)
        /// Waits until an armed kill has come.
        case awaitKill(Bound)
        /// Asks it to end, and waits until it has.
        case stop
        /// Starts it again with the same data and address; nothing happens while it runs.
        case start
        /// Lets every write to a file fail from now on.
        case refuseWrites
        /// Lets writes to files succeed again.
        case acceptWrites

        /// Where bytes are looked for.
        public enum Target: Sendable, Equatable {
            /// On an open connection.
            case connection(String)
            /// In the answer to the next HTTP request.
            case nextExchange
        }

        /// A moment that a sweep moves about; it is a stimulus, and nothing is concluded from it.
        public struct Pause: Sendable, Equatable {
            /// The number, or a reference to one.
            public let number: JSONValue
            /// What is counted.
            public let unit: Unit

            /// Units of a pause.
            public enum Unit: String, Sendable, CaseIterable {
                /// Thousandths of a second.
                case milliseconds
                /// Millionths of a second.
                case microseconds
            }
        }
    }

    /// Whether this step, or one inside it, treats the server as a process.
    var needsProcess: Bool {
        contains { if case .process = $0 { true } else { false } }
    }

    /// Whether this step, or one inside it, sends a message as it is written, whatever is wrong with it.
    var sendsVerbatim: Bool {
        contains { action in
            switch action {
            case .sendText, .sendBinary: true
            default: false
            }
        }
    }

    private func contains(_ isWanted: (Action) -> Bool) -> Bool {
        switch action {
        case .together(let branches): branches.joined().contains { $0.contains(isWanted) }
        case .repeat(_, _, _, _, let steps): steps.contains { $0.contains(isWanted) }
        default: isWanted(action)
        }
    }
}

extension Scenario {
    /// Whether a step sends a message as it is written, whatever is wrong with it.
    package var sendsVerbatim: Bool { steps.contains(where: \.sendsVerbatim) }
}
