/// A named way to be different and right: what the specification allows and the reference does not do by itself.
public struct Variation: Sendable, Hashable, CustomStringConvertible {
    /// What the server does differently, such as `sparse-numbers`.
    public let name: String
    /// The same in a sentence, with the clause that allows it.
    public let summary: String

    init(_ name: String, _ summary: String) {
        self.name = name
        self.summary = summary
    }

    /// Two variations are the same when their names are.
    public static func == (left: Variation, right: Variation) -> Bool { left.name == right.name }

    /// By name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }

    /// The name.
    public var description: String { name }

    /// Every variation.
    public static let all: [Variation] = [
        sparseNumbers, extraMembers, otherMemberOrder, slowAnswers, busyInsteadOfQueueing, pushBesideDone, noCollapseId,
        terseNotices, noEcho,
    ]

    /// The variation of that name.
    public static func named(_ name: String) -> Variation? { all.first { $0.name == name } }

    static let sparseNumbers = Variation("sparse-numbers", "Leaves numbers of the stream unused (SYNC-6).")
    static let extraMembers = Variation(
        "extra-members", "Adds members nobody defined to every frame and REST body (ENV-2, ENV-22).")
    static let otherMemberOrder = Variation(
        "other-member-order", "Writes the members of every frame and REST body in another order.")
    static let slowAnswers = Variation("slow-answers", "Thinks 200 ms longer about every answer.")
    static let busyInsteadOfQueueing = Variation(
        "busy-instead-of-queueing", "Refuses a question while a turn of the same session runs (ORDER-8).")
    static let pushBesideDone = Variation(
        "push-beside-done", "Sends a notice also when an open connection took the `done` (PUSH-9).")
    static let noCollapseId = Variation("no-collapse-id", "Sends notices without `apns-collapse-id` (PUSH-6).")
    static let terseNotices = Variation(
        "terse-notices",
        "Calls itself 'Agent' in all notices, and cuts bodies at 60 characters with three dots (PUSH-7).")
    static let noEcho = Variation(
        "no-echo", "Sends a question to the other connections only, not to the one that asked (TURN-17).")
}
