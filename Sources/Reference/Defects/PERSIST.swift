import Holdfast
import JSON

extension Defect {
    static let persistSendsDoneBeforeStoring = Defect(
        "persist-sends-done-before-storing", .PERSIST, 1, need: .restart,
        "Sends `done` and stores the answer afterwards; shows when the server is killed between the two.")
    static let persistShowsAnswersLate = Defect(
        "persist-shows-answers-late", .PERSIST, 2, "Shows an answer in reads 150 ms after its `done`.")
    static let persistAnswersRESTBeforeStoring = Defect(
        "persist-answers-rest-before-storing", .PERSIST, 12,
        "Answers `POST /api/chat` 150 ms before it stores the answer.")
    static let persistSendsDoneWhenStoringFails = Defect(
        "persist-sends-done-when-storing-fails", .PERSIST, 4, need: .storageFault,
        "Sends `done` although the answer could not be stored.")
    static let persistGoesSilentWhenStoringFails = Defect(
        "persist-goes-silent-when-storing-fails", .PERSIST, 5, need: .storageFault,
        "Sends nothing when an answer could not be stored.")
    static let persistStaysBroken = Defect(
        "persist-stays-broken", .PERSIST, 6, need: .storageFault,
        "Takes no question any more after one write has failed.")
    static let persistLosesTheLastRecord = Defect(
        "persist-loses-the-last-record", .PERSIST, 7, need: .restart, "Forgets the newest record at every start.")
    static let persistHidesEverythingAfterACrash = Defect(
        "persist-hides-everything-after-a-crash", .PERSIST, 8, need: .restart,
        "Starts empty when the end of the process interrupted a turn.")
    static let persistTearsReadsWhileWriting = Defect(
        "persist-tears-reads-while-writing", .PERSIST, 9,
        "Answers reads of a session with 500 while one of its turns runs.")
    static let persistForgetsOldMessages = Defect(
        "persist-forgets-old-messages", .PERSIST, 10, "Shows the newest four messages of a session only.")

    static let persist = [
        persistSendsDoneBeforeStoring, persistShowsAnswersLate, persistAnswersRESTBeforeStoring,
        persistSendsDoneWhenStoringFails, persistGoesSilentWhenStoringFails, persistStaysBroken,
        persistLosesTheLastRecord, persistHidesEverythingAfterACrash, persistTearsReadsWhileWriting,
        persistForgetsOldMessages,
    ]
}

extension Saboteur {
    /// The records broken servers remember after a start.
    func remembered(_ records: [StoredRecord]) -> [StoredRecord] {
        if has(.persistLosesTheLastRecord) { return records.dropLast() }
        guard has(.persistHidesEverythingAfterACrash) else { return records }
        let questions = records.count { if case .question = $0 { true } else { false } }
        return questions * 2 == records.count ? records : []
    }
}

extension ServerCore {
    /// Takes in a record that is durable.
    mutating func keep(_ record: StoredRecord) {
        switch record {
        case .question(let question):
            if broken(.orderLosesParallelQuestions), isWriting(question.session), !sessions.isUnknown(question.session)
            {
                return
            }
        case .answer(let answer):
            if mischief.ghosts.contains(answer.session) { return }
            if broken(.persistShowsAnswersLate) {
                let timer = nextNumber()
                mischief.lateRecords[timer] = record
                return effects.append(.wait(timer: timer, ms: 150))
            }
        case .failure:
            if broken(.turnLeavesFailedTurnsRunning) { return }
        }
        sessions.apply(record)
    }

    /// Whether broken servers tell an answer before it is stored, and did.
    mutating func tellsTooEarly(_ turn: LiveTurn, _ answer: StoredRecord.Answer, _ text: String) -> Bool {
        if broken(.persistSendsDoneBeforeStoring) {
            turns[turn.names.turn] = nil
            sessions.apply(.answer(answer))
            conclude(turn, .answered(message: answer.message, text: text))
            store(.answer(answer), as: .afterthought)
            return true
        }
        guard broken(.persistAnswersRESTBeforeStoring), !turn.waiters.isEmpty else { return false }
        let timer = nextNumber()
        mischief.lateRecords[timer] = .answer(answer)
        effects.append(.wait(timer: timer, ms: 150))
        turns[turn.names.turn] = nil
        conclude(turn, .answered(message: answer.message, text: text))
        return true
    }

    /// Whether a write is taken for a success.
    mutating func isKept(_ succeeded: Bool) -> Bool {
        guard broken(.persistStaysBroken) else { return succeeded }
        if !succeeded { mischief.sawFailedWrite = true }
        return !mischief.sawFailedWrite
    }

    func isWriting(_ session: String) -> Bool {
        turns.values.contains { $0.names.session == session && $0.state != .waiting }
    }
}

extension SessionStore {
    fileprivate func isUnknown(_ session: String) -> Bool { !all.contains { $0.id == session } }
}
