/// Which way a message travels.
package enum GateDirection: String, Sendable, Hashable, CaseIterable {
    /// Clients of the old version write, servers of the new version read.
    case clientToServer
    /// Servers of the new version write, clients of the old version read; REST answers and pushes go this way too.
    case serverToClient
}

extension GateDirection {
    var opposite: GateDirection { self == .clientToServer ? .serverToClient : .clientToServer }
}

/// A peer of the old version that meets one of the new version.
package enum GatePeer: String, Sendable, Hashable, CaseIterable {
    case client, server
}

/// Which ways one message travels.
package enum MessageTravel: String, Sendable, Hashable, CaseIterable {
    case clientToServer
    case serverToClient
    /// Both ways, or stored and read again by another version: the worse of both counts.
    case both

    /// The ways it travels.
    package var directions: [GateDirection] {
        switch self {
        case .clientToServer: [.clientToServer]
        case .serverToClient: [.serverToClient]
        case .both: [.clientToServer, .serverToClient]
        }
    }
}
