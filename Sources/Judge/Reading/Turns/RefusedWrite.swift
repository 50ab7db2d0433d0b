import Holdfast
import HoldfastTranscript

/// A turn that ran, at least in part, while the disk of the subject took no writes.
struct RefusedWrite {
    let fault: SubjectLives.Fault
    let turn: ObservedTurn
    /// The request that carried it in that life of the process.
    let request: ObservedRequest
    /// Whether the server had shown, before the fault, that it took the question: then the answer was the first it could
    /// not store.
    let wasAccepted: Bool
    /// What came of it while the fault lasted.
    let outcome: Outcome

    /// The ways a turn can go on without a disk.
    enum Outcome {
        case done(Int)
        case succeeded(Int)
        /// An `error` came, or a response that tells one.
        case failed(Int, code: String?)
        /// The server closed or lost the connection, or ended.
        case ended(Int)
        /// Nothing came for as long as a turn may take.
        case silent(Int)
        case open
    }

    /// Whether the server had no disk for the answer, as far as can be told, and did not send `done`.
    ///
    /// A refusal for another reason, or a failure of the agent, never came to storing anything.
    func isHeldBack(in history: Observations) -> Bool {
        switch outcome {
        case .failed(_, let code):
            guard let code else { return true }
            return !ErrorMeaning.refusals.contains(code) && code != "agent_failed"
        case .ended, .silent: return true
        case .done, .succeeded, .open: return false
        }
    }

    /// Whether the fault surely met the answer, and not the question before it; where nothing shows that a question was
    /// taken before the answer comes, nothing better can be asked for.
    func metTheAnswer(in history: Observations) -> Bool {
        wasAccepted || !history.subject.hasScriptedAgent && !history.hasAcks
    }

    /// Whether the fault surely met the question itself: it was asked under it, and what refused it is all that came.
    var lacksTheQuestion: Bool { request.event > fault.begin && turn.acks.isEmpty && turn.frames.isEmpty }

    /// Whether the server had shown by an event that it took the question, before the fault or under it.
    func isTaken(before event: Int, in history: Observations) -> Bool {
        wasAccepted || (turn.acks + turn.frames).contains { $0.event < event && history.life(of: $0) == fault.life }
    }

    /// The event at which the server left behind an error: it ended the connection, or its process did; nil when both went on.
    func leaving(after error: Int, in history: Observations) -> Int? {
        let ending = request.connection.flatMap { history.connections[$0].endByServer(after: error) }
        let end = ending.flatMap { wasKilled($0, after: error, in: history) ? nil : $0.event }
        let exit = history.lives.end(of: fault.life).flatMap { $0.cause == .exited ? $0.event : nil }
        return [end, exit].compactMap { $0 }.filter { $0 > error }.min()
    }

    /// Whether the stage ended the process before anything asked after an error was answered: nobody knows whether the server
    /// was about to leave.
    func wasCutShort(after error: Int, in history: Observations) -> Bool {
        let ending = request.connection.flatMap { history.connections[$0].endByServer(after: error) }
        guard let ending, wasKilled(ending, after: error, in: history) else { return false }
        return !history.exchanges.contains { exchange in
            exchange.request > error && exchange.response.map { $0 < ending.event } == true
        }
    }

    /// Whether the end of the process by the stage ended a connection.
    private func wasKilled(
        _ ending: ObservedConnection.Ending, after error: Int, in history: Observations
    ) -> Bool {
        let isStopped = history.lives.end(of: fault.life).map { $0.cause != .exited } ?? false
        return isStopped && ending.kind == .lost && history.wasStopped(between: error, and: ending.event)
    }

    static func all(in history: Observations) -> [RefusedWrite] {
        history.lives.faults.flatMap { fault in
            history.turns.compactMap { RefusedWrite($0, under: fault, in: history) }
        }
    }

    private init?(_ turn: ObservedTurn, under fault: SubjectLives.Fault, in history: Observations) {
        let own = turn.requests.first { request in
            history.life(of: request) == fault.life && request.event < fault.end
                && request.refusal.map { $0 > fault.begin } ?? true
        }
        // What has ended has nothing to store, also where a repeat brings it up again.
        let ends = turn.endings + turn.copies + turn.replayed.filter { $0.isOf("done", "error") }
        guard let request = own, !ends.contains(where: { $0.event < fault.begin }) else { return nil }
        // What an earlier life left behind was settled at a start.
        if history.life(of: turn) < fault.life, request.ack?.isDuplicate == true { return nil }
        let endings = turn.endings.filter { !$0.isReplayed && history.life(of: $0) == fault.life }
        let outcomes = endings.map(\.event) + [request.outcome].compactMap { $0 }
        if let first = outcomes.min(), first < fault.begin { return nil }
        (self.fault, self.turn, self.request) = (fault, turn, request)
        let signs = (turn.acks + turn.frames).filter { history.life(of: $0) == fault.life }.map(\.event)
        wasAccepted =
            signs.contains { $0 < fault.begin }
            || history.reads(of: turn).contains {
                $0.event < fault.begin && $0.request > turn.event && history.question(of: turn, in: $0) != nil
            }
        outcome = Self.outcome(of: turn, request, endings, under: fault, in: history)
    }

    private static func outcome(
        of turn: ObservedTurn, _ request: ObservedRequest, _ endings: [Frame],
        under fault: SubjectLives.Fault, in history: Observations
    ) -> Outcome {
        if let done = endings.first(where: { $0.type == "done" && fault.covers($0.event) }) { return .done(done.event) }
        if let success = request.success, fault.covers(success) { return .succeeded(success) }
        if let error = endings.first(where: { fault.covers($0.event) }) {
            return .failed(error.event, code: error.code)
        }
        if let failure = request.failure, fault.covers(failure) {
            return .failed(failure, code: history.body(ofResponse: failure)?.string("code"))
        }
        if let refusal = request.refusal, fault.covers(refusal) { return .failed(refusal, code: request.refusalCode) }
        let exit = history.lives.end(of: fault.life)
        if let end = lossOfRoad(request, in: history), fault.covers(end) {
            // What the stage itself ended says nothing.
            let isOwn =
                exit.map { $0.cause != .exited && history.wasStopped(between: request.event, and: end) } ?? false
            if !isOwn { return .ended(end) }
        }
        if let exit, exit.cause == .exited, fault.covers(exit.event) { return .ended(exit.event) }
        if let connection = request.connection, let late = history.turnDeadline(of: turn, on: connection),
            late <= fault.end
        {
            return .silent(late)
        }
        return .open
    }

    /// The event at which the server ended the connection or exchange of a request.
    private static func lossOfRoad(_ request: ObservedRequest, in history: Observations) -> Int? {
        switch request.origin {
        case .connection(let index):
            let connection = history.connections[index]
            return connection.wasEndedByServer ? connection.ending?.event : nil
        case .exchange(let index): return history.exchanges[index].failure
        }
    }
}
