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
    let outcome: TurnOutcome

    /// Whether the server, as far as can be known, could not store the answer and sent no `done`.
    ///
    /// After a refusal for another reason or a failure of the agent, there was nothing to store.
    func isHeldBack(in history: Observations) -> Bool {
        switch outcome {
        case .failed(_, let code):
            guard let code else { return true }
            return !Frame.refusalCodes.contains(code) && code != "agent_failed"
        case .ended, .silent: return true
        case .done, .succeeded, .open: return false
        }
    }

    /// Whether the fault certainly affected the question: it was asked during the fault, and only a refusal followed.
    var lacksTheQuestion: Bool { request.event > fault.start && turn.acks.isEmpty && turn.frames.isEmpty }

    /// Whether the server had shown acceptance of the question by an event, before or during the fault.
    func showsAcceptance(before event: Int, in history: Observations) -> Bool {
        wasAccepted || (turn.acks + turn.frames).contains { $0.event < event && history.life(of: $0) == fault.life }
    }

    /// The event at which the server ended the connection or its process after an error; nil if both continued.
    func endByServer(after error: Int, in history: Observations) -> Int? {
        let ending = request.connection.flatMap { history.connections[$0].endByServer(after: error) }
        let end = ending.flatMap { wasKilled($0, after: error, in: history) ? nil : $0.event }
        let exit = history.lives.end(of: fault.life).flatMap { $0.cause == .exited ? $0.event : nil }
        return [end, exit].compactMap(\.self).filter { $0 > error }.min()
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
                && request.refusal.map { $0 > fault.start } ?? true
        }
        // A turn that has ended stores nothing, even if it is repeated.
        let ends = turn.endings + turn.copies + turn.replayed.filter { $0.isOf(.done, .error) }
        guard let request = own, !ends.contains(where: { $0.event < fault.start }) else { return nil }
        // A start settles the turns of earlier lives.
        if history.life(of: turn) < fault.life, request.ack?.isDuplicate == true { return nil }
        let endings = turn.endings.filter { history.life(of: $0) == fault.life }
        let outcomes = endings.map(\.event) + [request.outcome].compactMap(\.self)
        if let first = outcomes.min(), first < fault.start { return nil }
        (self.fault, self.turn, self.request) = (fault, turn, request)
        let signs = (turn.acks + turn.frames).filter { history.life(of: $0) == fault.life }.map(\.event)
        wasAccepted =
            signs.contains { $0 < fault.start }
            || history.reads(of: turn).contains {
                $0.event < fault.start && $0.request > turn.event && history.question(of: turn, in: $0) != nil
            }
        outcome = history.outcome(of: turn, request, endings, within: fault.start + 1..<fault.end)
    }
}

enum TurnOutcome {
    case done(Int)
    case succeeded(Int)
    case failed(Int, code: String?)
    /// The server closed or lost the connection, or its process ended.
    case ended(Int)
    /// Silent for longer than a turn may take.
    case silent(Expiry)
    case open
}

extension Observations {
    /// The outcome of a turn within a period, from one of its requests and the endings that count.
    func outcome(
        of turn: ObservedTurn, _ request: ObservedRequest, _ endings: [Frame], within events: Range<Int>
    ) -> TurnOutcome {
        if let done = endings.first(where: { $0.kind == .done && events.contains($0.event) }) {
            return .done(done.event)
        }
        if let success = request.success, events.contains(success) { return .succeeded(success) }
        if let error = endings.first(where: { events.contains($0.event) }) {
            return .failed(error.event, code: error.code)
        }
        if let failure = request.failure, events.contains(failure) {
            return .failed(failure, code: body(ofResponse: failure)?.string("code"))
        }
        if let refusal = request.refusal, events.contains(refusal) {
            return .failed(refusal, code: request.refusalCode)
        }
        let exit = lives.end(of: life(of: request))
        let isStopped = exit.map { $0.cause != .exited } ?? false
        // An end that the stage caused proves nothing.
        if let end = loss(of: request), events.contains(end),
            !(isStopped && wasStopped(between: request.event, and: end))
        {
            return .ended(end)
        }
        if let exit, exit.cause == .exited, events.contains(exit.event) { return .ended(exit.event) }
        let late =
            request.connection.map { turnDeadline(of: turn, on: $0) }
            ?? exchange(of: request).flatMap {
                deadline(after: $0, within: timeouts.turn + request.scriptedWait + timeouts.rest)
            }
        return late.flatMap { $0.isAfter(events.upperBound) ? nil : .silent($0) } ?? .open
    }

    /// The event at which the server ended a request's connection or exchange.
    private func loss(of request: ObservedRequest) -> Int? {
        guard let index = request.connection else {
            // If the stage stopped waiting for a response, the server still owes it.
            return exchange(of: request)?.failure.flatMap { self.events[$0].kind == .failed(reason: "late") ? nil : $0 }
        }
        return connections[index].endByServer()?.event
    }
}
