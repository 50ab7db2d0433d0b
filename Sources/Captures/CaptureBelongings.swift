import HoldfastJSON
import HoldfastTranscript

/// Whose each connection is, as far as a capture has told.
struct CaptureBelongings {
    /// The act that tells whose a connection is; a connection whose opening nobody saw has no other sign of it.
    static let act = "belongs"

    private var owners: [String: String] = [:]

    mutating func open(_ lane: String, _ owner: String) { owners[lane] = owner }

    mutating func close(_ lane: String) { owners[lane] = nil }

    /// What has to be told before the next frame; nil when it was told.
    ///
    /// A guess never overrules what is known.
    mutating func note(_ lane: String, to owner: String, isCertain: Bool) -> Event.Kind? {
        guard owners[lane] == nil || isCertain && owners[lane] != owner else { return nil }
        owners[lane] = owner
        return .act(Self.act, ["to": .string(owner)])
    }
}
