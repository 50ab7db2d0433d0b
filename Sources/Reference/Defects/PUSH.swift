import Holdfast
import HoldfastJSON

extension Defect {
    static let push = list {
        Defect(
            "push-forgets-those-who-left", .PUSH, 1,
            "Sends pushes only while a connection can receive the answer.",
            .layer { input, server, next in
                next(input, &server).flatMap { effect -> [Effect] in
                    switch effect {
                    case .push(let device, let notice):
                        guard server.core.connections.sockets(of: notice.principal).isEmpty else { return [effect] }
                        return next(.pushed(turn: notice.turn, device: device, .accepted), &server)
                    case .send(let sockets, let outgoing) where outgoing.frame.isAnswer && !sockets.isEmpty:
                        return [effect] + server.announcing(outgoing.frame)
                    default: return [effect]
                    }
                }
            })
        Defect(
            "persist-pushes-before-storing", .PERSIST, 1, "Sends the push a second before it stores the answer.",
            .stores { write, record, server, _ in
                guard let answer = record.answer, let turn = server.core.turns[answer.turn],
                    server.core.connections.sockets(of: turn.principal).isEmpty,
                    server.notes.marks.insert("told \(answer.turn)").inserted
                else { return nil }
                let notice = server.core.notice(
                    answer.text, of: turn.principal, in: answer.session, message: answer.message, turn: answer.turn)
                let devices = server.core.rules.devices[turn.principal] ?? []
                return devices.map { .push(device: $0, notice) }
                    + server.delaying([.store(write: write, [record])], ms: 1000)
            },
            .layer { input, server, next in
                next(input, &server).flatMap { effect -> [Effect] in
                    guard case .push(let device, let notice) = effect,
                        server.notes.marks.contains("told \(notice.turn)")
                    else { return [effect] }
                    // The core would announce it now, for the second time.
                    return next(.pushed(turn: notice.turn, device: device, .accepted), &server)
                }
            })
        Defect(
            "push-names-no-message", .PUSH, 2, "Sends pushes without `messageId`.",
            .notices { notice, _ in notice.payload["messageId"] = nil })
        Defect(
            "push-names-the-question", .PUSH, 2, "Sends the question's id as `messageId` of a push.",
            .notices { notice, _ in notice.payload["messageId"] = .string(notice.question) })
        Defect(
            "push-names-no-session", .PUSH, 2, "Sends pushes without `sessionId`.",
            .notices { notice, _ in notice.payload["sessionId"] = nil })
        Defect(
            "push-forgets-its-type", .PUSH, 2, "Sends no `apns-push-type`.",
            .notices { notice, _ in notice.headers["apns-push-type"] = nil })
        Defect(
            "push-carries-the-whole-answer", .PUSH, 2, "Adds the whole answer to the payload, whatever its size.",
            .notices { notice, _ in notice.payload["text"] = .string(notice.answer) })
        Defect(
            "push-threads-by-app", .PUSH, 2, "Sets the same `thread-id` for all sessions.",
            .notices { notice, _ in notice[aps: "thread-id"] = "answers" })
        Defect(
            "push-has-no-thread", .PUSH, 2, "Sends pushes without `thread-id`.",
            .notices { notice, _ in notice[aps: "thread-id"] = nil })
        Defect(
            "push-collapses-by-long-names", .PUSH, 2, "Joins session, turn and message ids to an `apns-collapse-id`.",
            .notices { notice, _ in
                let names = ["sessionId", "turnId", "messageId"].map { notice.payload.text($0) ?? "" }
                notice.headers["apns-collapse-id"] = names.joined(separator: ".")
            })
        Defect(
            "push-shows-too-much", .PUSH, 3, "Shows 201 characters of a longer answer.",
            .cutsBodies { String($0.prefix(201)) })
        cutsSurrogates(at: 60)
        cutsSurrogates(at: 100)
        cutsSurrogates(at: 200)
        Defect(
            "push-cuts-clusters", .PUSH, 3,
            "Cuts the body after 199 Unicode scalars, even within a grapheme cluster.",
            .cutsBodies { text in
                guard text.unicodeScalars.count > 199 else { return text }
                return String(String.UnicodeScalarView(text.unicodeScalars.prefix(199))) + "…"
            })
        Defect(
            "push-cuts-bytes", .PUSH, 3, "Cuts the body after 200 bytes, even within a character.",
            .cutsBodies { String(decoding: $0.utf8.prefix(200), as: UTF8.self) })
        Defect(
            "push-announces-repeats", .PUSH, 4, "Sends the push again when a finished question is repeated.",
            .after("done") { frame, _, _, server in frame["duplicate"] == true ? server.announcing(frame) : [] })
        Defect(
            "push-announces-replays", .PUSH, 4, "Sends the push again when its `done` is replayed.",
            .after("syncResult") { frame, _, _, server in
                (frame["missed"]?.arrayValue ?? []).filter { $0.type == "done" }.flatMap { server.announcing($0) }
            })
        Defect(
            "push-announces-again-after-restart", .PUSH, 4, need: .restart,
            "Sends the push of each session's newest answer again after a start.",
            .input { input, server, next in
                let effects = next(input, &server)
                guard case .started = input else { return effects }
                return effects
                    + server.core.sessions.all.sorted { $0.id < $1.id }.flatMap { session -> [Effect] in
                        guard let turn = session.turns.last, let ending = turn.ending else { return [] }
                        let frame = Frames.ending(ending, of: session.names(of: turn))
                        return frame.isAnswer ? server.announcing(frame) : []
                    }
            })
        Defect(
            "push-sends-twice", .PUSH, 4, "Sends each push twice.",
            .effects { effect, _, server in
                guard case .push(let device, let notice) = effect,
                    server.notes.marks.insert("twice \(device) \(notice.turn)").inserted
                else { return nil }
                _ = server.core.outbox.add(notice, for: device)
                return nil
            })
        Defect(
            "push-drops-devices-on-any-400", .PUSH, 5, "Forgets a device after a 400 for any reason.",
            .takesOutcomes { outcome in
                if case .answered(400, _) = outcome { .gone } else { outcome }
            })
        Defect(
            "push-drops-devices-on-any-refusal", .PUSH, 5, "Forgets a device after any refusal.",
            .takesOutcomes { outcome in
                if case .answered(300..., _) = outcome { .gone } else { outcome }
            })
        Defect(
            "push-keeps-gone-devices", .PUSH, 6, "Keeps sending to a device that is gone.",
            .takesOutcomes { $0.endsTheDevice ? .accepted : $0 })
        Defect(
            "push-holds-up-the-turn", .PUSH, 7,
            "Starts the next turn of a session only after the push service answered.",
            .rules { $0.pushSeconds = 600 },
            .layer { input, server, next in
                var effects = next(input, &server)
                for case .push(_, let notice) in effects {
                    let session = (try? JSONParser.value(notice.payload))?.text("sessionId") ?? ""
                    if server.notes.texts.updateValue(session, forKey: notice.turn) == nil {
                        _ = server.core.queue.enter("push of \(notice.turn)", session: session)
                    }
                }
                if case .pushed(let turn, _, _) = input, let session = server.notes.texts.removeValue(forKey: turn) {
                    effects += server.collecting { $0.dequeue("push of \(turn)", session) }
                }
                return effects
            })
        Defect(
            "persist-pushes-what-it-could-not-store", .PERSIST, 1, need: .storageFault,
            "Sends the push for an answer that could not be stored.",
            .input { input, server, next in
                guard case .stored(let write, false) = input,
                    case .ending(let ending)? = server.core.writes[write],
                    let answer = StoredRecord.ending(ending).answer, let turn = server.core.turns[answer.turn],
                    server.core.connections.sockets(of: turn.principal).isEmpty
                else { return next(input, &server) }
                return server.collecting {
                    $0.push(turn.names, of: turn.principal, message: answer.message, text: answer.text)
                } + next(input, &server)
            })
        Defect(
            "push-titles-are-ids", .PUSH, 8, "Uses the session id as title.",
            .notices { notice, _ in notice[alert: "title"] = notice.payload["sessionId"] })
        Defect(
            "push-writes-half-an-emoji", .PUSH, 3,
            "Cuts the body after 200 UTF-16 code units and escapes half a surrogate pair.",
            .notices { notice, _ in
                notice[alert: "body"] = .string(HalfEmoji.cut(notice.answer, afterUnits: 200))
                notice.writes = HalfEmoji.written
            })
        Defect(
            "push-trusts-open-sockets", .PUSH, 1,
            "Treats an answer as seen if a socket was open, whatever happens to the socket.",
            .input { input, server, next in
                if case .ended = input { server.core.maybeUnseen = [] }
                return next(input, &server)
            })
        Defect(
            "auth-calls-everybody", .AUTH, 6, "Sends each push to the devices of all principals; needs two.",
            .effects { effect, _, server in
                guard case .push(_, let notice) = effect, server.notes.marks.insert("all \(notice.turn)").inserted
                else { return nil }
                let others = server.core.rules.devices.filter { $0.key != notice.principal }.values.joined().sorted()
                let more = others.filter { server.core.outbox.add(notice, for: $0) }
                return [effect] + more.map { .push(device: $0, notice) }
            })
    }

