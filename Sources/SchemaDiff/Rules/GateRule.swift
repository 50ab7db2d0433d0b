/// One rule of the gate, with its severity in each direction.
package struct GateRule: Sendable, Equatable {
    package struct Weight: Sendable, Equatable {
        /// If a message shows that the reader rejects something that the writer may send.
        package let broken: GateSeverity
        /// If it is proved that there is no such message.
        package let safe: GateSeverity

        /// Reads `error` (whatever is proved), `error?` (information if proved safe), or `error?warning`.
        init?(_ text: String) {
            let parts = text.split(separator: "?", omittingEmptySubsequences: false).map(String.init)
            guard let broken = GateSeverity(rawValue: parts[0]) else { return nil }
            self.broken = broken
            safe = parts.count == 1 ? broken : GateSeverity(rawValue: parts[1]) ?? .information
        }
    }

    /// The id, in kebab case.
    package let id: String
    package let title: String
    /// Its effect on servers of the new version that read messages of old clients.
    let whyToServer: String
    /// Its effect on old clients that read messages of new servers.
    let whyToClient: String
    package let toServer: Weight
    package let toClient: Weight
    /// The rule for the reverse edit; nil if there is none.
    package let mirror: String?
    /// The peers it breaks, if no message decides that.
    let breaks: Breaks
    /// An edit to which it applies, as the two texts of a schema.
    package let example: String

    enum Breaks: String, Sendable { case clients, senders, everybody }

    func broken(_ direction: GateDirection) -> Set<GatePeer> {
        switch breaks {
        case .clients: [.client]
        case .senders: [direction == .clientToServer ? .client : .server]
        case .everybody: [.client, .server]
        }
    }

    func weight(_ direction: GateDirection) -> Weight { direction == .clientToServer ? toServer : toClient }

    func why(_ direction: GateDirection) -> String { direction == .clientToServer ? whyToServer : whyToClient }
}
