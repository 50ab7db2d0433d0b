import Holdfast
import HoldfastJSON

extension Defect {
    static let rest = list {
        Defect(
            "rest-writes-times-as-numbers", .REST, 1, "Writes `updatedAt` in the session list as a number.",
            .answers { answer, _, _ in answer.eachListed { $0["updatedAt"] = 1_772_000_000 } })
        Defect(
            "rest-labels-errors-as-html", .REST, 2, "Sends errors with media type `text/html`.",
            .answers { answer, _, _ in
                if answer.status >= 400, answer.body["turnId"] == nil { answer.headers["Content-Type"] = "text/html" }
            })
        Defect(
            "rest-lists-oldest-first", .REST, 3, "Lists the oldest session first; needs two sessions.",
            .answers { answer, _, _ in
                if let listed = answer.body["sessions"]?.arrayValue {
                    answer.body["sessions"] = .array(listed.reversed())
                }
            })
        Defect(
            "rest-lists-sessions-late", .REST, 4, "Omits a session from the list while one of its turns runs.",
            .views { session, reading, _ in
                reading.session != nil || session.turns.allSatisfy { $0.ending != nil }
            })
        Defect(
            "rest-counts-half", .REST, 5, "Lists half of the actual `messageCount`.",
            .answers { answer, _, _ in
                answer.eachListed { $0["messageCount"] = JSONValue(($0["messageCount"]?.intValue ?? 0) / 2) }
            })
        Defect(
            "id-gives-answers-other-ids", .ID, 8,
            "Shows answers under an id other than the one in `done`.",
            .shows { session, _, _ in
                session.messages = session.messages.map { $0.role == "user" ? $0 : $0.renamed($0.id + "-r") }
            })
        Defect(
            "rest-leaves-questions-unanswered", .REST, 8,
            "Does not answer `POST /api/chat` if a connection of the principal receives the ending.",
            .answers { answer, asked, server in
                guard asked.method == "POST", answer.status == 200,
                    let owner = answer.body.text("sessionId").flatMap({ server.core.sessions[$0] })?.owner
                else { return }
                answer.isWithheld = !server.core.connections.sockets(of: owner).isEmpty
            })
        Defect(
            "turn-shows-running-turns-as-done", .TURN, 7,
            "Shows a running turn as `done` in session reads.",
            .answers { answer, _, _ in
                answer.each("turns") { turn in if turn.text("status") == "running" { turn["status"] = "done" } }
            })
        Defect(
            "turn-shows-turns-in-line-as-failed", .TURN, 7,
            "Shows a turn that waits for another one as `failed` in session reads.",
            .answers { answer, _, _ in
                var isFirst = true
                answer.each("turns") { turn in
                    guard turn.text("status") == "running" else { return }
                    if !isFirst { turn["status"] = "failed" }
                    isFirst = false
                }
            })
        Defect(
            "id-shows-unknown-sessions-empty", .ID, 4,
            "Answers the read of an unknown session with an empty one.",
            .input { input, server, next in
                guard let reading = Fault.Reading(input, server.core.rules), let id = reading.session,
                    isSessionID(id), server.core.sessions[id] == nil
                else { return next(input, &server) }
                server.begin(id, of: reading.principal)
                defer { server.core.sessions[id] = nil }
                return next(input, &server)
            })
        Defect(
            "id-fails-on-unknown-sessions", .ID, 4, "Answers a POST to an unknown session with 500.",
            .answers { answer, asked, _ in
                let isUnknown = answer.body.text("code") == ErrorCode.sessionNotFound.rawValue
                if isUnknown, asked.method == "POST" { answer.status = 500 }
            })
        Defect(
            "env-calls-bad-bodies-its-own-fault", .ENV, 3, "Answers an invalid body with 500.",
            .answers { answer, _, _ in if answer.status == 400 { answer.status = 500 } })
        Defect(
            "rest-answers-failures-with-200", .REST, 8, "Answers a POST whose turn failed with 200.",
            .answers { answer, _, _ in if answer.body["turnId"] != nil { answer.status = 200 } })
        Defect(
            "rest-names-no-failed-turn", .REST, 8,
            "Answers a POST whose turn failed without the turn's id.",
            .answers { answer, _, _ in if answer.status >= 500 { answer.body["turnId"] = nil } })
        Defect(
            "env-shortens-answers", .ENV, 6, "Omits the last character of the text in the response to a POST.",
            .answers { answer, _, _ in
                if let text = answer.body.text("text") { answer.body["text"] = .string(String(text.dropLast())) }
            })
        Defect(
            "persist-forgets-reads-of-running-turns", .PERSIST, 7,
            "Never answers the read of a session while one of its turns runs.",
            .answers { answer, _, server in
                answer.isWithheld = server.isRunning(answer.body["session"]?.text("id"))
            })
        Defect(
            "rest-cuts-inside-characters", .REST, 6,
            "Cuts `lastMessage` after 100 code points, even within a flag emoji.",
            .answers { answer, _, server in
                answer.eachListed { entry in
                    guard let text = server.lastMessage(of: entry), text.unicodeScalars.count > 100 else { return }
                    entry["lastMessage"] = .string(String(String.UnicodeScalarView(text.unicodeScalars.prefix(100))))
                }
            })
        Defect(
            "rest-asks-health-for-a-token", .REST, 7,
            "Answers `GET /api/health` without a token with 401 or 404.",
            .requests { asked, _ in
                if asked.path == "/api/health", asked.token == nil { asked.path = "/api/health/" }
            })
        Defect(
            "env-takes-half-of-a-frame", .ENV, 7,
            "Refuses a body of more than half of `maxFrameBytes` as too large.",
            .requests { asked, server in
                let limit = server.core.rules.maxFrameBytes
                if asked.body.count > limit / 2 {
                    asked.body += Array(repeating: UInt8(ascii: " "), count: max(0, limit + 1 - asked.body.count))
                }
            })
        Defect(
            "env-calls-a-large-body-bad", .ENV, 8, "Answers a body over the limit with 400 and `bad_request`.",
            .answers { answer, _, _ in
                guard answer.status == 413 else { return }
                answer.status = 400
                answer.body["code"] = "bad_request"
            })
        Defect(
            "id-shows-its-index-as-a-session", .ID, 4,
            "Answers the read of the session `index` with the list of sessions.",
            .requests { asked, _ in if asked.path == index { asked.path = "/api/sessions" } },
            .answers { answer, asked, _ in
                guard asked.path == index, let listed = answer.body["sessions"] else { return }
                answer.body = ["session": ["sessions": listed, "version": 1]]
            })
        Defect(
            "rest-leaves-messages-nameless", .REST, 1, "Omits `id` from messages in session reads.",
            .answers { answer, _, _ in answer.each("messages") { $0["id"] = nil } })
    }

    private static let index = "/api/sessions/index"
}
