import Holdfast
import JSON

extension Defect {
    static let turnAcksAfterTheFirstFrame = Defect(
        "turn-acks-after-the-first-frame", .TURN, 1, "Sends the `ack` after the first `toolUse` or the ending.")
    static let turnDropsTheKeyFromAck = Defect(
        "turn-drops-the-key-from-ack", .TURN, 2, "Sends every `ack` without `clientMessageId`.")
    static let turnAcksBeforeStoring = Defect(
        "turn-acks-before-storing", .TURN, 20,
        "Acknowledges a question at once and stores it with the first frame of its turn; shows while a script waits.")
    static let turnAcksWhatACrashTakes = Defect(
        "turn-acks-what-a-crash-takes", .TURN, 3, need: .restart,
        "Acknowledges and shows a question at once and writes it to disk 30 ms later.")
    static let turnStoresOnlyWhatIsHeard = Defect(
        "turn-stores-only-what-is-heard", .TURN, 11,
        "Stores an answer only when a connection is open to take it; shows when the asker was cut off before `done`.")
    static let turnStoresQuestionsWithAnswers = Defect(
        "turn-stores-questions-with-answers", .TURN, 4,
        "Stores the question when the turn ends; shows between the first `toolUse` and the ending.")
    static let turnStoresNothingOfFailures = Defect(
        "turn-stores-nothing-of-failures", .TURN, 4,
        "Stores a question with its answer, and neither when the turn fails; shows while a turn runs, and after one that failed."
    )
    static let turnEndsTwice = Defect("turn-ends-twice", .TURN, 5, "Sends `done` twice, each with a number of its own.")
    static let turnSwallowsFailures = Defect(
        "turn-swallows-failures", .TURN, 5, "Sends no frame that ends a turn whose agent failed.")
    static let turnUsesToolsAfterDone = Defect(
        "turn-uses-tools-after-done", .TURN, 6, "Sends a `toolUse` after `done`, when the turn used a tool before.")
    static let turnStoresAnotherAnswer = Defect(
        "turn-stores-another-answer", .TURN, 7, "Stores every answer with a line end that `done` does not have.")
    static let turnCallsFailuresInternal = Defect(
        "turn-calls-failures-internal", .TURN, 8, "Gives the code `internal` to the failure of an agent.")
    static let turnLeavesFailedTurnsRunning = Defect(
        "turn-leaves-failed-turns-running", .TURN, 9, "Shows a failed turn as `running` for ever.")
    static let turnBricksTheSession = Defect(
        "turn-bricks-the-session", .TURN, 10, "Runs no further turn in a session after one has failed.")
    static let turnCancelsOnDisconnect = Defect(
        "turn-cancels-on-disconnect", .TURN, 11, "Drops a running turn when the connection that asked ends.")
    static let turnHidesRunningTurns = Defect(
        "turn-hides-running-turns", .TURN, 12, "Shows a turn in session reads only when it has ended.")
    static let turnLeavesInterruptedTurnsRunning = Defect(
        "turn-leaves-interrupted-turns-running", .TURN, 13, need: .restart,
        "Shows a turn that a kill interrupted as `running` after the next start.")
    static let turnCallsInterruptionsFailures = Defect(
        "turn-calls-interruptions-failures", .TURN, 14, need: .restart,
        "Gives the code `agent_failed` to turns that its stop ends.")
    static let turnAnswersTheAskerAlone = Defect(
        "turn-answers-the-asker-alone", .TURN, 15,
        "Sends the frames of a turn to the connection that asked only; shows with two connections or REST.")
    static let turnHidesQuestionsFromOtherDevices = Defect(
        "turn-hides-questions-from-other-devices", .TURN, 16, "Sends no `message`; shows with two connections.")
    static let turnKeepsWhatItRefused = Defect(
        "turn-keeps-what-it-refused", .TURN, 18, "Creates a session for a `chat` it answers with `session_not_found`.")
    static let turnDoesNotSayWhatToRetry = Defect(
        "turn-does-not-say-what-to-retry", .TURN, 19, "Ends failed turns with an `error` without `retryable`.")

    static let turn = [
        turnAcksAfterTheFirstFrame, turnDropsTheKeyFromAck, turnAcksBeforeStoring, turnStoresQuestionsWithAnswers,
        turnEndsTwice, turnSwallowsFailures, turnUsesToolsAfterDone, turnStoresAnotherAnswer,
        turnCallsFailuresInternal, turnLeavesFailedTurnsRunning, turnBricksTheSession, turnCancelsOnDisconnect,
        turnHidesRunningTurns, turnLeavesInterruptedTurnsRunning, turnCallsInterruptionsFailures,
        turnAnswersTheAskerAlone, turnHidesQuestionsFromOtherDevices, turnKeepsWhatItRefused,
        turnDoesNotSayWhatToRetry, turnAcksWhatACrashTakes, turnStoresOnlyWhatIsHeard, turnStoresNothingOfFailures,
    ]
}

extension Saboteur {
    func rewriteTURN(_ frame: inout JSONValue, _ type: String?) {
        if has(.turnDropsTheKeyFromAck), type == "ack" { frame["clientMessageId"] = nil }
        if has(.turnDoesNotSayWhatToRetry), type == "error", frame["turnId"] != nil { frame["retryable"] = nil }
        if has(.orderNumbersAcks), type == "ack" { frame["seq"] = 1 }
    }

    /// The answer as broken servers keep it.
    func kept(_ answer: String) -> String { has(.turnStoresAnotherAnswer) ? answer + "\n" : answer }

    /// The answer as it was before ``kept(_:)``.
    func told(_ answer: String) -> String { has(.turnStoresAnotherAnswer) ? String(answer.dropLast()) : answer }

