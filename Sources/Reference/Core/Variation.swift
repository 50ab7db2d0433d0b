/// A named way to be different and right: what the specification allows and the reference does not do by itself.
package struct Variation: Sendable, Hashable, CustomStringConvertible {
    /// What the server does differently, such as `sparse-numbers`.
    package let name: String
    /// The same in a sentence, with the clause that allows it.
    package let summary: String

    init(_ name: String, _ summary: String) {
        self.name = name
        self.summary = summary
    }

    package var description: String { name }

    package static let all: [Variation] = [
        sparseNumbers, extraMembers, otherMemberOrder, slowAnswers, busyInsteadOfQueueing, pushBesideDone, noCollapseId,
        terseNotices, noEcho, hugeNumbers, longEpoch, longIDs, wholeSeconds, otherZone, escapedText, spacedText,
        answersWithStats, terseErrors, bareLists, toolsInTwoSteps, lateAcks, unknownFrames,
        sessionNotFoundForOddIDs, fragmentedMessages, extraPings, closesTooLarge, closesBadText, closesUnauthenticated,
        silentTimeout, refusesAfterUpgrade, restartCode, chunkedBodies, closesExchanges, lowerCaseHeaders,
        lateResponses,
    ]

    package static func named(_ name: String) -> Variation? { all.first { $0.name == name } }

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

    // MARK: the stream and its names

    static let hugeNumbers = Variation(
        "huge-numbers", "Begins its numbers beyond 32 bits and leaves 999 out between two (ORDER-12, SYNC-6).")
    static let longEpoch = Variation(
        "long-epoch", "Names its epoch with 128 characters of any kind; epochs are opaque (SYNC-1).")
    static let longIDs = Variation(
        "long-ids",
        "Gives out ids of 128 characters, sessions in all that their alphabet has, the others in any (ID-1, ID-10, ID-12)."
    )
    static let lateAcks = Variation(
        "late-acks", "Sends `ack` right before the first `toolUse` or the ending, or after 5 s (TURN-1).")
    static let toolsInTwoSteps = Variation(
        "tools-in-two-steps", "Tells the use of each tool twice, as it starts and as it finishes (TURN-5, TURN-6).")
    static let unknownFrames = Variation(
        "unknown-frames", "Sends frames of a type that nobody defined before each `done` (ENV-2, ENV-23).")

    // MARK: the form of frames and bodies

    static let wholeSeconds = Variation("whole-seconds", "Writes times without fractions of seconds (REST-3).")
    static let otherZone = Variation(
        "other-zone", "Writes times with nine digits of seconds and an offset of 5:45 hours (ENV-2, REST-1).")
    static let escapedText = Variation(
        "escaped-text", "Writes everything beyond ASCII in escapes, and slashes too (ENV-1, ENV-14).")
    static let spacedText = Variation("spaced-text", "Writes JSON with blanks and line ends wherever it may (ENV-1).")
    static let answersWithStats = Variation("answers-with-stats", "Puts figures for people into `done` (ENV-2).")
    static let terseErrors = Variation(
        "terse-errors", "Says no more than words and code in an `error` that ends no turn (ENV-19, RATE-4, LIVE-9).")
    static let bareLists = Variation("bare-lists", "Gives no titles and no last messages (REST-1, REST-13).")

    // MARK: refusals and ends

    static let sessionNotFoundForOddIDs = Variation(
        "session-not-found-for-odd-ids", "Knows no session of a malformed id, rather than call it malformed (ID-8).")
    static let closesTooLarge = Variation("closes-too-large", "Closes with 1009 on a message too large (ENV-16).")
    static let closesBadText = Variation("closes-bad-text", "Closes with 1007 on text that is not UTF-8 (ENV-20).")
    static let closesUnauthenticated = Variation(
        "closes-unauthenticated", "Closes with 1008 on a frame before `auth`, without an `error` (AUTH-5).")
    static let silentTimeout = Variation(
        "silent-timeout", "Closes with 4002 without an `error` before (AUTH-4).")
    static let refusesAfterUpgrade = Variation(
        "refuses-after-upgrade", "Lets a bad token in the upgrade pass, and refuses it in `auth` (AUTH-3, AUTH-12).")
    static let restartCode = Variation("restart-code", "Closes with 1012 when it is told to stop (LIVE-6).")

    // MARK: roads

    static let fragmentedMessages = Variation(
        "fragmented-messages", "Sends each message in three fragments, cut inside characters too (ENV-1).")
    static let extraPings = Variation(
        "extra-pings", "Sends a WebSocket ping, with bytes in it, after each frame for one connection (LIVE-5).")
    static let chunkedBodies = Variation("chunked-bodies", "Sends REST bodies in chunks, without a length (REST-1).")
    static let closesExchanges = Variation("closes-exchanges", "Ends the connection after each response (REST-1).")
    static let lowerCaseHeaders = Variation(
        "lower-case-headers", "Writes header names in lower case, and the media type with a parameter (REST-2).")
    static let lateResponses = Variation(
        "late-responses", "Sends REST responses 60 ms after what they say was true (PERSIST-2, PERSIST-10).")
}
