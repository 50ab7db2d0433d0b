/// A named legal deviation: behavior that the specification allows, but the reference does not show by default.
package enum Variation: String, Sendable, CaseIterable, CustomStringConvertible {
    case sparseNumbers = "sparse-numbers", extraMembers = "extra-members", otherMemberOrder = "other-member-order"
    case slowAnswers = "slow-answers", busyInsteadOfQueueing = "busy-instead-of-queueing"
    case pushBesideDone = "push-beside-done", noCollapseId = "no-collapse-id", terseNotices = "terse-notices"
    case noEcho = "no-echo", hugeNumbers = "huge-numbers", longEpoch = "long-epoch", longIDs = "long-ids"
    case wholeSeconds = "whole-seconds", otherZone = "other-zone", escapedText = "escaped-text"
    case spacedText = "spaced-text", answersWithStats = "answers-with-stats", terseErrors = "terse-errors"
    case bareLists = "bare-lists", toolsInTwoSteps = "tools-in-two-steps", lateAcks = "late-acks"
    case unknownFrames = "unknown-frames", sessionNotFoundForOddIDs = "session-not-found-for-odd-ids"
    case fragmentedMessages = "fragmented-messages", extraPings = "extra-pings", closesTooLarge = "closes-too-large"
    case closesBadText = "closes-bad-text", closesUnauthenticated = "closes-unauthenticated"
    case silentTimeout = "silent-timeout", refusesAfterUpgrade = "refuses-after-upgrade", restartCode = "restart-code"
    case chunkedBodies = "chunked-bodies", closesExchanges = "closes-exchanges"
    case lowerCaseHeaders = "lower-case-headers", lateResponses = "late-responses", smallMessages = "small-messages"
    case noReplay = "no-replay", fixedWindows = "fixed-windows"

    /// The name, such as `sparse-numbers`.
    package var name: String { rawValue }

    /// The name.
    package var description: String { rawValue }

    package static var all: [Variation] { allCases }

    /// The deviation in a sentence, with the clause that allows it.
    package var summary: String {
        switch self {
        case .sparseNumbers: "Leaves numbers of the stream unused (ORDER-3)."
        case .extraMembers: "Adds undefined members to every frame and REST body (ENV-2, ENV-13)."
        case .otherMemberOrder: "Writes the members of every frame and REST body in another order."
        case .slowAnswers: "Takes 200 ms longer for every answer."
        case .busyInsteadOfQueueing: "Refuses a question while a turn of the same session runs (ORDER-2)."
        case .pushBesideDone: "Also sends a push if an open connection received the `done` (PUSH-1)."
        case .noCollapseId: "Sends pushes without `apns-collapse-id` (PUSH-2)."
        case .terseNotices:
            "Uses the title 'Agent' in all pushes, and cuts bodies at 60 characters with three dots (PUSH-3)."
        case .noEcho: "Sends a question only to the other connections, not to the one that asked (TURN-11)."
        case .hugeNumbers: "Starts `seq` beyond 32 bits and skips 999 numbers each time (ORDER-3)."
        case .longEpoch: "Uses epochs of 128 arbitrary characters; epochs are opaque (SYNC-1)."
        case .longIDs:
            "Uses ids of 128 characters of every allowed kind (ID-1, ID-7, ID-8)."
        case .wholeSeconds: "Writes times without fractions of seconds (REST-3)."
        case .otherZone: "Writes times with nanoseconds and the offset +05:45 (ENV-2, REST-1)."
        case .escapedText: "Escapes slashes and everything beyond ASCII (ENV-1, ENV-6)."
        case .spacedText: "Writes JSON with blanks and line ends wherever they are allowed (ENV-1)."
        case .answersWithStats: "Adds statistics to `done` (ENV-2)."
        case .terseErrors: "Sends only message and code in an `error` that ends no turn (ENV-11, RATE-3, LIVE-7)."
        case .bareLists: "Lists sessions without titles and last messages (REST-1, REST-6)."
        case .toolsInTwoSteps: "Sends two `toolUse` for each tool, at its start and at its end (TURN-3)."
        case .lateAcks: "Sends `ack` right before the first `toolUse` or the ending, or after 1 s (TURN-1)."
        case .unknownFrames: "Sends frames of an undefined type before each `done` (ENV-2, ENV-13)."
        case .sessionNotFoundForOddIDs: "Answers a malformed session id like an unknown one (ID-5)."
        case .fragmentedMessages: "Sends each frame in three fragments, also cut within characters (ENV-1)."
        case .extraPings: "Sends a WebSocket ping with a payload after each frame to one connection (LIVE-4)."
        case .closesTooLarge: "Closes with 1009 on a frame that is too large (ENV-8)."
        case .closesBadText: "Closes with 1007 on text that is not UTF-8 (ENV-3)."
        case .closesUnauthenticated: "Closes with 1008 on a frame before `auth`, without an `error` (AUTH-5)."
        case .silentTimeout: "Closes with 4002 without an `error` before (AUTH-4)."
        case .refusesAfterUpgrade: "Accepts a bad token in the upgrade, and refuses it in `auth` (AUTH-3)."
        case .restartCode: "Closes with 1012 when it stops (LIVE-5)."
        case .chunkedBodies: "Sends REST bodies in chunks, without a length (REST-1)."
        case .closesExchanges: "Ends the connection after each response (REST-1)."
        case .lowerCaseHeaders: "Writes header names in lower case, and the media type with a parameter (REST-2)."
        case .lateResponses: "Sends REST responses 60 ms after it computed them (PERSIST-2, PERSIST-5)."
        case .smallMessages: "Takes messages of at most 2,048 bytes (ENV-7)."
        case .noReplay: "Keeps no frames for replay (SYNC-6, SYNC-7)."
        case .fixedWindows: "Counts questions in windows that start anew at fixed times (RATE-2, RATE-3)."
        }
    }
}
