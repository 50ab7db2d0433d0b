import Holdfast
import HoldfastJSON

extension Defect {
    static let id = list {
        Defect(
            "id-acks-another-message", .ID, 9, "Names a `messageId` in `ack` that no session read shows.",
            .frames("ack") { frame, _ in frame["messageId"] = "msg_another" })
        Defect(
            "id-acks-another-session", .ID, 3, "Names a session in `ack` other than the question's.",
            .frames("ack") { frame, _ in frame["sessionId"] = "ses_another" })
        Defect(
            "id-answers-another-key", .ID, 3, "Sends `done` with a made-up `clientMessageId`.",
            .frames("done") { frame, _ in
                if frame["clientMessageId"] != nil { frame["clientMessageId"] = "another-key" }
            })
        Defect(
            "id-reuses-connection-ids", .ID, 1, "Gives every connection of a principal the same `connectionId`.",
            .sends { frame, sockets, _, server in
                guard frame.type == "connected", let socket = sockets.first else { return nil }
                var frame = frame
                frame["connectionId"] = .string("con_\(server.core.connections[socket]?.principal ?? "")")
                return [.send(to: sockets, server.outgoing(frame))]
            })
        Defect(
            "env-calls-the-connection-a-session", .ENV, 2,
            "Sends the connection id in `connected` as `sessionId`.",
            .frames("connected") { frame, _ in frame["sessionId"] = frame["connectionId"] })
        Defect(
            "id-creates-a-second-session", .ID, 2, "Creates two sessions for a question without one.",
            .answers { answer, _, _ in
                guard let listed = answer.body["sessions"]?.arrayValue else { return }
                answer.body["sessions"] = .array(
                    listed.flatMap { entry in
                        var copy = entry
                        copy["id"] = .string((entry.text("id") ?? "") + "-2")
                        copy["messageCount"] = 0
                        copy["lastMessage"] = nil
                        return [entry, copy]
                    })
            })
        Defect(
            "id-starts-a-new-session-each-time", .ID, 2, "Ignores the `sessionId` of a `chat` and creates a session.",
            .chats { asker, _ in asker.chat["sessionId"] = nil })
        Defect(
            "id-names-the-latest-session", .ID, 3, with: [.sync],
            "Sends `toolUse` and `done` with the session of the principal's latest question; needs two sessions at once.",
            .namesTheLatest("sessionId", on: "toolUse", "done"))
        Defect(
            "id-adopts-unknown-sessions", .ID, 4, "Creates a session with the unknown id that a `chat` names.",
            .chats { asker, server in
                if let id = asker.session, isSessionID(id) { server.begin(id, of: asker.principal) }
            })
        Defect(
            "id-answers-for-sessions-not-stored", .ID, 4,
            "Runs a `chat` to an unknown session without storing it; reads of the session get 404.",
            .chats { asker, server in
                guard let id = asker.session, isSessionID(id), server.core.sessions[id] == nil else { return }
                server.begin(id, of: asker.principal)
                server.notes.marks.insert("ghost \(id)")
            },
            .stores { write, record, server, _ in
                server.notes.marks.contains("ghost \(record.place.session)") ? [.store(write: write, [])] : nil
            },
            .views { session, _, server in !server.notes.marks.contains("ghost \(session.id)") })
        Defect(
            "id-accepts-any-session-id", .ID, 5, "Creates sessions with ids such as `../x`.",
            .calls { session, server in
                let known = server.notes.texts.first { $0.value == session }?.key
                guard known == nil, !session.isEmpty, !isSessionID(session) else { return known ?? session }
                let name = server.core.ids.next("ses")
                server.notes.texts[name] = session
                return name
            } outside: { text, server in
                server.notes.texts.reduce(text) {
                    $0.replacing($1.key, with: JSONValue.string($1.value).text().dropFirst().dropLast())
                }
            },
            .chats { asker, server in
                if let id = asker.session, server.notes.texts[id] != nil { server.begin(id, of: asker.principal) }
            })
        Defect(
            "id-keeps-what-it-refuses", .ID, 6, "Refuses a malformed session id and still creates a session.",
            .refusing(.badRequest) { frame, socket, _, server in
                if frame.text("error")?.hasPrefix("'sessionId' has to match") == true,
                    let principal = server.core.connections[socket]?.principal
                {
                    server.invent("refused", of: principal)
                }
                return nil
            })
        Defect(
            "id-names-sessions-with-colons", .ID, 7, "Uses session ids such as `ses:…`.",
            .calls { session, _ in
                session.hasPrefix("ses:") ? "ses_" + session.dropFirst(4) : session
            } outside: { text, _ in
                text.replacing("\"ses_", with: "\"ses:")
            })
        Defect(
            "id-leaves-the-turn-out-of-tool-use", .ID, 3, "Sends `toolUse` without `turnId`.",
            .omits("turnId", from: "toolUse"))
        Defect(
            "id-reuses-the-questions-id", .ID, 8, "Gives an answer the `messageId` of its question.",
            .frames("done") { frame, server in
                frame["messageId"] = server.question(of: frame).map(JSONValue.string)
            },
            .shows { session, _, _ in
                let questions = Dictionary(session.turns.map { ($0.id, $0.question) }) { $1 }
                session.messages = session.messages.map { message in
                    message.role == "user" ? message : message.renamed(questions[message.turn])
                }
            },
            .answers { answer, _, server in
                if answer.body["messageId"] != nil {
                    answer.body["messageId"] = server.question(of: answer.body).map(JSONValue.string)
                }
            })
        Defect(
            "id-ignores-the-case-of-keys", .ID, 2,
            "Treats keys that differ only in case as equal.",
            .chats { asker, server in
                guard let key = asker.key, server.entry(of: asker) == nil else { return }
                let name = "folds \(asker.principal) \(key.lowercased())"
                if let entry = server.notes.texts[name].flatMap({ server.core.ledger.entry($0, of: asker.principal) }) {
                    server.core.ledger.record(entry, under: key, of: asker.principal)
                } else {
                    server.notes.texts[name] = key
                }
            })
        Defect(
            "id-leaves-the-session-out-of-errors", .ID, 3,
            "Ends a failed turn with an `error` that names no session.",
            .omits("sessionId", from: "error") { $0["turnId"] != nil })
        Defect(
            "id-leaves-the-session-out-of-tool-use", .ID, 3, "Sends `toolUse` without `sessionId`.",
            .omits("sessionId", from: "toolUse"))
    }
}