    private static func cutsSurrogates(at limit: Int) -> Defect {
        Defect(
            "push-cuts-surrogates-at-\(limit)", .PUSH, 3,
            "Cuts the body after \(limit) UTF-16 code units, even within a surrogate pair.",
            .cutsBodies { String(decoding: Array($0.utf16.prefix(limit)), as: UTF16.self) })
    }
}

extension JSONValue {
    /// Whether it is a turn's original `done`, and not a copy.
    fileprivate var isAnswer: Bool { type == "done" && self["duplicate"] == nil }
}

extension PushOutcome {
    fileprivate static let accepted = PushOutcome.answered(status: 200, reason: nil)
    fileprivate static let gone = PushOutcome.answered(status: 410, reason: nil)
}

extension Fault {
    fileprivate static func cutsBodies(_ cut: @escaping @Sendable (String) -> String) -> Fault {
        notices { notice, _ in notice[alert: "body"] = .string(cut(notice.answer)) }
    }

    fileprivate static func takesOutcomes(_ change: @escaping @Sendable (PushOutcome) -> PushOutcome) -> Fault {
        .layer { input, server, next in
            guard case .pushed(let turn, let device, let outcome) = input else { return next(input, &server) }
            return next(.pushed(turn: turn, device: device, change(outcome)), &server)
        }
    }
}