    func code(of failure: ErrorCode) -> ErrorCode {
        failure == .agentFailed && has(.turnCallsFailuresInternal) ? .internal : failure
    }
}

extension ServerCore {
    /// Whether an answer is dropped because nobody is there to hear it.
    mutating func storesOnlyWhatIsHeard(_ turn: LiveTurn) -> Bool {
        guard broken(.turnStoresOnlyWhatIsHeard), turn.waiters.isEmpty,
            connections.sockets(of: turn.principal).isEmpty
        else { return false }
        turns[turn.names.turn] = nil
        sessions.endUnstored(turn.names.turn, in: turn.names.session, code: .internal, text: "nobody was there")
        leave(turn.names.turn, saboteur.line(of: turn.names.session))
        return true
    }

    /// Whether broken servers go on without having stored the question.
    mutating func postpones(_ question: StoredRecord.Question) -> Bool {
        guard
            broken(.turnAcksBeforeStoring) || broken(.turnStoresQuestionsWithAnswers)
                || broken(.turnStoresNothingOfFailures)
        else { return false }
        mischief.postponed[question.turn] = question
        begin(question)
        return true
    }

    /// Stores at last what was postponed.
    mutating func storePostponed(_ turn: LiveTurn, atEnd: Bool = true) {
        guard atEnd || broken(.turnAcksBeforeStoring),
            let question = mischief.postponed.removeValue(forKey: turn.names.turn)
        else { return }
        sessions.apply(.question(question))
        store(.question(question), as: .afterthought)
    }

    /// Whether broken servers keep nothing of a turn that failed, and told its end already.
    mutating func forgets(_ turn: LiveTurn, _ code: ErrorCode, _ text: String) -> Bool {
        guard broken(.turnStoresNothingOfFailures),
            mischief.postponed.removeValue(forKey: turn.names.turn) != nil
        else { return false }
        turns[turn.names.turn] = nil
        conclude(turn, .failed(code: code.rawValue, text: text))
        return true
    }

    func delaysAck(of turn: LiveTurn) -> Bool { broken(.turnAcksAfterTheFirstFrame) }

    mutating func sendLateAck(of turn: LiveTurn, after frame: JSONValue) {
        guard broken(.turnAcksAfterTheFirstFrame), frame["type"]?.stringValue != "message",
            case .socket(let socket) = turn.origin, mischief.lateAcks.insert(turn.names.turn).inserted
        else { return }
        send(Frames.ack(turn.names, duplicate: false), to: socket)
    }

    /// Whether broken servers send nothing about a turn that failed.
    func swallows(_ turn: LiveTurn, _ code: String) -> Bool {
        broken(.turnSwallowsFailures) && code == ErrorCode.agentFailed.rawValue
            || broken(.persistGoesSilentWhenStoringFails) && code == ErrorCode.persistFailed.rawValue
    }

    func bricks(_ turn: LiveTurn, _ ending: SessionStore.Ending) -> Bool {
        guard broken(.turnBricksTheSession), case .failed = ending else { return false }
        return true
    }

    /// What comes after a turn has ended.
    mutating func haunt(_ turn: LiveTurn, _ ending: SessionStore.Ending) {
        guard case .answered(let message, let text) = ending else { return }
        if broken(.turnEndsTwice) { broadcast(Frames.done(turn.names, message: message, text: text), of: turn) }
        let usedTools = Agent.steps(for: Content.text(turn.content)).contains {
            if case .tool = $0 { true } else { false }
        }
        if broken(.turnUsesToolsAfterDone), usedTools {
            broadcast(Frames.toolUse(turn.names, tool: "cleanUp", id: ids.next("use"), input: nil), of: turn)
        }
    }

    /// What the end of a connection does to others.
    mutating func harm(afterEndOf connection: Connections.Connection, _ socket: Int) {
        if broken(.turnCancelsOnDisconnect) {
            for (id, turn) in turns where turn.origin == .socket(socket) && turn.state != .storing {
                turns[id] = nil
                _ = queue.leave(id, session: turn.names.session)
            }
        }
        if broken(.syncEndsNewerConnections), let principal = connection.principal {
            for newer in connections.sockets(of: principal) where newer > socket { effects.append(.cut(socket: newer)) }
        }
    }

    /// The connections that get a frame of a turn.
    func listeners(of frame: JSONValue, _ turn: LiveTurn) -> [Int] {
        let everyone = connections.sockets(of: turn.principal)
        let isQuestion = frame["type"]?.stringValue == "message"
        if isQuestion, rules.variations.contains(.noEcho) { return everyone.filter { turn.origin != .socket($0) } }
        if broken(.authSendsTurnsToEverybody) { return connections.all.filter { connections[$0]?.principal != nil } }
        guard broken(.turnAnswersTheAskerAlone), !isQuestion else { return everyone }
        return everyone.filter { turn.origin == .socket($0) }
    }

    /// Creates a session nobody asked for, when broken servers keep what they refuse.
    mutating func keepRefused(_ refusal: Refusal, on socket: Int) {
        guard broken(.idKeepsWhatItRefuses), refusal.text.hasPrefix("'sessionId' has to match"),
            let principal = connections[socket]?.principal
        else { return }
        invent("refused", of: principal)
    }

    /// Puts a question nobody asked into a session, a new one unless told otherwise, without any turn that runs.
    mutating func invent(_ content: JSONValue, of principal: String, in session: String? = nil) {
        let names = TurnNames(session: session ?? ids.next("ses"), turn: ids.next("trn"), question: ids.next("msg"))
        sessions.apply(
            .question(
                StoredRecord.Question(
                    principal: principal, session: names.session, turn: names.turn, message: names.question, key: nil,
                    content: content, at: stamp())))
        sessions.endUnstored(names.turn, in: names.session, code: .internal, text: "")
    }
}