extension FaultyCore {
    mutating func begin(_ session: String, of principal: String) {
        guard core.sessions[session] == nil else { return }
        let now = core.now.wall
        core.sessions[session] = .init(id: session, owner: principal, createdAt: now, updatedAt: now, title: "")
    }

    fileprivate func question(of frame: JSONValue) -> String? {
        session(of: frame)?.turns.last { $0.id == frame.text("turnId") }?.question
    }
}

extension SessionStore.Message {
    /// The same message with another id; nil keeps it.
    func renamed(_ id: String?) -> SessionStore.Message {
        SessionStore.Message(id: id ?? self.id, role: role, content: content, at: at, turn: turn, key: key)
    }
}

extension Fault {
    /// Renames sessions at the boundary: ids that come in, and core ids in outgoing text.
    fileprivate static func calls(
        inside: @escaping @Sendable (String, inout FaultyCore) -> String,
        outside: @escaping @Sendable (String, FaultyCore) -> String
    ) -> Fault {
        .layer { input, server, next in
            var input = input
            if case .asked(let request, var asked) = input, let name = asked.path.split(separator: "/").last,
                asked.path.hasPrefix("/api/sessions/")
            {
                asked.path = "/api/sessions/" + inside(String(name), &server)
                input = .asked(request: request, asked)
            } else if let asker = server.asker(in: input), let session = asker.session {
                var chat = asker.chat
                chat["sessionId"] = .string(inside(session, &server))
                input = input.asking(chat)
            }
            return next(input, &server).map { effect in
                switch effect {
                case .send(let sockets, var outgoing):
                    outgoing.text = outside(outgoing.text, server)
                    return .send(to: sockets, outgoing)
                case .answer(let request, var answer):
                    answer.body = outside(answer.body, server)
                    return .answer(request: request, answer)
                case .push(let device, var notice):
                    notice.payload = outside(notice.payload, server)
                    return .push(device: device, notice)
                default: return effect
                }
            }
        }
    }

    /// Copies an id member of the principal's latest question into frames of other turns, live and replayed.
    static func namesTheLatest(_ name: String, on types: String...) -> Fault {
        frames { frame, server in
            guard let principal = server.session(of: frame)?.owner, let turn = frame.text("turnId") else { return }
            if frame.type == "message" {
                server.notes.texts["latest \(principal)"] = frame.text(name)
            } else if types.contains(frame.type), let seq = frame["seq"] {
                let latest = server.notes.texts["\(turn) \(seq.text())"] ?? server.notes.texts["latest \(principal)"]
                server.notes.texts["\(turn) \(seq.text())"] = latest
                frame[name] = latest.map(JSONValue.string)
            }
        }
    }
}
