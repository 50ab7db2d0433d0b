package enum RelaySide: String, Sendable, Hashable {
    case client
    case server

    package var other: RelaySide { self == .client ? .server : .client }
}
