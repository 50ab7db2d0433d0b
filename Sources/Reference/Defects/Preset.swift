/// An existing system, as a dialect and a set of defects; the reference server then fails as that system does.
package struct Preset: Sendable, Hashable {
    package let name: String
    package let summary: String
    package let defects: [Defect]
    package let variations: [Variation]
    /// Nil for no limit.
    package let messagesPerMinute: Int?

    init(
        _ name: String, _ summary: String, defects: [String], variations: [Variation] = [],
        messagesPerMinute: Int? = nil
    ) {
        self.name = name
        self.summary = summary
        self.defects = defects.compactMap(Defect.named)
        self.variations = variations
        self.messagesPerMinute = messagesPerMinute
    }

    package static let all = [nami, adjutant]

    /// The dialect describes what its wire cannot express (codes, turn ids, its greeting), so no defect here repeats
    /// that.
    static let nami = Preset(
        "nami", "Stores only finished turns, accepts unknown sessions, and crashes on null.",
        defects: [
            "persist-stores-nothing-of-failures", "id-answers-for-sessions-not-stored", "order-interleaves-turns",
            "id-leaves-the-session-out-of-tool-use", "turn-answers-the-asker-alone", "env-ends-the-process-on-null",
            "env-takes-binary-as-text", "id-shows-its-index-as-a-session", "rest-leaves-messages-nameless",
            "push-writes-half-an-emoji",
        ],
        variations: [.closesTooLarge])

    /// A conversation is an agent here, so every session id denotes an agent.
    ///
    /// Its numbers restart with each process, which is a fault because its wire has no epoch.
    static let adjutant = Preset(
        "adjutant",
        "Reuses numbers after a restart, hides gaps in replays, stores repeats again, has a budget for each connection, and "
            + "crashes on null.",
        defects: [
            "sync-keeps-the-epoch-across-restarts", "sync-claims-complete-after-eviction",
            "sync-calls-the-future-complete", "sync-ignores-the-limit", "id-adopts-unknown-sessions",
            "env-reads-text-as-numbers", "idem-runs-repeats-again", "env-ends-the-process-on-null",
            "env-takes-binary-as-text", "rate-forgets-on-reconnect", "rate-forgets-rest", "rate-tells-no-wait",
            "rate-tells-no-limit",
        ],
        variations: [.closesTooLarge], messagesPerMinute: 60)
}
