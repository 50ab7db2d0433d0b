import Holdfast
import HoldfastJSON
import HoldfastJudge
import HoldfastTranscript
import TestSupport
import Testing

/// What real servers do wrong, in their own words, and the clause that reports it.
@Suite struct DialectJudgingTests {
    private func outcome(_ clause: String, of history: WireHistory) throws -> Outcome? {
        try history.verdicts()[clause]?.outcome
    }

    private func broken(_ history: WireHistory) throws -> [String] {
        try history.verdicts().filter { $0.value.outcome == .violation && !$0.value.isUnkeepable }.keys.sorted()
    }

    // MARK: nami

    @Test func `ENV-3 a text message null ends the process`() throws {
        let before = "A open\nB open\nA> null\n"
        let dead = try WireHistory(before + "A eof\nB eof\nC refused", dialect: "nami")
        #expect(try dead.clauses(.violation).isSuperset(of: ["ENV-3", "ENV-5"]))
        // That an error has no code excuses no end, also not beside an answer that it does excuse.
        let wordless = "A> null\nA< {\"type\":\"error\",\"error\":\"no object\"}\n"
        func verdict(_ text: String) throws -> Verdict? {
            try WireHistory(text, dialect: "nami").verdicts()["ENV-3"]
        }
        #expect(try verdict("A open\n" + wordless)?.isUnkeepable == true)
        for text in ["A open\nA> null\nA eof", "A open\n\(wordless)A> null\nA eof\nserver exit"] {
            let verdict = try #require(try verdict(text))
            #expect(verdict.outcome == .violation && !verdict.isUnkeepable && verdict.remarks.isEmpty)
            #expect(verdict.findings.first?.events.contains { $0 >= 3 } == true, "\(verdict.findings)")
        }
        let alive = try WireHistory(
            before + """
                A< {"type":"error","error":"no object","code":"bad_request"}
                A> {"type":"ping"}
                A< {"type":"pong"}
                B> {"type":"ping"}
                B< {"type":"pong"}
                """, dialect: "nami")
        let aliveBroken = try broken(alive)
        #expect(aliveBroken == [])
        #expect(try alive.clauses(.pass).isSuperset(of: ["ENV-3", "ENV-5"]))
    }

    @Test func `ID-4 a lack of the wire excuses no question that was taken`() throws {
        let asked = """
            A open
            1> GET /api/sessions/ffffffff
            1< 404 {"error":"Session not found","code":404}
            A> {"type":"chat","sessionId":"ffffffff","messages":[{"role":"user","content":"hi"}]}

            """
        func verdict(_ text: String) throws -> Verdict? {
            try WireHistory(asked + text, dialect: "nami").verdicts()["ID-4"]
        }
        let refused = try #require(try verdict(#"A< {"type":"error","error":"no such session"}"#))
        #expect(refused.isUnkeepable)
        let taken = try #require(try verdict(#"A< {"type":"done","text":"hello","sessionId":"ffffffff"}"#))
        #expect(taken.outcome == .violation && !taken.isUnkeepable && taken.remarks.isEmpty)
    }

    @Test func `TURN-3 a lack of the wire excuses no turn without an end`() throws {
        let asked = """
            A open
            A< {"type":"auth_challenge"}
            A> {"type":"auth_response","apiKey":"k"}
            A< {"type":"connected","sessionId":"x","lastSeq":0,"serverTime":"2026-01-01T00:00:00.000Z"}
            A> {"type":"message","id":"c1","to":"kerrigan","body":"hi"}
            A< {"type":"delivered","messageId":"u1","clientId":"c1","timestamp":"2026-01-01 00:00:00"}

            """
        func verdict(_ text: String) throws -> Verdict? {
            let history = try WireHistory(asked + text, dialect: "adjutant", profiles: [.core])
            return try history.verdicts()["TURN-3"]
        }
        let endless = try #require(try verdict("+40s\nA> {\"type\":\"sync\",\"lastSeqSeen\":0}"))
        #expect(endless.outcome == .violation && !endless.isUnkeepable, "\(endless)")
    }

