import HoldfastJSON

/// A named legal deviation of a client: behavior that the specification allows and that is off by default.
public enum ClientVariation: String, Sendable, CaseIterable {
    case resendsOverTheSocket = "resends-over-the-socket", resendsOnBothTransports = "resends-on-both-transports"
    case ignoresPushesWhileLive = "ignores-pushes-while-live", pollsWithFewerReads = "polls-with-fewer-reads"
    case readsBesideSync = "reads-beside-sync", waitsInSteps = "waits-in-steps", addsMembers = "adds-members"
    case syncsInSmallPages = "syncs-in-small-pages", listsBeforeItReads = "lists-before-it-reads"
    case readsInsteadOfLooking = "reads-instead-of-looking", isSlow = "is-slow", sendsPings = "asks-for-life"
    case tellsItsCapabilities = "tells-its-capabilities", authorizesTheUpgrade = "authorizes-the-upgrade"
    case sendsTheConversation = "sends-the-conversation", resendsEarly = "resends-early"
    case offersTheNextVersion = "offers-the-next-version"

    /// The deviation in a sentence, with the clause that allows it.
    public var summary: String {
        switch self {
        case .resendsOverTheSocket: "Resends on its next connection and not over REST (CLIENT-7)."
        case .resendsOnBothTransports: "Resends over REST and on its next connection too, with the same key (CLIENT-7)."
        case .ignoresPushesWhileLive: "Ignores a push if its connection received something just now (CLIENT-22)."
        case .pollsWithFewerReads: "Polls for an answer five times a minute instead of twelve (CLIENT-20)."
        case .readsBesideSync: "Reads the session on every reconnect, in addition to its sync (CLIENT-14)."
        case .waitsInSteps: "Doubles its wait between attempts and varies only the last quarter of it (CLIENT-2)."
        case .addsMembers: "Adds undefined members to every frame and REST body (ENV-4)."
        case .syncsInSmallPages: "Asks for two frames at a time (SYNC-11)."
        case .listsBeforeItReads: "Requests the list with every read (CLIENT-14)."
        case .readsInsteadOfLooking: "Reads its session, not only the list, while it has no socket (CLIENT-40)."
        case .isSlow: "Takes 200 ms to do anything (section 3.4)."
        case .sendsPings: "Sends a ping after every question (LIVE-1)."
        case .tellsItsCapabilities: "Lists capabilities in its auth (section 5.2)."
        case .authorizesTheUpgrade: "Also sends its token in a header of the upgrade (AUTH-3)."
        case .sendsTheConversation: "Sends the conversation before the question as context (section 5.2)."
        case .resendsEarly: "Gives up a silent connection after 5 s, not 15 (CLIENT-4)."
        case .offersTheNextVersion: "Offers version 2 first, and version 1 after a refusal (CLIENT-3)."
        }
    }
}

extension ClientCore {
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
