import Holdfast
import HoldfastJSON
import HoldfastPlatform

extension Defect {
    static let persist = list {
        Defect(
            "persist-hides-why-it-refused", .PERSIST, 3, need: .storageFault,
            "Refuses a question that it could not store with `internal`.",
            .frames("error") { frame, _ in
                guard frame.isRefusal, frame.text("code") == ErrorCode.persistFailed.rawValue else { return }
                frame["code"] = .string(ErrorCode.internal.rawValue)
            })
        Defect(
            "persist-sends-done-before-storing", .PERSIST, 1, need: .restart,
            "Sends `done` and stores the answer afterward; needs a kill between the two.",
            .storesLate { record, _ in record.isAnswer ? 0 : nil })
        Defect(
            "persist-shows-answers-late", .PERSIST, 2, "Shows an answer in reads 150 ms after its `done`.",
            .delaysReads { _, _ in true }, .hidesAnswers)
        Defect(
            "persist-answers-rest-before-storing", .PERSIST, 2,
            "Answers `POST /api/chat` 150 ms before it stores the answer.",
            .storesLate { record, server in record.isAnswer && server.isAwaited(record.place.turn) ? 150 : nil },
            .delaysReads { turn, server in server.isAwaited(turn) }, .hidesAnswers)
        Defect(
            "persist-sends-done-when-storing-fails", .PERSIST, 1, need: .storageFault,
            "Sends `done` although the answer could not be stored.",
            .outcomes { write, succeeded, _ in
                guard case .ending(let ending) = write else { return succeeded }
                return StoredRecord.ending(ending).isAnswer || succeeded
            })
        Defect(
            "persist-goes-silent-when-storing-fails", .PERSIST, 3, need: .storageFault, with: [.sync],
            "Sends nothing when an answer could not be stored.", .swallowsFailures(.persistFailed))
        Defect(
            "persist-stays-broken", .PERSIST, 4, need: .storageFault,
            "Accepts no more questions after a failed write.",
            .outcomes { _, succeeded, server in
                if !succeeded { server.notes.marks.insert("failed") }
                return !server.notes.marks.contains("failed")
            })
        Defect(
            "persist-loses-the-last-record", .PERSIST, 5, need: .restart, "Loses the newest record at every start.",
            .records { records in records = records.dropLast() })
        Defect(
            "persist-hides-everything-after-a-crash", .PERSIST, 6, need: .restart,
            "Starts empty if the end of the process interrupted a turn.",
            .records { records in
                let questions = records.count { if case .question = $0 { true } else { false } }
                if questions * 2 != records.count { records = [] }
            })
        Defect(
            "persist-tears-reads-while-writing", .PERSIST, 7,
            "Answers reads of a session with 500 while one of its turns runs.",
            .answers { answer, asked, server in
                guard asked.path.hasPrefix("/api/sessions/"), server.isRunning(answer.body["session"]?.text("id"))
                else { return }
                answer.status = 500
                answer.body = Frames.body(Refusal(.internal, "the session is being written"))
            })
        Defect(
            "persist-forgets-old-messages", .PERSIST, 5, "Shows only the newest four messages of a session.",
            .shows { session, reading, _ in
                session.messages = session.messages.suffix(4)
            })
        Defect(
            "persist-stores-without-waiting", .PERSIST, 1, need: .storageFault,
            "Starts to store an answer and sends `done` at once; needs failing writes, or a kill between the two.",
            .storesWithoutWaiting)
        Defect(
            "persist-rewrites-without-waiting", .PERSIST, 1, need: .storageFault,
            "Starts to rewrite the whole file for an answer and sends `done` at once.", .storesWithoutWaiting,
            .rewritesItsFile(pausing: 0))
        Defect(
            "persist-writes-in-the-same-step", .PERSIST, 1, need: .storageFault,
            "Sends `done` and writes the answer right afterward; few kills come between the two.",
            .storesLate { record, _ in record.isAnswer ? 0 : nil }, .disk { $0.writesAtOnce = true })
        Defect(
            "persist-stores-a-moment-later", .PERSIST, 1, need: .restart, "Stores an answer 5 ms after its `done`.",
            .storesLate { record, _ in record.isAnswer ? 5 : nil })
        Defect(
            "persist-writes-behind-by-a-second", .PERSIST, 1, need: .restart,
            "Answers reads from memory and writes answers to disk a second later.",
            .storesLate { record, _ in record.isAnswer ? 1000 : nil })
        Defect(
            "persist-writes-behind-by-ten-ms", .PERSIST, 1, need: .restart,
            "Answers reads from memory and writes answers to disk 10 ms later.",
            .storesLate { record, _ in record.isAnswer ? 10 : nil })
        Defect(
            "persist-forgets-rest-answers-in-a-crash", .PERSIST, 1, need: .restart,
            "Answers `POST /api/chat` from memory and writes the answer to disk 50 ms later.",
            .storesLate { record, server in record.isAnswer && server.isAwaited(record.place.turn) ? 50 : nil })
        Defect(
            "persist-rewrites-its-file-in-place", .PERSIST, 5, need: .restart,
            "Truncates and rewrites its file for every record; needs a kill between the two.",
            .rewritesItsFile(pausing: 8))
    }
}

