/// One rule of the gate: what it is called, and how much it weighs in each direction.
package struct GateRule: Sendable, Equatable {
    /// How much a rule weighs in one direction.
    package struct Weight: Sendable, Equatable {
        /// When a message shows that the reader refuses what the writer may send.
        package let broken: GateSeverity
        /// When it is proved that there is no such message.
        package let safe: GateSeverity

        /// A weight that depends on the proof.
        static func broken(_ broken: GateSeverity, otherwise safe: GateSeverity = .information) -> Weight {
            Weight(broken: broken, safe: safe)
        }

        /// A weight that no proof changes.
        static func always(_ severity: GateSeverity) -> Weight { Weight(broken: severity, safe: severity) }
    }

    /// What stands against a rule: the same edit made backwards.
    enum Mirror: Sendable, Equatable {
        /// The rule that the edit backwards falls under.
        case rule(String)
        /// The edit backwards falls under the same rule.
        case itself
        /// There is none, for this reason.
        case absent(String)
    }

    /// The id, in kebab case.
    package let id: String
    /// What was changed, in a few words.
    package let title: String
    /// Why it matters to servers of the new version that read what old clients write.
    let whyToServer: String
    /// Why it matters to old clients that read what servers of the new version write.
    let whyToClient: String
    /// How much it weighs for messages to servers.
    package let toServer: Weight
    /// How much it weighs for messages to clients.
    package let toClient: Weight
    /// The rule of the edit made backwards.
    let mirror: Mirror
    /// Those who break by it, where a message does not tell.
    var breaks = Breaks.clients

    /// Those who break by what weighs as an error.
    enum Breaks: Sendable, Equatable { case clients, senders, everybody }

    /// Those who break in one direction.
    func broken(_ direction: GateDirection) -> Set<GatePeer> {
        switch breaks {
        case .clients: [.client]
        case .senders: [direction == .clientToServer ? .client : .server]
        case .everybody: [.client, .server]
        }
    }

    func weight(_ direction: GateDirection) -> Weight { direction == .clientToServer ? toServer : toClient }

    /// The reason in one direction.
    func why(_ direction: GateDirection) -> String { direction == .clientToServer ? whyToServer : whyToClient }
}