    @Test func `PERSIST-2 an unknown session gets done and is never stored`() throws {
        let asked = """
            A open
            1> GET /api/sessions/ffffffff
            1< 404 {"error":"Session not found","code":404}
            A> {"type":"chat","sessionId":"ffffffff","messages":[{"role":"user","content":"hi"}]}

            """
        let lost = try WireHistory(
            asked + """
                A< {"type":"done","text":"echo: hi","sessionId":"ffffffff"}
                2> GET /api/sessions/ffffffff
                2< 404 {"error":"Session not found","code":404}
                """, dialect: "nami")
        #expect(try lost.clauses(.violation).isSuperset(of: ["ID-4", "PERSIST-2"]))
        let finding = try #require(try lost.verdicts()["PERSIST-2"]?.findings.first)
        let cited = finding.events.map { lost.history.events[$0] }
        #expect(
            cited.contains {
                if case .text(.fromServer, let text) = $0.kind { text.contains("echo: hi") } else { false }
            })
        let refused = try WireHistory(
            asked + #"A< {"type":"error","error":"no such session","code":"session_not_found"}"#, dialect: "nami")
        let refusedBroken = try broken(refused)
        #expect(refusedBroken == [])
        #expect(try outcome("ID-4", of: refused) == .pass)
    }

    @Test func `ID-3 a tool is used in no session`() throws {
        let asked = """
            A open
            A> {"type":"chat","sessionId":"5e0e2953","messages":[{"role":"user","content":"tools"}]}

            """
        let done = #"A< {"type":"done","text":"used tools","sessionId":"5e0e2953"}"#
        let silent = try WireHistory(
            asked + "A< {\"type\":\"tool_use\",\"tool\":\"webFetch\"}\n" + done, dialect: "nami")
        // That no frame names a turn excuses no missing session.
        let silentBroken = try broken(silent)
        #expect(silentBroken == ["ID-3"])
        let named = try WireHistory(
            asked + "A< {\"type\":\"tool_use\",\"tool\":\"webFetch\",\"sessionId\":\"5e0e2953\"}\n" + done,
            dialect: "nami")
        let namedBroken = try broken(named)
        #expect(namedBroken == [])
    }

    @Test func `an assumed greeting proves nothing about greetings`() throws {
        let history = try WireHistory(
            """
            A open
            A> {"type":"ping"}
            A< {"type":"pong"}
            B open
            B> {"type":"ping"}
            B< {"type":"pong"}
            """, dialect: "nami", profiles: [.core, .auth])
        let verdicts = try history.verdicts()
        for clause in ["AUTH-1", "AUTH-2", "AUTH-3", "AUTH-5", "ID-1"] {
            #expect(verdicts[clause]?.outcome == .untested, "\(clause)")
        }
        #expect(verdicts["LIVE-1"]?.outcome == .pass)
        let second = try WireHistory("A open\nA< {\"type\":\"connected\"}", dialect: "nami")
        let secondBroken = try broken(second)
        #expect(secondBroken == ["ENV-2"], "a greeting of its own takes the place of the assumed one")
    }

    // MARK: adjutant

    private let greeting = """
        A open
        A< {"type":"auth_challenge"}
        A> {"type":"auth_response","apiKey":"‹token of p1›"}
        A< {"type":"connected","sessionId":"k1","lastSeq":0,"serverTime":"2026-11-20T21:09:42.970Z"}

        """

    private func message(_ seq: Int, from: String = "user", body: String = "x") -> String {
        let to = from == "user" ? "kerrigan" : "user"
        return """
            {"type":"chat_message","id":"m\(seq)","from":"\(from)","to":"\(to)","body":"\(body)",\
            "timestamp":"2026-11-20 21:08:37","seq":\(seq)}
            """
    }

