import Holdfast
import HoldfastTranscript

/// Follows each message of the person through its states, and compares every sample of the screen with them.
///
/// A sample rules out the worlds of a message that do not fit it. If no world is left, the sample breaks the clause of
/// the row that does not fit.
struct MessageModel {
    /// One rule, and the part of the screen that it checks.
    enum Part: Int {
        case proof, waiting, answered, running, errors

        /// The parts that the screen must show after a row, if a clause of the row asks for them.
        static func owed(after row: StateTable.Row) -> Set<Part> {
            let stated = row.answer.map { "\($0.verb) \($0.what ?? "")" }
            let rules = [
                (answered, "show sent", 31), (errors, "show failed or errors", 32), (waiting, "hide thinking", 30),
            ]
            return Set(
                rules.filter { stated.contains($0.1) && row.clauses.contains(ClauseID(.CLIENT, $0.2)) }.map(\.0))
        }
    }

    private var evidence: [Part: Evidence] = [:]
    private unowned let history: Observations
    private var machines: [MessageMachine] = []
    /// The event since which the screen may show its present content: the last act that changed the content.
    private var contentStart = 0

    subscript(part: Part) -> Evidence { evidence[part] ?? Evidence() }

    init(_ history: Observations) {
        self.history = history
        guard let table = history.messageTable else { return }
        let owed = table.rows.map(Part.owed)
        var questions = history.clientQuestions[...]
        var acts = history.client.acts("launch", "foreground", "openPush", "selectSession")[...]
        for sample in history.samples {
            while let question = questions.first, question.event < sample.event {
                machines.append(MessageMachine(question, table, owed, in: history))
                questions.removeFirst()
            }
            while let act = acts.first, act.event < sample.event {
                contentStart = act.event
                acts.removeFirst()
            }
            machines.removeAll { $0.end < sample.event }
            for machine in machines { machine.advance(to: sample.event) }
            guard history.client.mayBeInForeground(at: sample.event) else { continue }
            for machine in machines {
                if !machine.question.isAmbiguous { checkStatus(sample, machine) }
                judge(.errors, machine, sample) { world in
                    machine.owes(.errors, in: world)
                        ? world.cause.flatMap { history.tells(sample, of: machine.question, machine.steps[$0]) } : nil
                }
            }
            checkWaiting(sample)
        }
    }

    /// Whether a row has required something for longer than the bound, on a screen that could show it.
    private func isOverdue(
        _ world: MessageMachine.World, _ machine: MessageMachine, at sample: Observations.ScreenSample
    ) -> Bool {
        guard let cause = world.cause else { return false }
        let start = max(machine.steps[cause].event, contentStart)
        return history.effectiveTime(askedFor: sample) - history.effectiveTime(of: start)
            >= history.clientPatience.microseconds
    }

    /// Compares a sample with the worlds of a message by one rule, which says whether the sample fits a world.
    ///
    /// A world that does not fit is ruled out once it is late: after `resend`, or immediately with `isStrict`. A world
    /// that fits in time has passed, and the rule is not applied again.
    private mutating func judge(
        _ part: Part, _ machine: MessageMachine, _ sample: Observations.ScreenSample, isStrict: Bool = false,
        _ fits: (MessageMachine.World) -> Bool?
    ) {
        guard !machine.isLost else { return }
        var left: Set<MessageMachine.World> = []
        var broken: MessageMachine.World?
        func isNew(_ world: MessageMachine.World, _ kind: Int) -> Bool {
            machine.judged.insert([part.rawValue, world.cause ?? -1, kind]).inserted
        }
        for var world in machine.worlds {
            let isLate = isStrict || isOverdue(world, machine, at: sample)
            switch !isStrict && world.shown.contains(part) ? nil : fits(world) {
            case true?:
                if isStrict || !isLate, isNew(world, 0) { evidence[part, default: Evidence()].keep() }
                if part == .errors || part == .waiting { world.shown.insert(part) }
            case false? where isLate:
                // Take the latest of several, so that equal histories have equal findings.
                let isLater = broken.map { (world.cause ?? -1, world.row ?? -1) > ($0.cause ?? -1, $0.row ?? -1) }
                if isLater ?? true { broken = world }
                continue
            default: break
            }
            left.insert(world)
        }
        guard left.isEmpty, let broken else {
            machine.worlds = left
            return
        }
        guard isNew(broken, 1) else { return }
        let cause = broken.cause.map { machine.steps[$0].event } ?? machine.question.event
        evidence[part, default: Evidence()].violate(part.finding(machine.words(broken), at: [cause, sample.event]))
    }

    // MARK: The message and its errors

    private mutating func checkStatus(_ sample: Observations.ScreenSample, _ machine: MessageMachine) {
        let (state, question) = (sample.state, machine.question)
        let entries = state.entries(of: question)
        if entries.count == 1 {
            let shown = state.messages[entries[0]]
            if machine.hasOwnWords || shown.key != nil && !question.keys.isEmpty,
                !history.isInHistory(shown, apartFrom: question, before: sample.event)
            {
                if shown.status == "sent" { machine.prefer(\.isProved) }
                judge(.proof, machine, sample, isStrict: true) { $0.isProved ? nil : shown.status != "sent" }
            }
        }
        let places = state.places(of: question)
        guard !places.isEmpty else { return }
        let hadFailed = machine.hasFailed
        let isFailed = places.allSatisfy { state.messages[$0].status == "failed" }
        machine.hasFailed =
            state.showsAsFailed(question) || state.errors.contains { $0.key.map(question.keys.contains) == true }
        if isFailed { machine.showsFailed(at: sample.event) }
        judge(.running, machine, sample, isStrict: true) { world in
            guard machine.owes(.answered, in: world), !machine.owes(.waiting, in: world) else { return nil }
            return isFailed ? false : machine.mustWait.contains(sample.event) ? true : nil
        }
        judge(.answered, machine, sample) { world in
            guard machine.owes(.answered, in: world), machine.owes(.waiting, in: world) else { return nil }
            return isFailed ? false : hadFailed ? true : nil
        }
        if !isFailed { machine.worlds = machine.changed { $0.isSeen = true } }
    }

