import Holdfast
import HoldfastJSON
import HoldfastTranscript
import TestSupport
import Testing

/// The names that a dialect makes where its wire has none.
@Suite struct InferredNamesTests {
    /// The view of lines such as `A open`, `A> {…}`, `B< {…}`, `1> POST /path {…}` and `1< 200 {…}`.
    private func view(
        _ lines: String..., dialect: String = "nami", isCapture: Bool = false, turns: String? = nil
    ) throws -> DialectView {
        var header = header()
        header.dialect = try SourceTree.specification().dialect(named: dialect)
        if let turns {
            var source = try #require(header.dialect.source)
            source["turns"] = .string(turns)
            header.dialect = try Dialect(source, at: "a test")
        }
        if isCapture { header.capture = .init() }
        let events = try lines.enumerated().map { index, line in
            let words = line.split(separator: " ", maxSplits: 1).map(String.init)
            let lane = try #require(Lane(words[0].filter { $0 != ">" && $0 != "<" }))
            let direction = words[0].last.flatMap { Direction(rawValue: String($0)) }
            return Event(at: index * 1000, lane: lane, kind: Self.kind(lane, direction, words[1]))
        }
        return DialectView(History(header: header, events: events))
    }

    private static func kind(_ lane: Lane, _ direction: Direction?, _ text: String) -> Event.Kind {
        let words = text.split(separator: " ", maxSplits: 2).map(String.init)
        switch (lane, direction) {
        case (.exchange, .toServer):
            return .request(
                .init(method: words[0], path: words[1], principal: "p1", body: words.count > 2 ? words[2] : nil))
        case (.exchange, _):
            return .response(
                .init(status: Int(words[0]) ?? 0, headers: [], body: words.dropFirst().joined(separator: " ")))
        case (.server, _): return .act(text, JSONObject())
        case (_, let direction?): return .text(direction, text)
        default: return .opening(.init(principal: "p1", path: "/ws"))
        }
    }

    private func chat(_ text: String, in session: String? = nil) -> String {
        let named = session.map { #","sessionId":"\#($0)""# } ?? ""
        return #"{"type":"chat","messages":[{"role":"user","content":"\#(text)"}]\#(named)}"#
    }

    private func done(_ text: String, in session: String) -> String {
        #"{"type":"done","text":"\#(text)","sessionId":"\#(session)"}"#
    }

    private let tool = #"{"type":"tool_use","tool":"x","sessionId":"s"}"#
    private let error = #"{"type":"error","error":"no"}"#

    /// The made names of the frames that the server sent, as `key/turn`.
    private func names(_ view: DialectView) -> [String] {
        zip(view.history.events, view.history.frames).compactMap { event, frame in
            guard case .text(.fromServer, _) = event.kind, let frame else { return nil }
            return "\(frame.clientMessageId ?? "-")/\(frame.turnId ?? "-")"
        }
    }

    @Test func `a frame is of the oldest question that is open in its session`() throws {
        let seen = try view(
            "A open", "B open", "A> \(chat("one", in: "s"))", "A> \(chat("two", in: "s"))", "A< \(tool)",
            "A< \(done("1", in: "s"))", "B< \(tool)", "A< \(done("2", in: "s"))", "B< \(done("1", in: "s"))",
            "B< \(done("2", in: "s"))", "B< \(done("3", in: "s"))")
        let (first, second) = ("question-1/turn-1", "question-2/turn-2")
        #expect(names(seen) == [first, first, first, second, first, second, "-/-"])
        #expect(seen.inDoubt.isEmpty)
        let frame = try #require(seen.history.frames.compactMap(\.self).last { $0.turnId != nil })
        #expect(!frame.includes("turnId") && !frame.includes("clientMessageId") && frame.includes("text"))
        #expect(frame.stated?["turnId"] == nil && frame.value?["turnId"] == "turn-2")
    }

    @Test func `the first frame binds a question to its session, unless it may be of another one`() throws {
        let one = try view("A open", "A> \(chat("one"))", "A< \(tool)", "A> \(chat("two"))", "A< \(done("1", in: "s"))")
        #expect(names(one) == ["question-1/turn-1", "question-1/turn-1"] && one.inDoubt.isEmpty)
        let two = try view("A open", "A> \(chat("one"))", "A> \(chat("two"))", "A< \(done("1", in: "s"))")
        #expect(two.inDoubt.count == 2)
        let apart = try view(
            "A open", "B open", "A> \(chat("one", in: "s"))", "B> \(chat("two", in: "s"))", "A< \(done("1", in: "s"))")
        #expect(apart.inDoubt.count == 2, "from two connections, in no order that anybody knows")
    }

    @Test func `a frame is of the oldest question of its connection, where a dialect says so`() throws {
        let seen = try view(
            "A open", "B open", "A> \(chat("one"))", "A> \(chat("two"))", "B> \(chat("three", in: "s"))",
            "A< \(done("1", in: "s"))", "B< \(done("3", in: "s"))", "A< \(done("2", in: "t"))",
            "B< \(done("4", in: "t"))",
            turns: "serial by connection")
        #expect(names(seen) == ["question-1/turn-1", "question-3/turn-3", "question-2/turn-2", "-/-"])
        #expect(seen.inDoubt.isEmpty)
    }

    @Test func `an error refuses a question of which nothing was seen, and ends any other`() throws {
        #expect(try names(view("A open", "A> \(chat("one"))", "A< \(error)")) == ["question-1/-"])
        #expect(
            try names(view("A open", "A> \(chat("one"))", "A< \(tool)", "A< \(error)")) == [
                "question-1/turn-1", "question-1/turn-1",
            ])
        #expect(try names(view("A open", "A> \(chat("one"))", "A> null", "A< \(error)")) == ["-/-"])
        let both = try view("A open", "A> \(chat("one", in: "s"))", "A> \(chat("two", in: "s"))", "A< \(error)")
        #expect(both.inDoubt.count == 2)
    }

