import Holdfast
import HoldfastTranscript

/// A turn that ran, at least partly, while the subject's writes were refused.
struct RefusedWrite {
    let fault: SubjectLives.Fault
    let turn: ObservedTurn
    /// Its request in that life of the process.
    let request: ObservedRequest
    /// Whether the server had acknowledged the question before the fault, so that the answer was the first thing it
    /// could not store.
    let wasAccepted: Bool
    /// The outcome while the fault lasted.
    let outcome: Outcome

    /// The possible outcomes without a disk.
    enum Outcome {
        case done(Int)
        case succeeded(Int)
        /// Failed, by an `error` or an error response.
        case failed(Int, code: String?)
        /// The server closed or lost the connection, or ended.
        case ended(Int)
        /// Silent for longer than a turn may take.
        case silent(Int)
        case open
    }

    /// Whether the server, as far as can be known, could not store the answer and sent no `done`.
    ///
    /// A refusal for another reason, or a failure of the agent, has nothing to store.
    func isHeldBack(in history: Observations) -> Bool {
        switch outcome {
        case .failed(_, let code):
            guard let code else { return true }
            return !ErrorMeaning.refusals.contains(code) && code != "agent_failed"
        case .ended, .silent: return true
        case .done, .succeeded, .open: return false
        }
    }

    /// Whether the fault certainly affected the answer and not the question.
    ///
    /// If no sign of acceptance precedes the answer, that cannot be known better.
    func metTheAnswer(in history: Observations) -> Bool {
        wasAccepted || !history.subject.hasScriptedAgent && !history.hasAcks
    }

    /// Whether the fault certainly affected the question: it was asked during the fault, and only a refusal came.
    var lacksTheQuestion: Bool { request.event > fault.begin && turn.acks.isEmpty && turn.frames.isEmpty }

    /// Whether the server had shown acceptance of the question by an event, before or during the fault.
    func isTaken(before event: Int, in history: Observations) -> Bool {
        wasAccepted || (turn.acks + turn.frames).contains { $0.event < event && history.life(of: $0) == fault.life }
    }

    /// The event at which the server gave up after an error: it ended the connection or its process; nil if both went
    /// on.
    func leaving(after error: Int, in history: Observations) -> Int? {
        let ending = request.connection.flatMap { history.connections[$0].endByServer(after: error) }
        let end = ending.flatMap { wasKilled($0, after: error, in: history) ? nil : $0.event }
        let exit = history.lives.end(of: fault.life).flatMap { $0.cause == .exited ? $0.event : nil }
        return [end, exit].compactMap { $0 }.filter { $0 > error }.min()
    }

    /// Whether the stage ended the process before it answered anything sent after an error, so that its intention is
    /// unknown.
    func wasCutShort(after error: Int, in history: Observations) -> Bool {
        let ending = request.connection.flatMap { history.connections[$0].endByServer(after: error) }
        guard let ending, wasKilled(ending, after: error, in: history) else { return false }
        return !history.exchanges.contains { exchange in
            exchange.request > error && exchange.response.map { $0 < ending.event } == true
        }
    }

    /// Whether a connection ended because the stage ended the process.
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
        // A turn that has ended stores nothing, even if it is repeated.
        let ends = turn.endings + turn.copies + turn.replayed.filter { $0.isOf("done", "error") }
        guard let request = own, !ends.contains(where: { $0.event < fault.begin }) else { return nil }
        // A start settles the turns of earlier lives.
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
        if let end = connectionLoss(request, in: history), fault.covers(end) {
            // An end by the stage proves nothing.
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

    /// The event at which the server ended a request's connection or exchange.
    private static func connectionLoss(_ request: ObservedRequest, in history: Observations) -> Int? {
        switch request.origin {
        case .connection(let index):
            let connection = history.connections[index]
            return connection.wasEndedByServer ? connection.ending?.event : nil
        case .exchange(let index): return history.exchanges[index].failure
        }
    }
}