    @Test func `what the user wrote to himself is no answer`() throws {
        let dialect = try SourceTree.specification().dialect(named: "adjutant")
        func type(_ from: String, _ to: String) throws -> JSONValue? {
            let frame = try JSONParser.value(#"{"type":"chat_message","from":"\#(from)","to":"\#(to)","body":"x"}"#)
            return dialect.meaning(of: frame, sentBy: .server)?["type"]
        }
        #expect(try type("user", "user") == "message")
        #expect(try type("kerrigan", "user") == "done")
        #expect(try type("kerrigan", "raynor") == nil)
    }

    @Test func `SYNC-6 a replay that lost frames does not say so`() throws {
        // Its own limit of 1000 frames, made small.
        let small = greeting.replacing("\"lastSeq\":0", with: "\"lastSeq\":0,\"limits\":{\"replayMessages\":5}")
        let live = (1...12).map { "A< " + message($0) }.joined(separator: "\n")
        let asked = small + live + "\n" + #"A> {"type":"sync","lastSeqSeen":1}"# + "\n"
        let kept = (8...12).map { message($0) }.joined(separator: ",")
        let silent = try WireHistory(
            asked + #"A< {"type":"sync_response","missed":["# + kept + "]}", dialect: "adjutant",
            profiles: [.core, .sync])
        #expect(try outcome("SYNC-6", of: silent) == .violation)
        #expect(try outcome("SYNC-3", of: silent) == .untested)
        let told = try WireHistory(
            asked + #"A< {"type":"sync_response","complete":false,"reason":"evicted","missed":["# + kept + "]}",
            dialect: "adjutant", profiles: [.core, .sync])
        #expect(try outcome("SYNC-6", of: told) == .pass)
    }

    @Test func `SYNC-7 what was shown bounds the promise where no answer says where the stream ends`() throws {
        let small = greeting.replacing("\"lastSeq\":0", with: "\"lastSeq\":0,\"limits\":{\"replayMessages\":5}")
        let live = (1...12).map { "A< " + message($0) }.joined(separator: "\n")
        func replayed(from first: Int) throws -> Outcome? {
            let kept = (first...12).map { message($0) }.joined(separator: ",")
            let history = try WireHistory(
                small + live + "\n" + #"A> {"type":"sync","lastSeqSeen":1}"# + "\n"
                    + #"A< {"type":"sync_response","missed":["# + kept + "]}", dialect: "adjutant",
                profiles: [.core, .sync])
            return try outcome("SYNC-7", of: history)
        }
        #expect(try replayed(from: 8) == .pass)
        #expect(try replayed(from: 9) == .violation)
    }

    @Test func `SYNC-10 whom null takes along was not disturbed by an older connection`() throws {
        let second = greeting.replacing("A", with: "B").replacing("k1", with: "k2")
        let ended = "A eof\nB eof"
        let taken = try WireHistory(
            greeting + second + "A> null\n" + ended, dialect: "adjutant", profiles: [.core, .sync])
        #expect(try outcome("SYNC-10", of: taken) != .violation)
        #expect(try outcome("ENV-5", of: taken) == .violation)
        let alone = try WireHistory(greeting + second + ended, dialect: "adjutant", profiles: [.core, .sync])
        #expect(try outcome("SYNC-10", of: alone) == .violation)
    }

    @Test func `SYNC-5 seq restarts with the process`() throws {
        let before =
            greeting + (1...3).map { "A< " + message($0) }.joined(separator: "\n")
            + "\nserver kill\nA eof\nserver start\n"
        func back(_ lastSeq: Int, _ missed: [Int]) -> String {
            before + """
                B open
                B< {"type":"auth_challenge"}
                B> {"type":"auth_response","apiKey":"‹token of p1›"}
                B< {"type":"connected","sessionId":"k2","lastSeq":\(lastSeq),"serverTime":"2026-11-20T21:10:42.970Z"}
                B> {"type":"sync","lastSeqSeen":0}
                B< {"type":"sync_response","missed":[\(missed.map { message($0) }.joined(separator: ","))]}
                """
        }
        let anew = try WireHistory(back(0, []), dialect: "adjutant", profiles: [.core, .sync])
        #expect(try outcome("SYNC-5", of: anew) == .violation)
        let onward = try WireHistory(back(3, [1, 2, 3]), dialect: "adjutant", profiles: [.core, .sync])
        #expect(try outcome("SYNC-5", of: onward) == .pass)
        #expect(try outcome("SYNC-1", of: onward) == .violation, "the epoch is assumed, and nobody said it")
        #expect(try outcome("ENV-2", of: onward) == .violation)
    }

    @Test func `IDEM-1 a resend is stored twice`() throws {
        let first =
            greeting + """
                A> {"type":"message","id":"c-1","to":"kerrigan","body":"hello"}
                A< {"type":"delivered","messageId":"m1","clientId":"c-1","timestamp":"2026-11-20 21:08:37"}
                A< \(message(1, body: "hello"))
                A> {"type":"message","id":"c-1","to":"kerrigan","body":"hello"}

                """
        func stored(_ ids: [String]) -> String {
            let items = ids.map {
                #"{"id":"\#($0)","sessionId":null,"agentId":"user","recipient":"kerrigan","role":"user","body":"hello","createdAt":"2026-11-20 21:08:37"}"#
            }
            return """
                1> GET /api/messages?agentId=kerrigan&limit=200
                1< 200 {"success":true,"data":{"items":[\(items.joined(separator: ","))],"total":\(ids.count),"hasMore":false},"timestamp":"2026-11-20T21:09:46.784Z"}
                """
        }
        let twice = try WireHistory(
            first + """
                A< {"type":"delivered","messageId":"m2","clientId":"c-1","timestamp":"2026-11-20 21:08:38"}
                A< \(message(2, body: "hello"))
                """ + "\n" + stored(["m1", "m2"]), dialect: "adjutant", profiles: [.core])
        let twiceBroken = try twice.clauses(.violation)
        #expect(twiceBroken.isSuperset(of: ["IDEM-1", "IDEM-2"]))
        let once = try WireHistory(
            first + """
                A< {"type":"delivered","messageId":"m1","clientId":"c-1","duplicate":true,"timestamp":"2026-11-20 21:08:37"}
                """ + "\n" + stored(["m1"]), dialect: "adjutant", profiles: [.core])
        #expect(try outcome("IDEM-1", of: once) == .pass)
        #expect(try outcome("IDEM-2", of: once) == .pass)
    }

    /// A question under the key `c-1`, and what it is acknowledged and shown as.
    private func ask(_ body: String, as id: Int) -> String {
        """
        A> {"type":"message","id":"c-1","to":"kerrigan","body":"\(body)"}
        A< {"type":"delivered","messageId":"m\(id)","clientId":"c-1","timestamp":"2026-11-20 21:08:37"}
        A< \(message(id, body: body))

        """
    }

    private func answer(_ seq: Int, _ body: String) -> String {
        "A< " + message(seq, from: "kerrigan", body: body) + "\n"
    }

    @Test func `IDEM-1 a message under a second id says that a repeat was stored`() throws {
        let asked = greeting + ask("hello", as: 1)
        let repeated = ask("hello", as: 3)
        for text in [asked + answer(2, "hi") + repeated + answer(4, "hi"), asked + repeated + answer(4, "hi")] {
            let history = try WireHistory(text, dialect: "adjutant", profiles: [.core])
            let broken = try history.clauses(.violation)
            #expect(broken.contains("IDEM-1"))
            #expect(broken.isDisjoint(with: ["ENV-6", "TURN-1", "TURN-3", "TURN-12"]), "\(broken)")
        }
        let once = try WireHistory(
            asked + answer(2, "hi") + repeated.replacing("m3", with: "m1"), dialect: "adjutant",
            profiles: [.core])
        #expect(try outcome("IDEM-1", of: once) != .violation)
        #expect(try outcome("TURN-3", of: once) == .violation, "the same question is shown again")
    }

    @Test func `IDEM-5 another question under the key changes no text of the first`() throws {
        let asked = greeting + ask("hello", as: 1) + answer(2, "hi")
        let other = try WireHistory(
            asked + ask("bye", as: 3) + answer(4, "ciao"), dialect: "adjutant", profiles: [.core])
        let broken = try other.clauses(.violation)
        #expect(broken.contains("IDEM-5"))
        #expect(broken.isDisjoint(with: ["ENV-6", "TURN-1", "TURN-3", "IDEM-1"]), "\(broken)")
        let refused = try WireHistory(
            asked + """
                A> {"type":"message","id":"c-1","to":"kerrigan","body":"bye"}
                A< {"type":"error","code":"idempotency_mismatch","message":"another question","relatedId":"c-1"}
                """, dialect: "adjutant", profiles: [.core])
        #expect(try refused.clauses(.violation).isDisjoint(with: ["IDEM-5", "TURN-12", "ENV-6", "TURN-3"]))
        let changed = try WireHistory(
            greeting + ask("hello", as: 1).replacing(message(1, body: "hello"), with: message(1, body: "hullo")),
            dialect: "adjutant", profiles: [.core])
        #expect(try outcome("ENV-6", of: changed) == .violation)
    }

    @Test func `TURN-1 an answer to somebody else before the ack is not the answer`() throws {
        let question = ask("hello", as: 2).split(separator: "\n")
        func verdicts(_ lines: [Substring]) throws -> [String: Outcome] {
            let text = greeting + lines.joined(separator: "\n")
            return try WireHistory(text, dialect: "adjutant", profiles: [.core]).verdicts()
                .mapValues(\.outcome)
        }
        let others = Substring("A< " + message(1, from: "kerrigan", body: "to somebody else"))
        let own = Substring("A< " + message(3, from: "kerrigan", body: "hi"))
        let between = try verdicts([question[0], others] + question[1...] + [own])
        for clause in ["TURN-1", "TURN-3"] { #expect(between[clause] == .pass, "\(clause)") }
        let alone = try verdicts([question[0], others] + question[1...])
        #expect(alone["TURN-1"] == .pass && alone["TURN-3"] == .untested)
    }

    @Test func `TURN-3 an answer to somebody else is not that to a question over REST`() throws {
        func verdicts(_ lines: String...) throws -> [String: Outcome] {
            let text = greeting + lines.joined(separator: "\n")
            return try WireHistory(text, dialect: "adjutant", profiles: [.core]).verdicts()
                .mapValues(\.outcome)
        }
        let question = #"1> POST /api/messages {"body":"hi over REST","to":"kerrigan"}"#
        let others = "A< " + message(1, from: "kerrigan", body: "to somebody else")
        let shown = "A< " + message(2, body: "hi over REST")
        let stored = #"1< 201 {"success":true,"data":{"messageId":"m2"}}"#
        let own = "A< " + message(3, from: "kerrigan", body: "hello")
        #expect(try verdicts(question, others, shown, stored, own)["TURN-3"] == .pass)
        #expect(try verdicts(question, shown, stored, own)["TURN-3"] == .pass)
        #expect(try verdicts(question, own, shown, stored)["TURN-3"] == .untested)
    }

    @Test func `PERSIST-7 a response too large for the stage is no torn read`() throws {
        func outcome(_ response: String) throws -> Outcome? {
            let history = try WireHistory(
                greeting + ask("hello", as: 1) + """
                    1> GET /api/messages?agentId=kerrigan&limit=200
                    \(response)
                    +60s
                    A> {"type":"sync","lastSeqSeen":0}
                    """, dialect: "adjutant", profiles: [.core])
            return try self.outcome("PERSIST-7", of: history)
        }
        #expect(try outcome("1 failed too_large") == .untested)
        #expect(try outcome("1 failed closed") == .violation)
    }

    @Test func `ENV-9 what was too large to be read is the answer to the sync that waited`() throws {
        let cut = #"A cut {"how":"reset","moreThan":4194304}"# + "\nA eof"
        func verdict(_ asked: String) throws -> Verdict {
            let history = try WireHistory(greeting + asked + cut, dialect: "adjutant", profiles: [.core, .sync])
            return try #require(try history.verdicts()["ENV-9"])
        }
        let replay = try verdict(#"A> {"type":"sync","lastSeqSeen":0}"# + "\n")
        #expect(replay.outcome == .violation && replay.isUnkeepable)
        let other = try verdict("")
        #expect(other.outcome == .violation && !other.isUnkeepable)
    }

    @Test func `RATE-3 the limit is per connection`() throws {
        func ask(_ lane: String, _ id: Int, accepted: Bool) -> String {
            "\(lane)> {\"type\":\"message\",\"id\":\"c\(id)\",\"to\":\"kerrigan\",\"body\":\"z\"}\n"
                + (accepted
                    ? "\(lane)< {\"type\":\"delivered\",\"messageId\":\"m\(id)\",\"clientId\":\"c\(id)\",\"timestamp\":\"2026-11-20 21:08:37\"}\n"
                    : "\(lane)< {\"type\":\"error\",\"code\":\"rate_limited\",\"message\":\"Message rate limit exceeded (2/min)\",\"relatedId\":\"c\(id)\"}\n")
        }
        let spent =
            greeting + ask("A", 1, accepted: true) + ask("A", 2, accepted: true) + ask("A", 3, accepted: false)
            + greeting.split(separator: "\n").map { "B" + $0.dropFirst() }.joined(separator: "\n") + "\n"
        func judged(_ accepted: Bool) throws -> WireHistory {
            // Two budgets may come within a window, where one ends and the next begins.
            try WireHistory(
                spent + (4...6).map { ask("B", $0, accepted: accepted) }.joined(), dialect: "adjutant",
                profiles: [.core, .rateLimit], limits: ["messagesPerMinute": 2])
        }
        #expect(try outcome("RATE-3", of: judged(true)) == .violation)
        #expect(try outcome("RATE-3", of: judged(false)) == .violation, "nobody says how long to wait")
        #expect(try outcome("RATE-1", of: judged(false)) == .violation)
    }

    @Test func `RATE-3 is no matter of whose the answers are`() throws {
        func question(_ lane: String, _ id: Int) -> String {
            "\(lane)> {\"type\":\"message\",\"id\":\"c\(id)\",\"to\":\"kerrigan\",\"body\":\"z\"}\n"
        }
        func delivered(_ lane: String, _ id: Int) -> String {
            "\(lane)< {\"type\":\"delivered\",\"messageId\":\"m\(id)\",\"clientId\":\"c\(id)\",\"timestamp\":\"2026-11-20 21:08:37\"}\n"
        }
        let answer = #"A< {"type":"chat_message","from":"kerrigan","to":"user","id":"a","body":"y","seq":1}"# + "\n"
        let spent =
            greeting + question("A", 1) + question("A", 2) + delivered("A", 1) + delivered("A", 2) + answer
            + greeting.split(separator: "\n").map { "B" + $0.dropFirst() }.joined(separator: "\n") + "\n"
        func outcome(_ rest: String) throws -> Outcome? {
            try self.outcome(
                "RATE-3",
                of: WireHistory(
                    spent + rest, dialect: "adjutant", profiles: [.core, .rateLimit],
                    limits: ["messagesPerMinute": 2]))
        }
        let accepted = (3...5).map { question("B", $0) + delivered("B", $0) }.joined()
        #expect(try outcome(accepted) == .violation)
    }

    @Test func `AUTH-3 a bad key is refused in this dialect too`() throws {
        let asked = """
            A open
            A< {"type":"auth_challenge"}
            A> {"type":"auth_response","apiKey":"wrong"}

            """
        let refused = try WireHistory(
            asked + "A< {\"type\":\"error\",\"code\":\"auth_failed\",\"message\":\"Invalid API key\"}\nA close 4001",
            dialect: "adjutant", profiles: [.core, .auth])
        let refusedBroken = try broken(refused)
        #expect(refusedBroken == [])
        #expect(try outcome("AUTH-3", of: refused) == .pass)
        let taken = try WireHistory(
            asked + #"A< {"type":"connected","sessionId":"k1","lastSeq":0,"serverTime":"2026-11-20T21:09:42.970Z"}"#,
            dialect: "adjutant", profiles: [.core, .auth])
        #expect(try outcome("AUTH-3", of: taken) == .violation)
    }

    @Test func `AUTH-3 the key of an upgrade is checked`() throws {
        func judged(_ second: String) throws -> [String: Outcome] {
            let text = "A open\nA> {\"type\":\"ping\"}\nA< {\"type\":\"pong\"}\nA cut {\"how\":\"fin\"}\n"
            return try WireHistory(
                "\(text)A \(second)\nB open\nB> {\"type\":\"ping\"}\nB< {\"type\":\"pong\"}", dialect: "nami",
                profiles: [.core, .auth]
            ).verdicts().mapValues(\.outcome)
        }
        let refused = try judged("refused 401 other")
        #expect(refused["AUTH-3"] == .pass && refused["LIVE-9"] == .untested)
        let taken = try judged("open other\nA> {\"type\":\"ping\"}\nA< {\"type\":\"pong\"}")
        #expect(taken["AUTH-3"] == .violation)
        let shut = try judged("refused 503 other")
        #expect(shut["AUTH-3"] == .untested)
        let good = try judged("refused 401 p1")
        #expect(good["LIVE-9"] == .violation && good["AUTH-3"] == .untested)
    }

    @Test func `flaws of the text survive the translation`() throws {
        let history = try WireHistory(
            greeting
                + #"A< {"type":"chat_message","id":"m1","id":"m2","from":"kerrigan","to":"user","body":"\ud83d","seq":1}"#,
            dialect: "adjutant", profiles: [.core, .sync])
        #expect(try history.clauses(.violation).isSuperset(of: ["ENV-1"]))
        let body = try WireHistory(
            """
            1> GET /api/messages?agentId=kerrigan
            1< 200 {"success":true,"data":{"items":[{"id":"m1","id":"m2","role":"user","body":"x","createdAt":"2026-11-20 21:08:37"}]}}
            """, dialect: "adjutant")
        #expect(try body.clauses(.violation).contains("ENV-1"))
    }

    // MARK: syl

    /// A connection of Syl as it is opened, in an epoch of a letter.
    private func greeted(_ device: String, _ epoch: String, lastSeq: Int) -> String {
        """
        \(device) open
        \(device)< {"type":"auth_challenge","nonce":"n"}
        \(device)> {"type":"auth_response","token":"t"}
        \(device)< {"type":"connected","lastSeq":\(lastSeq),"serverEpoch":"\(epoch)","protocolVersion":1}

        """
    }

    private func receipt(_ seq: Int, _ message: String) -> String {
        #"{"type":"delivery_confirmation","seq":\#(seq),"clientId":"c1","serverId":"\#(message)","conversationId":"s"}"#
    }

    private func said(_ seq: Int, _ role: String, _ message: String) -> String {
        #"{"type":"chat_message","seq":\#(seq),"message":{"id":"\#(message)","conversationId":"s","role":"\#(role)","#
            + #""clientId":\#(role == "user" ? #""c1""# : "null"),"text":"hi","createdAt":"2026-11-25T18:51:27.754Z"}}"#
    }

    private let question = #"{"type":"chat_message","clientId":"c1","text":"hi","conversationId":"s"}"#

    @Test func `SYNC-3 an answer without an epoch is of the epoch of its connection`() throws {
        func history(_ frames: [String]) throws -> WireHistory {
            let turn = [receipt(1, "u1"), said(2, "user", "u1"), said(3, "assistant", "a1")]
            let live = turn.map { "A< \($0)\nB< \($0)\n" }.joined()
            return try WireHistory(
                greeted("A", "e1", lastSeq: 0) + greeted("B", "e1", lastSeq: 0) + "A> \(question)\n" + live
                    + greeted("C", "e1", lastSeq: 3) + """
                        C> {"type":"sync","sinceSeq":0}
                        C< {"type":"sync_response","fromSeq":1,"toSeq":3,"complete":true,"frames":[\(frames.joined(separator: ","))]}
                        """, dialect: "syl", profiles: [.core, .sync])
        }
        // Receipts are numbered there, and take no place in what is compared.
        let whole = try history([receipt(1, "u1"), said(2, "user", "u1"), said(3, "assistant", "a1")])
        #expect(try whole.clauses(.pass).contains("SYNC-3"))
        #expect(try whole.clauses(.violation).isDisjoint(with: ["TURN-10", "SYNC-6", "SYNC-7", "SYNC-8"]))
        let holed = try history([receipt(1, "u1"), said(2, "user", "u1")])
        #expect(try holed.clauses(.violation).contains("SYNC-3"))
    }

    @Test func `IDEM-1 a receipt for the stored message recognizes a repeat`() throws {
        func history(_ again: String) throws -> WireHistory {
            try WireHistory(
                greeted("A", "e1", lastSeq: 0) + """
                    A> \(question)
                    A< \(receipt(1, "u1"))
                    server kill
                    A eof
                    server start

                    """ + greeted("B", "e2", lastSeq: 0) + "B> \(question)\nB< \(receipt(1, again))",
                dialect: "syl", profiles: [.core, .sync])
        }
        #expect(try outcome("IDEM-1", of: history("u1")) == .pass)
        #expect(try outcome("IDEM-1", of: history("u2")) == .violation)
    }

    @Test func `IDEM-2 a receipt for the stored message owes a copy, which no name marks`() throws {
        func history(_ again: String, _ copy: String = "") throws -> WireHistory {
            let turn = [receipt(1, "u1"), said(2, "user", "u1"), said(3, "assistant", "a1")]
            return try WireHistory(
                greeted("A", "e1", lastSeq: 0) + "A> \(question)\n" + turn.map { "A< \($0)\n" }.joined()
                    + "A> \(question)\nA< \(receipt(4, again))\n\(copy)\n+20s",
                dialect: "syl", profiles: [.core, .sync])
        }
        func owesCopy(_ history: WireHistory) throws -> Bool {
            let findings = try history.verdicts()["IDEM-2"]?.findings ?? []
            return findings.contains { $0.what == "a repeat of an ended turn did not get its outcome" }
        }
        #expect(try owesCopy(history("u1")))
        #expect(try !owesCopy(history("u1", "A< \(said(3, "assistant", "a1"))")))
        #expect(try !owesCopy(history("u2")), "it is another question to this server")
    }

    @Test func `LIVE-10 a close for size is no surprise where nobody told a limit`() throws {
        func history(_ code: Int) throws -> WireHistory {
            try WireHistory(
                greeted("A", "e1", lastSeq: 0)
                    + "A> {\"type\":\"ping\",\"ts\":\"1\"}\nA< {\"type\":\"pong\",\"ts\":\"1\"}\nA close \(code)",
                dialect: "syl")
        }
        #expect(try outcome("LIVE-10", of: history(1009)) != .violation)
        #expect(try outcome("LIVE-10", of: history(1011)) == .violation)
    }
}