    @Test func `acks say in which order questions were taken`() throws {
        func asked(_ device: String, _ key: String) -> String {
            #"\#(device)> {"type":"chat_message","clientId":"\#(key)","text":"\#(key)","conversationId":"s"}"#
        }
        func receipt(_ device: String, _ key: String) -> String {
            #"\#(device)< {"type":"delivery_confirmation","seq":1,"clientId":"\#(key)","serverId":"u-\#(key)","conversationId":"s"}"#
        }
        func answer(_ device: String, _ seq: Int) -> String {
            #"\#(device)< {"type":"chat_message","seq":\#(seq),"message":{"id":"a\#(seq)","conversationId":"s","role":"assistant","text":"x"}}"#
        }
        let seen = try view(
            "A open", "B open", asked("A", "c1"), asked("B", "c2"), answer("A", 9), receipt("B", "c2"),
            receipt("A", "c1"), answer("A", 2), answer("A", 3), answer("B", 2), dialect: "syl")
        #expect(names(seen) == ["-/-", "c2/turn-2", "c1/turn-1", "c2/turn-2", "c1/turn-1", "c2/turn-2"])
        #expect(seen.inDoubt.isEmpty)
        let part = try view(
            "A open", asked("A", "c1"), receipt("A", "c1"), answer("A", 2), dialect: "syl", isCapture: true)
        #expect(names(part) == ["c1/turn-1", "-/-"], "an older question may be answered")
    }

    @Test func `a frame with a number that was told before a question is of an older one`() throws {
        func replayed(_ lastSeq: Int) throws -> [String] {
            try names(
                view(
                    "A open", #"A< {"type":"connected","sessionId":"k1","lastSeq":\#(lastSeq),"serverTime":"x"}"#,
                    #"A> {"type":"message","id":"c1","to":"s","body":"one"}"#,
                    #"A< {"type":"delivered","messageId":"u1","clientId":"c1"}"#,
                    #"A< {"type":"chat_message","seq":7,"from":"s","to":"user","id":"a1","body":"two"}"#,
                    dialect: "adjutant")
            ).suffix(1)
        }
        #expect(try replayed(6) == ["c1/turn-1"])
        #expect(try replayed(7) == ["-/-"])
    }

