/// A named legal deviation: behavior that the specification allows, but the reference does not show by default.
package struct Variation: Sendable, Hashable, CustomStringConvertible {
    /// The name, such as `sparse-numbers`.
    package let name: String
    /// The deviation in a sentence, with the clause that allows it.
    package let summary: String

    init(_ name: String, _ summary: String) { (self.name, self.summary) = (name, summary) }

    package var description: String { name }

    package static let all: [Variation] = [
        sparseNumbers, extraMembers, otherMemberOrder, slowAnswers, busyInsteadOfQueueing, pushBesideDone, noCollapseId,
        terseNotices, noEcho, hugeNumbers, longEpoch, longIDs, wholeSeconds, otherZone, escapedText, spacedText,
        answersWithStats, terseErrors, bareLists, toolsInTwoSteps, lateAcks, unknownFrames,
        sessionNotFoundForOddIDs, fragmentedMessages, extraPings, closesTooLarge, closesBadText, closesUnauthenticated,
        silentTimeout, refusesAfterUpgrade, restartCode, chunkedBodies, closesExchanges, lowerCaseHeaders,
        lateResponses, smallMessages, noReplay, fixedWindows,
    ]

    static let sparseNumbers = Variation("sparse-numbers", "Leaves numbers of the stream unused (ORDER-3).")
    static let extraMembers = Variation(
        "extra-members", "Adds undefined members to every frame and REST body (ENV-2, ENV-13).")
    static let otherMemberOrder = Variation(
        "other-member-order", "Writes the members of every frame and REST body in another order.")
    static let slowAnswers = Variation("slow-answers", "Takes 200 ms longer for every answer.")
    static let busyInsteadOfQueueing = Variation(
        "busy-instead-of-queueing", "Refuses a question while a turn of the same session runs (ORDER-2).")
    static let smallMessages = Variation("small-messages", "Takes messages of at most 2,048 bytes (ENV-7).")
    static let noReplay = Variation("no-replay", "Keeps no frames for replay (SYNC-6, SYNC-7).")
    static let pushBesideDone = Variation(
        "push-beside-done", "Also sends a push if an open connection received the `done` (PUSH-1).")
    static let noCollapseId = Variation("no-collapse-id", "Sends pushes without `apns-collapse-id` (PUSH-2).")
    static let terseNotices = Variation(
        "terse-notices",
        "Uses the title 'Agent' in all pushes, and cuts bodies at 60 characters with three dots (PUSH-3).")
    static let noEcho = Variation(
        "no-echo", "Sends a question only to the other connections, not to the one that asked (TURN-11).")

    // MARK: the stream and its names

    static let hugeNumbers = Variation(
        "huge-numbers", "Starts `seq` beyond 32 bits and skips 999 numbers each time (ORDER-3).")
    static let longEpoch = Variation(
        "long-epoch", "Uses epochs of 128 arbitrary characters; epochs are opaque (SYNC-1).")
    static let longIDs = Variation(
        "long-ids",
        "Uses ids of 128 characters: for sessions all allowed ones, for the others any (ID-1, ID-7, ID-8)."
    )
    static let lateAcks = Variation(
        "late-acks", "Sends `ack` right before the first `toolUse` or the ending, or after 1 s (TURN-1).")
    static let toolsInTwoSteps = Variation(
        "tools-in-two-steps", "Sends two `toolUse` for each tool, at its start and at its end (TURN-3).")
    static let unknownFrames = Variation(
        "unknown-frames", "Sends frames of an undefined type before each `done` (ENV-2, ENV-13).")

    // MARK: the form of frames and bodies

    static let wholeSeconds = Variation("whole-seconds", "Writes times without fractions of seconds (REST-3).")
    static let otherZone = Variation(
        "other-zone", "Writes times with nanoseconds and the offset +05:45 (ENV-2, REST-1).")
    static let escapedText = Variation(
        "escaped-text", "Escapes slashes and everything beyond ASCII (ENV-1, ENV-6).")
    static let spacedText = Variation(
        "spaced-text", "Writes JSON with blanks and line ends wherever they are allowed (ENV-1).")
    static let answersWithStats = Variation("answers-with-stats", "Adds statistics to `done` (ENV-2).")
    static let terseErrors = Variation(
        "terse-errors", "Sends only message and code in an `error` that ends no turn (ENV-11, RATE-3, LIVE-7).")
    static let bareLists = Variation("bare-lists", "Lists sessions without titles and last messages (REST-1, REST-6).")

    // MARK: refusals and ends

    static let sessionNotFoundForOddIDs = Variation(
        "session-not-found-for-odd-ids", "Answers a malformed session id like an unknown one (ID-5).")
    static let closesTooLarge = Variation("closes-too-large", "Closes with 1009 on a frame that is too large (ENV-8).")
    static let closesBadText = Variation("closes-bad-text", "Closes with 1007 on text that is not UTF-8 (ENV-3).")
    static let closesUnauthenticated = Variation(
        "closes-unauthenticated", "Closes with 1008 on a frame before `auth`, without an `error` (AUTH-5).")
    static let silentTimeout = Variation(
        "silent-timeout", "Closes with 4002 without an `error` before (AUTH-4).")
    static let refusesAfterUpgrade = Variation(
        "refuses-after-upgrade", "Accepts a bad token in the upgrade, and refuses it in `auth` (AUTH-3).")
    static let restartCode = Variation("restart-code", "Closes with 1012 when it stops (LIVE-5).")

    static let fixedWindows = Variation(
        "fixed-windows", "Counts questions in windows that start anew at fixed times (RATE-2, RATE-3).")

    // MARK: roads

    static let fragmentedMessages = Variation(
        "fragmented-messages", "Sends each frame in three fragments, also cut within characters (ENV-1).")
    static let extraPings = Variation(
        "extra-pings", "Sends a WebSocket ping with a payload after each frame to one connection (LIVE-4).")
    static let chunkedBodies = Variation("chunked-bodies", "Sends REST bodies in chunks, without a length (REST-1).")
    static let closesExchanges = Variation("closes-exchanges", "Ends the connection after each response (REST-1).")
    static let lowerCaseHeaders = Variation(
        "lower-case-headers", "Writes header names in lower case, and the media type with a parameter (REST-2).")
    static let lateResponses = Variation(
        "late-responses", "Sends REST responses 60 ms after it computed them (PERSIST-2, PERSIST-5).")
}
