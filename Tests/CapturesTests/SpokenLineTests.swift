import HoldfastCaptures
import HoldfastTranscript
import Testing

/// What the words of a line tell beside its message: the connection, a request, an end.
@Suite struct SpokenLineTests {
    private static let greeting =
        #"{"type":"connected","protocol":1,"connectionId":"x","capabilities":[],"limits":{"maxFrameBytes":9}}"#
    private static let session = #"{"session":{"id":"s1","messages":[],"turns":[]}}"#

    private func read(_ lines: [String]) throws -> Read {
        try Read(lines.joined(separator: "\n") + "\n", as: .frames, looksAhead: true, isWhole: true)
    }

    /// The handshakes of two connections, and what is said of the ends, as a program writes it.
    private func twoConnections(_ line: (_ name: String, _ isClients: Bool, _ frame: String) -> String) throws -> Read {
        let auth = #"{"type":"auth","protocol":1}"#
        return try read([
            line("c1", true, auth), line("c2", true, auth), line("c1", false, Self.greeting),
            line("c2", false, Self.greeting), "Connection c1 closed with code 1012",
        ])
    }

    @Test(arguments: ["[ws] NAME", "ws NAME", "chat-1  | ws#NAME", "Chat[7]: NAME", "[debug] [NAME] frame"])
    func `the word before the messages that fits names their connection`(words: String) throws {
        let read = try twoConnections { name, isClients, frame in
            "\(words.replacing("NAME", with: name)) \(isClients ? "sent" : "received") \(frame)"
        }
        let lanes = Set(read.events.map { "\($0.lane)" })
        #expect(lanes == ["A", "B"], "\(read.words)")
        #expect(read.leftOut.entries.allSatisfy { !$0.reason.contains("another connection") })
        if !words.contains("#") { #expect(read.words.last == "A<close 1012") }
    }

    @Test func `a place in the source is no name of a connection`() throws {
        let read = try twoConnections { _, isClients, frame in
            "\(isClients ? "socket.ts:88 sent" : "socket.ts:63 received") \(frame)"
        }
        #expect(Set(read.events.map { "\($0.lane)" }) == ["A"])
    }

    @Test(arguments: [
        ["$ curl -s https://chat.example/api/sessions/s1", session],
        ["[http] <-- GET /api/sessions/s1 200 \(session)"],
        [
            #"{"event":"http.request","path":"/api/sessions/s1","method":"GET","status_code":200,"response_body":"#
                + session
                + "}"
        ],
        ["7.7.7.7:5: GET https://chat.example/api/sessions/s1 HTTP/2.0", " << HTTP/2.0 200 OK 48b", "    \(session)"],
    ])
    func `a read is known by its words or its shape`(lines: [String]) throws {
        let words = try read([#"> {"type":"ping"}"#] + lines).words
        #expect(words.contains { $0.contains("GET /api/sessions/s1") }, "\(words)")
        #expect(words.contains { $0.hasSuffix(" 200 \(Self.session)") }, "\(words)")
    }

    @Test func `the body of a request stands in a line of its own`() throws {
        let words = try read([
            #"[http] --> POST /api/chat {"clientMessageId":"c1","messages":[]}"#,
            #"[http] <-- POST /api/chat 200 {"text":"hi","sessionId":"s1"}"#,
        ]).words
        #expect(words == ["1 POST /api/chat unknown HTTP 1", #"1 200 {"text":"hi","sessionId":"s1"}"#], "\(words)")
    }

    @Test func `a journal that writes bytes is read`() throws {
        let bytes = Array("\u{1B}[36mws send {\"type\":\"ping\"}\u{1B}[0m".utf8).map(String.init).joined(separator: ",")
        #expect(
            try read([#"{"__REALTIME_TIMESTAMP":"1795815600000000","MESSAGE":[\#(bytes)]}"#]).words.last
                == #"A>{"type":"ping"}"#)
    }

    @Test func `who is named where a connection begins owns it`() throws {
        let lines = ["ana", "ben"].flatMap { name in
            [
                #"{"level":30,"connId":"\#(name)1","userId":"\#(name)","msg":"client connected"}"#,
                #"{"level":20,"connId":"\#(name)1","frame":{"type":"auth","protocol":1},"msg":"ws recv"}"#,
                #"{"level":30,"connId":"\#(name)1","code":1006,"msg":"client disconnected"}"#,
            ]
        }
        let read = try read(lines)
        #expect(read.words.filter { $0.contains("opening") } == ["A opening ana", "B opening ben"])
        #expect(read.words.filter { $0.contains("eof") } == ["A eof", "B eof"])
        #expect(read.capture?.lacks.contains(.principals) == false)
    }

    @Test func `what stands inside a message that was cut off is no message`() throws {
        let cut = #"D Chat: onMessage: {"type":"syncResult","missed":[{"type":"done","text":"hi","seq":4},{"type":"to"#
        let read = try read([#"D Chat: send: {"type":"ping"}"#, cut])
        #expect(read.words.filter { $0.hasPrefix("A<") }.isEmpty, "\(read.words)")
        #expect(read.gaps == 1)
    }

    @Test(arguments: ["", "chat-1  | "])
    func `a message over several lines may begin behind words`(before: String) throws {
        let lines = ["2026-11-27T21:40:01Z ws sent {", #"  "type": "ping","#, #"  "nonce": "a""#, "}", "all well"]
        #expect(try read(lines.map { before + $0 }).words.last == #"A>{"type": "ping","nonce": "a"}"#)
    }

    @Test func `a brace at the end of a line of prose takes nothing away`() throws {
        let words = try read(["nginx config server {", #"ws send {"type":"ping"}"#]).words
        #expect(words.last == #"A>{"type":"ping"}"#)
    }
}
