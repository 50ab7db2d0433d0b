/// One rule of the gate: what it is called, and how much it weighs in each direction.
package struct GateRule: Sendable, Equatable {
    /// How much a rule weighs in one direction.
    package struct Weight: Sendable, Equatable {
        /// When a message shows that the reader refuses what the writer may send.
        package let broken: GateSeverity
        /// When it is proved that there is no such message.
        package let safe: GateSeverity

        /// Reads `error`, which no proof changes, `error?`, which is information else, or `error?warning`.
        init?(_ text: String) {
            let parts = text.split(separator: "?", omittingEmptySubsequences: false).map(String.init)
            guard let broken = GateSeverity(rawValue: parts[0]) else { return nil }
            self.broken = broken
            safe = parts.count == 1 ? broken : GateSeverity(rawValue: parts[1]) ?? .information
        }
    }

    /// The id, in kebab case.
    package let id: String
    /// The change in a few words.
    package let title: String
    /// Why it matters to servers of the new version that read what old clients write.
    let whyToServer: String
    /// Why it matters to old clients that read what servers of the new version write.
    let whyToClient: String
    /// How much it weighs for messages to servers.
    package let toServer: Weight
    /// How much it weighs for messages to clients.
    package let toClient: Weight
    /// The rule of the edit made backwards; nil where there is none.
    let mirror: String?
    /// Those who break by it, where a message does not tell.
    let breaks: Breaks
    /// An edit that falls under it, as the two texts of a schema.
    package let example: String

    /// Those who break by what weighs as an error.
    enum Breaks: String, Sendable { case clients, senders, everybody }

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