extension StoredRecord {
    fileprivate var isAnswer: Bool { answer != nil }

    var answer: (turn: String, session: String, message: String, text: String)? {
        guard case .ending(let it) = self, case .answered(let message, let text) = it.ending else { return nil }
        return (it.turn, it.session, message, text)
    }

    var place: (session: String, turn: String) {
        switch self {
        case .question(let post), .remark(let post): (post.names.session, post.names.turn)
        case .ending(let ending): (ending.session, ending.turn)
        }
    }
}

extension FaultyCore {
    func isAwaited(_ turn: String) -> Bool { core.turns[turn]?.waiters.isEmpty == false }
}

extension Fault {
    /// Starts to store an answer, and does not wait for the result.
    fileprivate static let storesWithoutWaiting = stores { write, record, server, next in
        guard record.isAnswer else { return nil }
        return [.store(write: write, [record])] + next(.stored(write: write, succeeded: true), &server)
    }

    /// Records when some answers become visible in reads: 150 ms after they were announced.
    fileprivate static func delaysReads(
        of condition: @escaping @Sendable (_ turn: String, FaultyCore) -> Bool
    ) -> Fault {
        outcomes { write, succeeded, server in
            if case .ending(let ending) = write, condition(ending.turn, server) {
                server.notes.numbers["shown \(ending.turn)"] = server.core.now.steady + 150_000
            }
            return succeeded
        }
    }

    fileprivate static let hidesAnswers = shows { session, _, server in
        for (position, turn) in session.turns.enumerated() {
            guard let time = server.notes.numbers["shown \(turn.id)"], server.core.now.steady < time else { continue }
            session.messages.removeAll { $0.turn == turn.id && $0.role == "assistant" }
            session.turns[position].ending = nil
        }
    }

    /// Empties its file before each write, pauses, and rewrites the contents.
    fileprivate static func rewritesItsFile(pausing milliseconds: UInt32) -> Fault {
        .disk { $0.beforeWriting = { RewrittenFile.rewrite($0, pausing: milliseconds) } }
    }
}

enum RewrittenFile {
    /// The contents of each file, kept in case the disk refuses this rewrite.
    private static let contents = Mutex<[String: [UInt8]]>([:])

    static func rewrite(_ path: String, pausing milliseconds: UInt32) {
        guard let file = try? Descriptor(opening: path, for: .updating) else { return }
        defer { file.close() }
        let content = contents.withLock { contents in
            let found = (try? file.read(file.length(), at: 0)) ?? []
            let content = contents[path].map { found.starts(with: $0) ? found : $0 } ?? found
            contents[path] = content
            return content
        }
        try? file.truncate(to: 0)
        Processes.pause(microseconds: milliseconds * 1000)
        try? file.writeAll(content, at: 0)
        try? file.synchronize()
    }
}
