import Holdfast
import HoldfastJSON

package struct ClientCondition: Sendable {
    package var isRunning = false
    package var isForeground = false
    package var hasNetwork = true

    package init() {}

    package mutating func take(_ act: ClientAct) {
        switch act {
        case .launch: (isRunning, isForeground) = (true, true)
        case .quit, .crash: isRunning = false
        case .background: isForeground = false
        case .foreground, .openPush: isForeground = true
        case .networkDown: hasNetwork = false
        case .networkUp: hasNetwork = true
        default: break
        }
    }
}

// The steps that bring a client to rest, chosen when they are due.
extension ClientScene {
    package func steps(of rest: IdleStep, onScreen session: String?) -> [ClientStep] {
        switch rest {
        case .mend: return mending
        case .audit(let limit):
            let isWhole = limit == nil
            return mending
                + [.rest(.withhold), .rest(.finish(speaking: isWhole)), .rest(.hear)].map { ClientStep($0) }
                + (isWhole ? revisits(from: session) : [])
                + [.rest(.serve), .awaitState(quiet), .rest(.visit(limit: limit))].map { ClientStep($0) }
        case .visit(let limit):
            // Skip unchanged sessions, so that the check at the end of a life finds them old.
            let changed = act { $0.changedSessions }
            let first = [session].compactMap { $0 }.filter(changed.contains)
            let others = changed.filter { $0 != session }.prefix(max(0, (limit ?? .max) - first.count))
            return first.map { ClientStep(.rest(.compare(session: $0))) } + others.flatMap(visit)
        case .withhold, .serve, .finish, .hear, .compare: return []
        }
    }

    private var mending: [ClientStep] {
        var steps: [ClientStep.Action] = []
        if !condition.hasNetwork { steps.append(.person(.networkUp)) }
        if act({ $0.isSentAway }), condition.isRunning { steps.append(.person(.quit)) }
        if !condition.isRunning || act({ $0.isSentAway }) {
            steps.append(.person(.launch(fresh: nil, opened: nil)))
        } else if !condition.isForeground {
            steps.append(.person(.foreground))
        }
        act { $0.heal() }
        var connected = AwaitedState(within: "backoff")
        connected.connection = ["connected"]
        return (steps + [.awaitState(connected)]).map { ClientStep($0) }
    }

    /// Opens two recent sessions with reads withheld, so that the screen shows only what the client already knows.
    private func revisits(from session: String?) -> [ClientStep] {
        act { $0.newestSessions }.filter { $0 != session }.prefix(2).flatMap { other in
            [ClientStep(.person(.select(session: other))), ClientStep(.rest(.hear))]
        }
    }

    private func visit(_ session: String) -> [ClientStep] {
        [ClientStep(.person(.select(session: session))), ClientStep(.rest(.compare(session: session)))]
    }

    private var quiet: AwaitedState {
        var quiet = AwaitedState(within: "backoff")
        (quiet.isQuiet, quiet.thinking) = (true, false)
        return quiet
    }

    /// The messages of the visible session that the stream delivered; nil if there is nothing to wait for.
    func expectedState(onScreen session: String?) -> AwaitedState? {
        guard let session, case let shown = act({ $0.shownMessages(of: session) }), !shown.isEmpty else { return nil }
        var expectedState = AwaitedState(within: "pong")
        (expectedState.session, expectedState.shows) = (session, shown)
        return expectedState
    }

    /// Records the server's state of a session, and returns what the screen must show of it; nil if the client cannot
    /// know that it lacks something.
    func compared(_ session: String) -> AwaitedState? {
        guard act({ !$0.passedOver.contains(session) }) else { return nil }
        let history = act { $0.compare(session) }
        record(
            .act(
                "atRest", ["sessionId": .string(session), "messages": .array(history.map { .string($0) })]), on: .server
        )
        var expected = AwaitedState(within: "backoff")
        (expected.session, expected.history, expected.thinking) = (session, history, false)
        return expected
    }

    /// Performs the immediate part of the server's work, and returns its remaining actions.
    package func serve(_ rest: IdleStep, onScreen session: String?) -> [ServerAction] {
        switch rest {
        case .withhold: act { $0.withholdsReads = true }
        case .serve: act { $0.answerReads() }
        case .finish(let isSpeaking):
            let turns = act { $0.runningTurns }.map { ServerAction.finish(turn: JSONValue($0), text: nil, to: .all) }
            guard isSpeaking, let session, act({ $0.index(of: session) != nil }) else { return turns }
            let messages = [("u", ClientWorld.Message.Role.user), ("a", .assistant)].map {
                ClientWorld.Message(id: "\($0.0)${next}", role: $0.1)
            }
            return turns + [.elsewhere(session: session, messages: messages, isNew: false, to: .all)]
        case .mend, .audit, .visit, .hear, .compare: break
        }
        return []
    }
}
