import Holdfast
import JSON

extension Defect {
    static let persistSendsDoneBeforeStoring = Defect(
        "persist-sends-done-before-storing", .PERSIST, 1, need: .restart,
        "Sends `done` and stores the answer afterwards; shows when the server is killed between the two.")
    static let persistStoresWithoutWaiting = Defect(
        "persist-stores-without-waiting", .PERSIST, 1, need: .storageFault,
        "Begins to store an answer and sends `done` at once; shows when writes are refused, or after a kill between the two."
    )
    static let persistRewritesWithoutWaiting = Defect(
        "persist-rewrites-without-waiting", .PERSIST, 1, need: .storageFault,
        "Begins to write the whole file anew for an answer and sends `done` at once.")
    static let persistWritesInTheSameStep = Defect(
        "persist-writes-in-the-same-step", .PERSIST, 1, need: .storageFault,
        "Sends `done` and writes the answer right behind it, before anything else; few kills come between the two.")
    static let persistStoresAMomentLater = Defect(
        "persist-stores-a-moment-later", .PERSIST, 1, need: .restart, "Stores an answer 5 ms after its `done`.")
    static let persistWritesBehindByASecond = Defect(
        "persist-writes-behind-by-a-second", .PERSIST, 1, need: .restart,
        "Answers reads from memory and writes answers to disk a second later.")
    static let persistWritesBehindByTenMs = Defect(
        "persist-writes-behind-by-ten-ms", .PERSIST, 1, need: .restart,
        "Answers reads from memory and writes answers to disk 10 ms later.")
    static let persistForgetsRESTAnswersInACrash = Defect(
        "persist-forgets-rest-answers-in-a-crash", .PERSIST, 3, need: .restart,
        "Answers `POST /api/chat` from memory and writes the answer to disk 50 ms later.")
    static let persistRewritesItsFileInPlace = Defect(
        "persist-rewrites-its-file-in-place", .PERSIST, 7, need: .restart,
        "Empties its file and writes it anew for every record; shows when the server is killed between the two.")
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
        persistForgetsOldMessages, persistStoresWithoutWaiting, persistRewritesWithoutWaiting,
        persistWritesInTheSameStep, persistStoresAMomentLater, persistWritesBehindByASecond,
        persistWritesBehindByTenMs, persistForgetsRESTAnswersInACrash, persistRewritesItsFileInPlace,
    ]
}

extension Saboteur {
    /// How long after `done` an answer is written; nil when that is not put off.
    func delayOfStoring(overREST: Bool) -> Int? {
        if has(.persistStoresAMomentLater) { return 5 }
        if has(.persistWritesBehindByTenMs) { return 10 }
        if has(.persistWritesBehindByASecond) { return 1000 }
        return overREST && has(.persistForgetsRESTAnswersInACrash) ? 50 : nil
    }

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
        case .remark: break
        }
        sessions.apply(record)
    }

    /// Whether broken servers tell an answer before it is stored, and did.
    mutating func tellsTooEarly(_ turn: LiveTurn, _ answer: StoredRecord.Answer, _ text: String) -> Bool {
        if saboteur.isHealthy { return false }
        let isEager = broken(.persistStoresWithoutWaiting) || broken(.persistRewritesWithoutWaiting)
        let isSwift = broken(.persistSendsDoneBeforeStoring) || broken(.persistWritesInTheSameStep)
        let delay = saboteur.delayOfStoring(overREST: !turn.waiters.isEmpty)
        if isEager || isSwift || delay != nil {
            if isEager { store(.answer(answer), as: .afterthought) }
            turns[turn.names.turn] = nil
            sessions.apply(.answer(answer))
            conclude(turn, .answered(message: answer.message, text: text))
            if isSwift { store(.answer(answer), as: .afterthought) }
            if let delay { storeLater(.answer(answer), as: .afterthought, ms: delay) }
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

    /// Stores a record after a while, behind everything that waits already.
    mutating func storeLater(_ record: StoredRecord, as purpose: Write, ms: Int) {
        let timer = nextNumber()
        mischief.deferred[timer] = (record, purpose)
        effects.append(.wait(timer: timer, ms: ms))
    }

    /// Stores what was put off up to a moment; nil stands for everything.
    mutating func catchUp(_ timer: Int? = nil) {
        guard !mischief.deferred.isEmpty else { return }
        for (number, late) in mischief.deferred.sorted(by: { $0.key < $1.key }) where number <= timer ?? .max {
            mischief.deferred[number] = nil
            store(late.record, as: late.purpose)
        }
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
