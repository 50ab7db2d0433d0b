import Holdfast
import JSON
import Transcript

/// What a client does when it comes back.
extension CLIENT {
    static let recovering: [Check] =
        [
            Check(.CLIENT, 15, reconnectsAreFollowedByRecovery), Check(.CLIENT, 19, allThatWasMissedIsShown),
            Check(.CLIENT, 20, recoveryNeverShowsLess), Check(.CLIENT, 21, oneReadServesAll),
        ] + polling + finding

    /// CLIENT-15: "A client MUST recover after every reconnect that follows a turn it has seen no ending of: by `sync`
    /// where it can, else by a session read".
    ///
    /// Once for each greeted connection after another one and each turn that the client knew to run then. A read counts from
    /// the end of the old connection on, also one that was still under way then; a sync counts where the server has an epoch.
    static func reconnectsAreFollowedByRecovery(_ history: Observations, _ evidence: inout Evidence) {
        let questions = ClientQuestion.all(in: history)
        for (index, connection) in history.connections.enumerated() {
            guard let greeted = connection.connected, let lost = history.lossBefore(connection: index) else { continue }
            for question in questions {
                guard let asked = question.requests.first?.event, asked < lost,
                    question.news.contains(where: { $0.event < lost && $0.kind == .proof }),
                    !question.news.contains(where: { $0.event < greeted && $0.kind != .proof }),
                    history.endOfLife(at: asked) > greeted
                else { continue }
                let sessions = question.sessions(before: greeted).union(question.requests.compactMap(\.sessionAsked))
                let proof = history.deadline(after: greeted, within: history.clientPatience, on: index).flatMap {
                    history.isAble(from: greeted, to: $0) ? $0 : nil
                }
                // What is asked on a later connection is the recovery of that one.
                let end = proof ?? history.loss(of: index) ?? history.events.endIndex
                if let recovery = history.recovery(of: sessions, since: lost), recovery < end {
                    let isInTime = question.ended.map { recovery < $0 } ?? true
                    if isInTime { evidence.keep() }
                } else if let proof, question.ended.map({ $0 > proof }) ?? true {
                    evidence.violate(
                        "a reconnect without recovery while a turn runs", expected: "a sync, or a read of its session",
                        actual: "neither within \(history.clientPatience)", at: [lost, greeted, proof])
                }
            }
        }
    }

    /// CLIENT-19: "A client MUST show, after recovery, every message of the history it lacked, in the order of the
    /// history".
    ///
    /// Once for each read or replay of the session on the screen that brings a message which was not shown.
    static func allThatWasMissedIsShown(_ history: Observations, _ evidence: inout Evidence) {
        let leaving: Set = ["selectSession", "openPush", "background", "quit", "launch", "exit"]
        for told in history.toldHistories {
            guard let before = history.client.state(at: told.event), before.sessionId == told.sessionId,
                told.messages.contains(where: { !before.shows($0) }),
                history.end(of: told.asked, at: leaving) > told.event
            else { continue }
            let end = history.end(of: told.event, at: leaving)
            let result = history.shown(after: told.event, within: history.clientPatience, before: end) { look in
                // Once all of it is there, nothing more is to come that would put it in order but another read.
                look.state.sessionId == told.sessionId && told.messages.allSatisfy(look.state.shows)
                    && !look.state.shows(inOrder: told.messages)
                    && !history.isRecovering(told.sessionId, between: look.event, and: look.event)
            } holds: { state in
                state.sessionId == told.sessionId ? state.shows(inOrder: told.messages) : nil
            }
            switch result {
            case .kept: evidence.keep()
            case .broken(let event):
                let ids = told.messages.map { $0.id ?? "a message without id" }.joined(separator: " ")
                let state = history.client.state(at: event)
                evidence.violate(
                    "messages that a recovery brought are missing or out of order", expected: "\(ids), in this order",
                    actual: state?.messages.map { $0.id ?? $0.key ?? "a message without id" }.joined(separator: " ")
                        ?? "nothing", at: [told.event, event])
            case .unknown: break
            }
        }
    }

    /// CLIENT-20: "A client MUST NOT show fewer messages of a session during recovery than before it".
    ///
    /// Once for each read or sync during which, or after which, the screen of its session was looked at. Two entries for one
    /// message that become one are no loss.
    static func recoveryNeverShowsLess(_ history: Observations, _ evidence: inout Evidence) {
        let states = history.client.states
        var accused: Set<Int> = []
        func accuse(_ after: ObservedClient.State, after before: ObservedClient.State) {
            guard let session = before.sessionId, after.sessionId == session, after.count < before.count,
                !history.isGone(session, before: after.event), accused.insert(after.event).inserted
            else { return }
            evidence.violate(
                "a recovery shows fewer messages than before", expected: "at least \(before.count)",
                actual: "\(after.count)", at: [before.event, after.event])
        }
        for (before, after) in zip(states, states.dropFirst()) {
            guard let session = before.sessionId, history.endOfStay(at: before.event) > after.event,
                history.isRecovering(session, between: before.event, and: after.event)
            else { continue }
            accuse(after, after: before)
        }
        let reads = history.client.reads.compactMap { read -> (begun: Int, ended: Int)? in
            guard case .session(let id) = read.route, history.client.state(at: read.request)?.sessionId == id else {
                return nil
            }
            return (read.request, history.end(of: read))
        }
        let syncs = history.syncs.map { (begun: $0.request.event, ended: history.end(of: $0)) }
        let looks = history.looks(after: -1, before: .max).map(\.event)
        for recovery in reads + syncs {
            guard let before = history.client.state(at: recovery.begun), before.sessionId != nil, before.count > 0
            else { continue }
            let end = history.endOfStay(at: recovery.begun)
            let next = looks[looks.boundary { $0 > recovery.begun }...].first
            if next.map({ $0 < end }) == true { evidence.keep() }
            guard recovery.ended < end else { continue }
            // What the stage has answered is still on its way to the screen; meanwhile a question that was refused may go.
            let patience = history.patience(of: recovery.ended) + history.clientPatience.microseconds
            let stored = Set(before.messages.compactMap(\.id))
            for after in states[states.boundary { $0.event > recovery.ended }...] {
                guard after.event < end, history.patience(of: after.event) <= patience else { break }
                if !stored.isSubset(of: after.messages.compactMap(\.id)) { accuse(after, after: before) }
            }
        }
    }

    /// CLIENT-21: "A client MUST NOT have more than one session read of one session under way for recovery".
    ///
    /// Once for each return, reconnect and push while a read of a session is under way. A read that the person caused by going
    /// there, and one that takes the place of a read the client gave up, is not counted.
    static func oneReadServesAll(_ history: Observations, _ evidence: inout Evidence) {
        let triggers = history.recoveryTriggers
        for (index, read) in history.client.reads.enumerated() {
            guard case .session(let session) = read.route, history.isForRecovery(read) else { continue }
            let end = min(history.end(of: read), history.endOfLife(at: read.request))
            let second = history.client.reads[(index + 1)...].prefix { $0.request < end }.first { other in
                other.route == .session(session)
                    && history.end(of: read.request, at: ["selectSession", "openPush"]) > other.request
                    && !history.wasGivenUp(read, for: other)
            }
            if let second {
                evidence.violate(
                    "two reads of one session are under way", expected: "one read that serves every reason",
                    actual: "a second read of \(session) before the first was answered",
                    at: [read.request, second.request])
            } else {
                for trigger in triggers where trigger > read.request && trigger < end { evidence.keep() }
            }
        }
    }
}
