import HoldfastJSON

/// A named legal deviation of a client: behavior that the specification allows, but this client does not show by
/// default.
public struct ClientVariation: Sendable, Hashable, CustomStringConvertible {
    /// The name, such as `resends-over-the-socket`.
    public let name: String
    /// The deviation in a sentence, with the clause that allows it.
    public let summary: String

    init(_ name: String, _ summary: String) { (self.name, self.summary) = (name, summary) }

    /// The name.
    public var description: String { name }

    /// Every variation.
    public static let all: [ClientVariation] = [
        resendsOverTheSocket, resendsOnBothRoads, ignoresPushesWhileLive, pollsWithFewerReads, readsBesideSync,
        waitsInSteps, addsMembers, syncsInSmallPages, listsBeforeItReads, readsInsteadOfLooking, isSlow, asksForLife,
        tellsItsCapabilities, authorizesTheUpgrade, sendsTheConversation, resendsEarly, offersTheNextVersion,
    ]

    /// The variation of that name.
    public static func named(_ name: String) -> ClientVariation? { all.first { $0.name == name } }

    static let resendsOverTheSocket = ClientVariation(
        "resends-over-the-socket", "Resends on its next connection and not over REST (CLIENT-7).")
    static let resendsOnBothRoads = ClientVariation(
        "resends-on-both-roads", "Resends over REST and on its next connection too, with the same key (CLIENT-7).")
    static let ignoresPushesWhileLive = ClientVariation(
        "ignores-pushes-while-live", "Ignores a push if its connection received something just now (CLIENT-22).")
    static let pollsWithFewerReads = ClientVariation(
        "polls-with-fewer-reads", "Polls for an answer five times a minute instead of twelve (CLIENT-20).")
    static let readsBesideSync = ClientVariation(
        "reads-beside-sync", "Reads the session on every reconnect, in addition to its sync (CLIENT-14).")
    static let waitsInSteps = ClientVariation(
        "waits-in-steps", "Doubles its wait between attempts and varies only the last quarter of it (CLIENT-2).")
    static let addsMembers = ClientVariation(
        "adds-members", "Adds undefined members to every frame and REST body (ENV-4).")
    static let syncsInSmallPages = ClientVariation(
        "syncs-in-small-pages", "Asks for two frames at a time (SYNC-11).")
    static let listsBeforeItReads = ClientVariation(
        "lists-before-it-reads", "Requests the list with every read (CLIENT-14).")
    static let readsInsteadOfLooking = ClientVariation(
        "reads-instead-of-looking", "Reads its session, not only the list, while it has no socket (CLIENT-40).")
    package static let isSlow = ClientVariation(
        "is-slow", "Takes 200 ms to do anything (section 3.4).")
    static let asksForLife = ClientVariation(
        "asks-for-life", "Sends a ping after every question (LIVE-1).")
    static let tellsItsCapabilities = ClientVariation(
        "tells-its-capabilities", "Lists capabilities in its auth (section 5.2).")
    package static let authorizesTheUpgrade = ClientVariation(
        "authorizes-the-upgrade", "Also sends its token in a header of the upgrade (AUTH-3).")
    static let sendsTheConversation = ClientVariation(
        "sends-the-conversation", "Sends the conversation before the question as context (section 5.2).")
    static let offersTheNextVersion = ClientVariation(
        "offers-the-next-version", "Offers version 2 first, and version 1 after a refusal (CLIENT-3).")
    static let resendsEarly = ClientVariation(
        "resends-early", "Gives up a silent connection after 5 s, not 15 (CLIENT-4).")
}

extension ClientCore {
    /// Also sends questions in transit over REST on a new connection.
    mutating func resendPosted(on socket: Int) {
        for index in outbox.indices {
            let frame = chat(of: index)
            guard case .posted = outbox[index].phase, frame.text().utf8.count <= link.maxFrameBytes else { continue }
            send(frame, on: socket)
        }
    }

    /// The messages before a question, as far as the server has them.
    func context(before question: Question) -> [JSONValue] {
        let earlier = (conversations[question.conversation]?.messages ?? []).prefix { $0.key != question.key }
        return earlier.filter { $0.status == .sent }.suffix(20).map {
            ["role": .string($0.role.rawValue), "content": .string($0.text)]
        }
    }
}