    @Test func `a replayed frame before the ack is named too`() throws {
        let answer =
            #"{"type":"chat_message","seq":2,"message":{"id":"a1","conversationId":"s","role":"assistant","text":"x"}}"#
        let seen = try view(
            "A open", "B open", #"A> {"type":"chat_message","clientId":"c1","text":"one","conversationId":"s"}"#,
            #"B> {"type":"sync","sinceSeq":0}"#,
            #"B< {"type":"sync_response","complete":true,"frames":[\#(answer)],"toSeq":2}"#,
            #"A< {"type":"delivery_confirmation","clientId":"c1","serverId":"u1","conversationId":"s"}"#,
            "A< \(answer)", dialect: "syl")
        let page = seen.history.frames.compactMap(\.self).first { $0.type == "syncResult" }
        #expect(page?["missed"]?[0]?["turnId"] == "turn-1")
    }

    @Test func `a frame before the ack is named in the life in which it came`() throws {
        let error = #"{"type":"error","seq":2,"error":{"message":"stopped","code":"interrupted"}}"#
        let seen = try view(
            "A open", "B open", #"B> {"type":"chat_message","clientId":"c1","text":"one","conversationId":"s"}"#,
            "A< \(error)",
            #"B< {"type":"delivery_confirmation","clientId":"c1","serverId":"u1","conversationId":"s"}"#,
            "B< \(error)", "server start", dialect: "syl")
        #expect(names(seen) == ["c1/turn-1", "c1/turn-1", "c1/turn-1"])
    }

    @Test func `a stored question is named by its text, also where the id of its answer names the turn`() throws {
        let seen = try view(
            "A open", #"1> POST /api/messages {"body":"one","to":"s"}"#,
            #"A< {"type":"chat_message","seq":1,"from":"user","to":"s","id":"u1","body":"one"}"#,
            #"A< {"type":"chat_message","seq":2,"from":"s","to":"user","id":"a1","body":"two"}"#,
            #"1< 201 {"success":true,"data":{}}"#, "2> GET /api/messages?agentId=s&limit=200",
            #"2< 200 {"success":true,"data":{"items":[{"id":"u1","role":"user","body":"one"},{"id":"a1","role":"agent","body":"two"}]}}"#,
            dialect: "adjutant")
        guard case .response(let response) = seen.history.events.last?.kind else {
            Issue.record("no response")
            return
        }
        let messages = try JSONParser.value(response.body)["session"]?["messages"]
        #expect(messages?[0]?["clientMessageId"] == "question-1" && messages?[0]?["turnId"] == "turn-1")
        #expect(messages?[1]?["turnId"] == "turn-1")
    }

    @Test func `responses and stored messages are named too`() throws {
        func message(_ role: String, _ text: String) -> String {
            #"{"role":"\#(role)","content":"\#(text)","timestamp":"2026-11-22T04:00:00Z"}"#
        }
        func read(_ messages: String...) throws -> [String] {
            let seen = try view(
                #"1> POST /api/chat {"messages":[{"role":"user","content":"Q"}]}"#,
                #"1< 200 {"text":"A","sessionId":"s"}"#,
                "2> GET /api/sessions/s",
                #"2< 200 {"session":{"id":"s","messages":[\#(messages.joined(separator: ","))]}}"#)
            let bodies = seen.history.events.compactMap { event -> JSONValue? in
                guard case .response(let response) = event.kind else { return nil }
                return try? JSONParser.value(response.body)
            }
            #expect(bodies[0]["turnId"] == "turn-1" && bodies.count == 2)
            return (bodies[1]["session"]?["messages"]?.arrayValue ?? []).map {
                "\($0["clientMessageId"]?.stringValue ?? "-")/\($0["turnId"]?.stringValue ?? "-")"
            }
        }
        #expect(try read(message("user", "Q"), message("assistant", "A")) == ["question-1/turn-1", "-/turn-1"])
        #expect(try read(message("user", "Q"), message("user", "Q")) == ["-/-", "-/-"])
        #expect(try read(message("user", "other")) == ["-/-"])
    }

    @Test func `odd texts are taken as they come`() throws {
        let seen = try view(
            "A open", "A> []", "A> {\"type\":\"chat\"}", "A< null", "A< {\"type\":\"done\"}", "1> GET ?", "1< 200 []",
            "2> POST /api/chat []", "2< 500 oops", "B< \(error)", "3> POST /api/chat \(chat("x"))", "3< 502 []")
        #expect(names(seen) == ["-/-", "-/-", "-/-"])
    }
}