    // MARK: Waiting

    private mutating func checkWaiting(_ sample: Observations.ScreenSample) {
        let state = sample.state
        let candidates = machines.filter { machine in
            (state.thinking || machine.isAwaited)
                && history.mayAppear(machine.question, on: state, before: sample.event)
        }
        guard state.thinking else {
            for machine in candidates {
                let worlds = machine.worlds
                machine.prefer { machine.owes(.waiting, in: $0) || !machine.isDue($0) }
                judge(.waiting, machine, sample) { machine.owes(.waiting, in: $0) ? true : nil }
                machine.isAwaited = false
                // Without a network a client waits for nothing, whatever came before.
                if state.connection == .offline { machine.worlds = worlds }
            }
            return
        }
        if !candidates.contains(where: { explains(sample, $0) }) {
            let launch = history.client.launch(at: sample.event)?.events.lowerBound ?? 0
            let own = Set(machines.flatMap(\.question.keys))
            for machine in candidates
            where machine.question.event >= launch || state.sessionId != nil && state.shows(machine.question) {
                let typed = machine.question.event
                if history.othersAsk(in: state.sessionId, notBy: own, since: typed, before: sample.event) { continue }
                // A finished message that the screen has shown as finished is not awaited again.
                let wasOver = machine.worlds.allSatisfy { $0.shown.contains(.waiting) }
                guard wasOver || machine.isAwaited else { continue }
                judge(.waiting, machine, sample, isStrict: true) { machine.owes(.waiting, in: $0) ? false : nil }
            }
        }
        for machine in candidates where machine.worlds.contains(where: { !machine.owes(.waiting, in: $0) }) {
            machine.isAwaited = true
        }
    }

    /// Whether a message may be why a screen waits: its turn is not over or has only just ended, or the message is
    /// about to be resent, possibly on a connection that has died.
    private func explains(_ sample: Observations.ScreenSample, _ machine: MessageMachine) -> Bool {
        if machine.isLost { return true }
        let mayWait = machine.worlds.contains { world in
            !machine.owes(.waiting, in: world)
                || !world.shown.contains(.waiting) && !isOverdue(world, machine, at: sample)
        }
        if mayWait || machine.maySend && history.deadConnection(at: sample.event) != nil {
            return true
        }
        let next = machine.question.requests.first { $0.event > sample.event }
        return next.map { history.inFlight(before: $0.event) <= sample.event } == true
    }
}

extension MessageModel.Part {
    fileprivate func finding(_ row: String, at events: [Int]) -> Finding {
        let (what, expected, actual) =
            switch self {
            case .proof:
                (
                    "a message is shown as sent without proof",
                    "its key, or the turn of its ack, in a frame, response or history that does not refuse it",
                    "status sent"
                )
            case .waiting: ("the client waits for an answer although it is settled", "thinking false", "thinking true")
            case .answered: ("a message is shown as failed although its answer arrived", "status sent", "status failed")
            case .running: ("a message is shown as failed while its turn runs", "status sent", "status failed")
            case .errors: ("an error is not shown", "the message marked as failed, or an entry in errors", "neither")
            }
        return Finding(what, expected: "\(row): \(expected)", actual: actual, at: events)
    }
}

extension Observations {
    /// Whether a screen shows the error that refused or ended a message; nil if the screen leaves that open.
    fileprivate func tells(_ sample: ScreenSample, of question: ClientQuestion, _ step: MessageMachine.Step) -> Bool? {
        guard let error = step.sign?.error, error.code != nil || error.text != nil else { return nil }
        if sample.state.showsAsFailed(question) { return true }
        let before = client.state(at: step.event)
        let others = otherErrorCodes(than: question, after: before?.event ?? step.event)
        let isReported = sample.state.shows(error, of: question.keys, unlike: before, others: others)
        guard isReported == false else { return isReported }
        // The screen may belong to another session, or to one that is not read yet; then the error may be on the
        // message, out of sight.
        let isHere = endOfStay(at: step.event) > sample.event || sample.state.shows(question)
        return isHere && mayAppear(question, on: sample.state, before: sample.event) ? false : nil
    }

    /// Whether the client may have learned, since a question was typed, that another device is asking in a session.
    ///
    /// * `own`: The keys of the messages that this client has. A replay brings them too.
    fileprivate func othersAsk(
        in session: String?, notBy own: Set<String>, since typed: Int, before end: Int
    ) -> Bool {
        let since = client.state(at: typed)?.event ?? typed
        func isOther(_ key: String?) -> Bool { key.map(own.contains) != true }
        return allFrames.contains { frame in
            frame.event > since && frame.event < end && frame.sessionId == session && frame.kind == .message
                && frame.string("role") == "user" && isOther(frame.clientMessageId)
        }
            || sessionReads.contains { read in
                read.event > since && read.event < end && read.sessionId == session
                    && read.turns.contains { $0.status == "running" && isOther($0.clientMessageId) }
            }
    }
}
