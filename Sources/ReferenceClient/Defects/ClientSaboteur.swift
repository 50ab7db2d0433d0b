/// The one door through which defects and variations reach the client; the healthy one has neither.
///
/// Hooks that need only what they are given stand beside their defects as functions of values. Where a defect is a decision,
/// the core asks for it by name at that place.
struct ClientSaboteur: Sendable {
    let defects: Set<ClientDefect>
    let variations: Set<ClientVariation>

    var isHealthy: Bool { defects.isEmpty }

    /// Whether there is nothing to do at any hook.
    var isUsual: Bool { defects.isEmpty && variations.isEmpty }

    func has(_ defect: ClientDefect) -> Bool { !defects.isEmpty && defects.contains(defect) }

    func differs(_ variation: ClientVariation) -> Bool { !variations.isEmpty && variations.contains(variation) }
}

/// What defects and variations remember between two inputs.
struct ClientMischief: Sendable {
    /// The first word that the app is active is taken for a return.
    var wasAway = false
    /// A socket that is taken for a connection.
    var believesConnected: Int?
    /// The connection from before the background.
    var oldSocket: Int?
    /// The person is kept waiting.
    var thinks = false
    /// When the connection brought something last.
    var lastFrame = Int.min / 2
}
