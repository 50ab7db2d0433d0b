import HoldfastTranscript

/// The reach of histories: the largest value in each dimension of volume and concurrency, and coinciding situations.
package struct Reach: Sendable, Equatable {
    package private(set) var values: [Dimension: Int] = [:]
    /// The pairs of situations of one principal within ten seconds; each situation that occurred is paired with itself.
    package private(set) var pairs: Set<Pair> = []
    /// The smallest announced or configured value of each limit.
    package private(set) var limits: [String: Int] = [:]

    package enum Dimension: String, Sendable, CaseIterable {
        case sessionMessages, sessions, openAtOnce, cuts, connectionSeconds, pages, framesDuringSync, unacknowledged
        case inLine, inLineSeconds, keys, repeatSeconds, repeatQuestions, writes, restarts, textBytes, frameShare
        case readBytes, replayBytes, wrongTokens, clientPeople, people, kindsOfText, turnSeconds, numbers
        case typedOffline, connections, attempts, restSeconds, silentSeconds, sessionRestSeconds, handshakes
        case refusedPushes, failedReads, returns, receivedBytes, epochs, openAtStop
    }

    /// A condition that may cause trouble in combination with others.
    package enum Situation: String, Sendable, CaseIterable {
        case twoUnacknowledged, threeUnacknowledged, inLine, typedOffline, page, unknownInPage, liveDuringSync
        case replayLost, lesserGreeting, olderFrame, readAhead, otherDevice, cutAmidTurn, restartAmidTurn, awayAmidTurn
        case repeated, repeatedAfterRestart, repeatedElsewhere, failedLive, failedInReplay, failedInRead, sentAgain
        case refusedWrites, rateLimited, wrongToken, pushed, longSession, longText, unusualText
    }

    /// An unordered pair of situations.
    package struct Pair: Sendable, Hashable {
        private let names: Set<Situation>

        package init(_ one: Situation, _ other: Situation) { names = [one, other] }
    }

    /// The reach of one history; a capture has none.
    package init(_ history: History) {
        guard history.header.capture == nil else { return }
        let count = ReachCount(history)
        (values, pairs, limits) = (count.values, count.pairs, history.header.subject.limits)
        for (name, limit) in count.connections.flatMap({ Array($0.greeting?["limits"]?.objectValue ?? [:]) }) {
            if let limit = limit.intValue { limits[name] = min(limit, limits[name] ?? limit) }
        }
    }

    package init(_ parts: some Sequence<Reach>) {
        for part in parts {
            values.merge(part.values, uniquingKeysWith: max)
            pairs.formUnion(part.pairs)
            limits.merge(part.limits, uniquingKeysWith: min)
        }
    }
}
