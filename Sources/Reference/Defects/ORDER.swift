import Holdfast
import HoldfastJSON

extension Defect {
    static let order = list {
        Defect(
            "order-lists-answers-first", .ORDER, 1, "Shows every answer before its question in session reads.",
            .shows { session, _, _ in
                for (position, message) in session.messages.enumerated() where message.role == "assistant" {
                    let earlier = session.messages[..<position]
                    guard let question = earlier.firstIndex(where: { $0.turn == message.turn }) else { continue }
                    session.messages.insert(session.messages.remove(at: position), at: question)
                }
            })
        Defect(
            "order-lists-waiting-questions-backwards", .ORDER, 1,
            "Lists consecutive questions without an answer between them in reverse; needs chats sent at once.",
            .shows { session, _, _ in
                session.messages = session.messages.reduce(into: [[SessionStore.Message]]()) { runs, message in
                    if message.role == "user", runs.last?.last?.role == "user" {
                        runs[runs.count - 1].insert(message, at: 0)
                    } else {
                        runs.append([message])
                    }
                }.flatMap { $0 }
            })
        Defect(
            "order-lists-questions-first", .ORDER, 1,
            "Lists all questions of a session before its answers.",
            .shows { session, _, _ in
                session.messages =
                    session.messages.filter { $0.role == "user" } + session.messages.filter { $0.role != "user" }
            })
        Defect(
            "order-interleaves-turns", .ORDER, 2, "Runs turns of one session in parallel.",
            .layer { input, server, next in
                var effects = next(input, &server)
                guard !server.core.isStopping else { return effects }
                for (id, turn) in server.core.turns.sorted(by: { $0.value.chargedAt < $1.value.chargedAt })
                where turn.state == .waiting {
                    effects += server.collecting { $0.start(id) }
                }
                return effects
            })
        Defect(
            "order-runs-the-newest-question-first", .ORDER, 2,
            "Runs queued questions of a session newest first; needs three chats sent at once.",
            .layer { input, server, next in
                func waiting(_ server: FaultyCore) -> [String: LiveTurn] {
                    server.core.turns.filter { $0.value.state == .waiting }
                }
                let before = waiting(server)
                let effects = next(input, &server)
                for new in waiting(server).values where before[new.names.turn] == nil {
                    let older = before.values.filter { $0.names.session == new.names.session }
                    for turn in older.sorted(by: { $0.chargedAt > $1.chargedAt }) {
                        _ = server.core.queue.leave(turn.names.turn, session: turn.names.session)
                        _ = server.core.queue.enter(turn.names.turn, session: turn.names.session)
                    }
                }
                return effects
            })
        Defect(
            "order-numbers-each-session", .ORDER, 3, "Counts `seq` separately for each session; needs two sessions.",
            .frames { frame, server in
                guard let session = frame.text("sessionId"), let seq = frame["seq"]?.intValue else { return }
                let number = server.notes.numbers["\(session) \(seq)"] ?? server.notes.numbers[session, default: 0] + 1
                server.notes.numbers["\(session) \(seq)"] = number
                server.notes.numbers[session] = max(number, server.notes.numbers[session, default: 0])
                frame["seq"] = JSONValue(number)
            })
        Defect(
            "order-loses-parallel-questions", .ORDER, 4,
            "Loses a question stored during another write of its session; needs chats sent at once.",
            .outcomes { write, succeeded, server in
                guard case .question(let question) = write else { return succeeded }
                let isWriting = server.core.turns.values.contains {
                    $0.names.session == question.names.session && $0.state != .waiting
                }
                if isWriting, server.core.sessions[question.names.session] != nil {
                    server.notes.marks.insert("lost \(question.names.turn)")
                }
                return succeeded
            },
            .shows { session, _, server in
                session.messages.removeAll { $0.role == "user" && server.notes.marks.contains("lost \($0.turn)") }
                session.turns.removeAll { server.notes.marks.contains("lost \($0.id)") }
            })
        Defect(
            "order-runs-one-turn-at-a-time", .ORDER, 5, "Runs all turns of all sessions one at a time.",
            .rules { $0.sharesOneQueue = true })
        Defect(
            "id-mixes-turns", .ID, 3, with: [.sync],
            "Sends every `done` with the `turnId` of the principal's latest question; needs two turns at once.",
            .namesTheLatest("turnId", on: "done"))
        Defect(
            "order-leaves-tools-unnumbered", .ORDER, 6, "Sends `toolUse` without `seq`.",
            .omits("seq", from: "toolUse"))
        Defect(
            "env-numbers-acks", .ENV, 2, "Sends a `seq` with every `ack`.",
            .frames("ack") { frame, _ in frame["seq"] = 1 })
        Defect(
            "order-renumbers-for-second-devices", .ORDER, 7,
            "Adds 1,000,000 to every `seq` on all but the oldest connection of a principal.",
            .sends { frame, sockets, _, server in
                guard let seq = frame["seq"]?.intValue else { return nil }
                var other = frame
                other["seq"] = JSONValue(seq + 1_000_000)
                let oldest = server.listeners(to: frame).first
                return sockets.map { server.sending($0 == oldest ? frame : other, to: $0) }
            })
        Defect(
            "order-swaps-frames-in-a-crowd", .ORDER, 3, need: .load,
            "Sends `toolUse` after the frame that follows it while more than 20 principals are connected.",
            .sends { frame, sockets, _, server in
                guard frame["seq"] != nil, let principal = server.principal(sockets) else { return nil }
                let sent: [Effect] = [.send(to: sockets, server.outgoing(frame))]
                if let held = server.notes.held.removeValue(forKey: "swapped \(principal)") { return sent + held }
                guard frame.type == "toolUse", server.isUnderLoad else { return nil }
                server.notes.held["swapped \(principal)"] = sent
                return []
            })
        Defect(
            "order-numbers-from-zero", .ORDER, 3, "Starts each stream with `seq` 0.",
            .frames { frame, _ in frame["seq"] = frame["seq"]?.intValue.map { JSONValue($0 - 1) } })
    }
}
