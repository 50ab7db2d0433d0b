import Holdfast
import HoldfastCaptures
import HoldfastJSON
import HoldfastTranscript
import Testing

/// The lines that programs write around a message, by name: each is read, with directions and, where it has them, times.
@Suite struct LogFormTests {
    typealias Line = @Sendable (_ isClients: Bool, _ frame: String, _ ms: Int) -> String

    struct Form: Sendable, CustomTestStringConvertible {
        let name: String
        /// The shortest time that it tells, in milliseconds; nil where it tells none.
        let unit: Int?
        let line: Line
        var before = ""
        var after = ""
        var testDescription: String { name }
    }

    private static let frames: [(isClients: Bool, text: String, ms: Int)] = [
        (true, #"{"type":"auth","protocol":1}"#, 1000),
        (
            false,
            #"{"type":"connected","protocol":1,"connectionId":"x1","capabilities":[],"limits":{"maxFrameBytes":9}}"#,
            1050
        ),
        (
            true,
            #"{"type":"chat","clientMessageId":"c1","messages":[{"role":"user","content":"it's \"{1}\" – ok\n"}]}"#,
            3000
        ),
        (false, #"{"type":"typing","state":"started"}"#, 3200),
        (false, #"{"type":"done","text":"Yes: {\"a\":1}.","sessionId":"s1","turnId":"t1","messageId":"a1"}"#, 4500),
    ]

    // MARK: How programs write

    private static func time(_ ms: Int, _ separator: String = "T", digits: Int = 3, zone: String = "Z") -> String {
        let fraction = String("\(1000 + ms % 1000)".dropFirst()) + "000000"
        return "2026-11-27\(separator)21:40:0\(ms / 1000)." + fraction.prefix(digits) + zone
    }

    private static func epoch(_ ms: Int) -> String { "17958156\(ms / 1000 < 10 ? "0" : "")\(Double(ms) / 1000)" }

    /// A text as JSON, Go and logfmt put it in quotes.
    private static func quoted(_ text: String) -> String { JSONValue.string(text).text() }

    /// A text as Python puts it in quotes.
    private static func python(_ text: String) -> String {
        "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }

    private static func words(_ isClients: Bool, _ clients: String, _ servers: String) -> String {
        isClients ? clients : servers
    }

    static let forms: [Form] = texts + objects + wholes

    private static let texts: [Form] = [
        Form(
            name: "wscat", unit: nil,
            line: { side, frame, _ in "\u{1B}[34m\(words(side, ">", "<")) \(frame)\u{1B}[39m" },
            before: "Connected (press CTRL+C to quit)\n", after: "Disconnected (code: 1000, reason: \"\")\n"),
        Form(
            name: "websocat through ts", unit: 1, line: { "\(epoch($2)) \(words($0, ">", "<")) \($1)" },
            before: "[INFO  websocat::lints] Auto-inserting the line mode\n"),
        Form(
            name: "websockets, client", unit: 1,
            line: {
                let at = time($2, " ", zone: "").replacing(".", with: ",")
                return "\(at) DEBUG websockets.client: \(words($0, ">", "<")) TEXT \(python($1)) "
                    + "[\($1.utf8.count) bytes]"
            },
            before: """
                2026-11-27 21:40:00,900 DEBUG websockets.client: > GET /ws HTTP/1.1
                2026-11-27 21:40:00,950 DEBUG websockets.client: = connection is OPEN

                """,
            after: """
                2026-11-27 21:40:09,000 DEBUG websockets.client: > CLOSE 1000 (OK) [2 bytes]
                2026-11-27 21:40:09,000 DEBUG websockets.client: < CLOSE 1000 (OK) [2 bytes]

                """),
        Form(
            name: "websockets, server", unit: nil,
            line: { isClients, frame, _ in
                "DEBUG:websockets.server:\(words(isClients, "<", ">")) TEXT \(python(frame)) [\(frame.utf8.count) bytes]"
            }),
        Form(
            name: "logcat", unit: 1,
            line: {
                "\(time($2, " ", zone: "").dropFirst(5))  431  437 D Chat: \(words($0, "send", "onMessage")): \($1)"
            },
            before: "--------- beginning of main\n11-27 21:40:00.900  431  437 I Chat: onOpen 101\n",
            after: "11-27 21:40:09.000  431  437 W Chat: onFailure java.io.EOFException\n"),
        Form(
            name: "logcat, brief", unit: nil,
            line: { side, frame, _ in "D/Chat( 431): \(words(side, ">>>", "<<<")) \(frame)" }),
        Form(
            name: "docker compose", unit: 1, line: { "chat-1  | \(time($2)) ws \(words($0, "send", "recv")) \($1)" },
            before: "db-1    | 2026-11-27 21:39:59.000 UTC [1] LOG:  ready\n"),
        Form(name: "docker logs -t", unit: 1, line: { "\(time($2, digits: 9)) ws \(words($0, "out", "in")) \($1)" }),
        Form(
            name: "kubectl --prefix --timestamps", unit: 1,
            line: { "[pod/chat-7d9f/chat] \(time($2, digits: 9)) ws \(words($0, "->", "<-")) \($1)" }),
        Form(
            name: "containerd", unit: 1,
            line: { "\(time($2, digits: 9)) stdout F ws \(words($0, "send", "recv")): \($1)" }),
        Form(
            name: "syslog", unit: 1000,
            line: { "Nov 27 21:40:0\($2 / 1000) host7 chat[431]: ws \(words($0, "send", "recv")) \($1)" }),
        Form(
            name: "syslog, RFC 5424", unit: 1,
            line: { "<15>1 \(time($2)) host7 chat 431 - - ws \(words($0, "send", "recv")) \($1)" }),
        Form(
            name: "zap, console", unit: 1,
            line: {
                "\(time($2))\tDEBUG\tws/conn.go:88\tws \(words($0, "send", "recv"))\t{\"conn\": 7, \"frame\": \(quoted($1))}"
            }),
        Form(
            name: "structlog, console", unit: 1,
            line: {
                let event = "\u{1B}[1mws_\(words($0, "sent", "received"))\u{1B}[0m"
                return "\u{1B}[2m\(time($2))\u{1B}[0m [\u{1B}[32mdebug\u{1B}[0m] \(event)  "
                    + "\u{1B}[36mconnection\u{1B}[0m=\u{1B}[35mc1\u{1B}[0m frame=\(python($1))"
            }),
        Form(
            name: "Python logging", unit: 1,
            line: {
                "\(time($2, " ", zone: "").replacing(".", with: ",")) - ws - DEBUG - \(words($0, "sending", "received")): \($1)"
            }),
        Form(
            name: "logback", unit: 1,
            line: {
                "\(time($2, " ", zone: "").dropFirst(11)) [ws-1] DEBUG c.e.WsHandler - \(words($0, "Sent", "Received")) \($1)"
            }),
        Form(
            name: "slog, text", unit: 1,
            line: { "time=\(time($2)) level=DEBUG msg=\"ws \(words($0, "send", "recv"))\" conn=7 frame=\(quoted($1))" }),
        Form(
            name: "tracing of Rust", unit: 1,
            line: { "\(time($2, digits: 6)) DEBUG chat::ws: \(words($0, "send", "recv")) frame=\($1) conn=7" }),
        Form(
            name: "Heroku", unit: 1,
            line: { "\(time($2, digits: 6, zone: "+00:00")) app[web.1]: ws \(words($0, "send", "recv")) \($1)" },
            before: "2026-11-27T21:40:00.000000+00:00 heroku[router]: at=info method=GET path=\"/ws\" status=101\n"),
        Form(
            name: "log show of macOS", unit: 1,
            line: {
                "\(time($2, " ", digits: 6, zone: "+0100")) 0x1a2b  Default  0x0  43  0  Chat: [x:ws] "
                    + "\(words($0, "send", "recv")): \($1)"
            }, before: "Timestamp                       Thread     Type        Activity\n"),
        Form(
            name: "Rails", unit: 1,
            line: { "D, [\(time($2, digits: 6, zone: "")) #431] DEBUG -- : ws \(words($0, "sent", "received")) \($1)" }),
        Form(
            name: "log of Go", unit: 1,
            line: {
                "\(time($2, " ", digits: 6, zone: "").replacing("-", with: "/")) ws \(words($0, "write", "read")): \($1)"
            }),
        Form(
            name: "a table with commas", unit: 1,
            line: { "\(time($2)),debug,\"ws \(words($0, "send", "recv")) \($1.replacing("\"", with: "\"\""))\"" },
            before: "@timestamp,level,message\n"),
        Form(
            name: "OkHttp", unit: 1,
            line: { "\(time($2, " ", zone: "").dropFirst(5))  1 2 D OkHttp: \(words($0, "-->", "<--")) \($1)" },
            before: """
                11-27 21:40:00.100  1 2 I OkHttp: --> GET https://chat.example/api/health
                11-27 21:40:00.101  1 2 I OkHttp: --> END GET
                11-27 21:40:00.150  1 2 I OkHttp: <-- 200 https://chat.example/api/health (48ms)
                11-27 21:40:00.150  1 2 I OkHttp: content-type: application/json
                11-27 21:40:00.151  1 2 I OkHttp: {"ok":true}
                11-27 21:40:00.152  1 2 I OkHttp: <-- END HTTP (11-byte body)

                """),
    ]

    private static let objects: [Form] = [
        Form(
            name: "docker, json-file", unit: 1,
            line: {
                #"{"log":\#(quoted("ws \(words($0, "send", "recv")) \($1)\n")),"stream":"stdout","time":"\#(time($2))"}"#
            }),
        Form(
            name: "journalctl -o json", unit: 1,
            line: {
                #"{"MESSAGE":\#(quoted("ws \(words($0, "send", "recv")) \($1)")),"__REALTIME_TIMESTAMP":"179581560\#($2)000","_PID":"4"}"#
            }),
        Form(
            name: "winston", unit: 1,
            line: {
                #"{"level":"debug","message":\#(quoted("ws \(words($0, "send", "recv")) \($1)")),"timestamp":"\#(time($2))"}"#
            }),
        Form(
            name: "winston, in a member", unit: 1,
            line: {
                #"{"level":"debug","message":"ws \#(words($0, "send", "recv"))","payload":\#(quoted($1)),"connectionId":"k","timestamp":"\#(time($2))"}"#
            }),
        Form(
            name: "pino", unit: 1,
            line: {
                #"{"level":20,"time":179581560\#($2),"pid":1,"conn":"k","dir":"\#(words($0, "out", "in"))","frame":\#($1),"msg":"ws frame"}"#
            }),
        Form(
            name: "bunyan", unit: 1,
            line: {
                #"{"name":"chat","hostname":"h","pid":1,"level":20,"msg":"\#(words($0, "->", "<-"))","frame":\#(quoted($1)),"time":"\#(time($2))","v":0}"#
            }),
        Form(
            name: "zap", unit: 1,
            line: {
                #"{"level":"debug","ts":\#(epoch($2)),"caller":"ws/conn.go:88","msg":"ws \#(words($0, "send", "recv"))","payload":\#(quoted($1))}"#
            }),
        Form(
            name: "structlog", unit: 1,
            line: {
                #"{"event":"ws_\#(words($0, "sent", "received"))","connection":"c1","frame":\#($1),"level":"debug","timestamp":"\#(time($2))"}"#
            }, before: #"{"event":"ws_connected","connection":"c1","timestamp":"2026-11-27T21:40:00.900Z"}"# + "\n"),
        Form(
            name: "tracing of Rust, JSON", unit: 1,
            line: {
                #"{"timestamp":"\#(time($2, digits: 6))","level":"DEBUG","fields":{"message":"ws \#(words($0, "send", "recv"))","frame":\#(quoted($1))},"target":"chat"}"#
            }),
        Form(
            name: "Serilog", unit: 1,
            line: {
                #"{"@t":"\#(time($2, digits: 7))","@mt":"ws \#(words($0, "Sent", "Received")) {F}","F":\#(quoted($1))}"#
            }),
        Form(
            name: "Loki", unit: 1,
            line: {
                #"{"labels":{"app":"x"},"line":\#(quoted("ws \(words($0, "send", "recv")) \($1)")),"timestamp":"\#(time($2))"}"#
            }),
        Form(
            name: "Google Cloud", unit: 1,
            line: {
                #"{"jsonPayload":{"message":"ws \#(words($0, "send", "recv"))","frame":\#($1)},"timestamp":"\#(time($2))","severity":"DEBUG"}"#
            }),
        Form(
            name: "its members spread", unit: 1,
            line: {
                #"{"level":20,"time":"\#(time($2))","dir":"\#(words($0, "out", "in"))","msg":"frame",\#($1.dropFirst())"#
            }),
        Form(
            name: "HAR messages alone", unit: 1,
            line: {
                #"{"type":"\#(words($0, "send", "receive"))","time":\#(epoch($2)),"opcode":1,"data":\#(quoted($1))}"#
            }),
    ]

    private static let wholes: [Form] = [
        Form(
            name: "an array", unit: 1,
            line: {
                "  {\n    \"at\": \"\(time($2))\",\n    \"dir\": \"\(words($0, ">", "<"))\",\n    \"frame\": \($1)\n  },\n"
            },
            before: "[\n", after: "]\n"),
        Form(
            name: "events in one object", unit: 1,
            line: {
                #"    {"timestamp":179581560\#($2),"message":\#(quoted("ws \(words($0, "send", "recv")) \($1)"))},"#
            },
            before: "{\"events\": [\n", after: "    {\"message\":\"end\"}], \"nextForwardToken\": \"f/1\"}\n"),
        Form(
            name: "tshark -T json", unit: 1,
            line: {
                #"{"_source":{"layers":{"frame.time_epoch":["\#(epoch($2))"],"tcp.stream":["0"],"websocket.mask":["\#(words($0, "1", "0"))"],"websocket.payload.text":[\#(quoted($1))]}}},"#
            }, before: "[\n", after: "]\n"),
    ]

    @Test(arguments: forms) func `messages are found by looking`(form: Form) throws {
        let text =
            form.before + Self.frames.map { form.line($0.isClients, $0.text, $0.ms) + "\n" }.joined() + form.after
        #expect(try CaptureForm.recognized(in: Array(text.utf8), file: "f") == .frames)
        let read = try Read(text, as: .frames, looksAhead: true)
        let found = read.events.compactMap { event -> (way: Direction, value: JSONValue?, at: Int)? in
            guard case .text(let way, let text) = event.kind else { return nil }
            return (way, try? JSONParser.value(text), event.at)
        }
        let wanted = Self.frames.map {
            ($0.isClients ? Direction.toServer : .fromServer, try? JSONParser.value($0.text))
        }
        #expect(found.map(\.way) == wanted.map(\.0), "\(text)\n\(read.words)\n\(read.leftOut)")
        #expect(found.map(\.value) == wanted.map(\.1), "\(text)\n\(read.words)\n\(read.leftOut)")
        #expect(read.capture?.lacks.contains(.times) == (form.unit == nil))
        if let unit = form.unit, found.count == Self.frames.count {
            let passed = (found[4].at - found[0].at) / 1000
            #expect(passed / unit == (4500 / unit * unit - 1000) / unit, "\(text)")
        }
        #expect(read.gaps == 0)
    }

    // MARK: What is no message

    @Test(arguments: [
        #"{"level":"info","msg":"sent mail","data":{"to":"x"}}"#, #"INFO sent mail {"to":"x","kind":"welcome"}"#,
        #"{"level":"info","type":"signup","msg":"received"}"#, #"{"type":"error","message":"boom","level":"error"}"#,
        "received 3 rows from the database", #"{"event":"push","payload":{"aps":{"alert":{"body":"x"}}}}"#,
    ])
    func `what a program did is no message`(line: String) throws {
        let frame = #"{"dir":">","frame":{"type":"ping"}}"#
        let read = try Read("\(line)\n\(frame)\n", as: .frames, looksAhead: true)
        #expect(read.words == ["A belongs unknown A", #"A>{"type":"ping"}"#])
        #expect(read.gaps == 0 && read.leftOut.entries.count == 1)
    }

    @Test func `a message that was shortened is a gap, with what helps`() throws {
        let line =
            #"2026-11-27 21:40:01,000 DEBUG websockets.client: < TEXT '{"type": "connected", "proto...nds": 30}' [230 bytes]"#
        let problem = #expect(throws: InputProblem.self) { try Read(line, as: .frames) }
        #expect(problem?.fix.contains("WEBSOCKETS_MAX_LOG_SIZE") == true)
        let read = try Read("{\"type\":\"ping\"}\n\(line)", as: .frames)
        #expect(read.gaps == 1)
    }

    @Test func `requests in the lines of OkHttp have their answers in time`() throws {
        let form = try #require(Self.forms.first { $0.name == "OkHttp" })
        let read = try Read(form.before + form.line(true, Self.frames[0].text, 1000), as: .frames)
        #expect(read.words.prefix(2) == ["1 GET /api/health unknown HTTP 1", #"1 200 {"ok":true}"#])
        // The response is told with its body.
        #expect(read.events.map(\.at).prefix(2) == [0, 50_000])
    }

    @Test(arguments: [
        #"chat-1  | 2026-11-27T21:40:01.000Z INFO http GET /api/sessions status=200 response={"sessions":[]}"#,
        #"{"level":"info","message":"GET /api/sessions 200","body":{"sessions":[]}}"#,
        #"{"msg":"request completed","req":{"method":"GET","url":"/api/sessions"},"res":{"statusCode":200,"body":"{\"sessions\":[]}"}}"#,
        #"GET /api/sessions 200 {"sessions":[]}"#,
    ])
    func `a read is found in the words and members of a line`(line: String) throws {
        let read = try Read("\(line)\n{\"type\":\"ping\"}\n", as: .frames)
        #expect(read.words.prefix(2) == ["1 GET /api/sessions unknown HTTP 1", #"1 200 {"sessions":[]}"#])
    }

    @Test(arguments: [
        #"INFO ws close conn=A code=1000"#, #"{"level":"info","message":"ws connection closed 1000","connId":"A"}"#,
    ])
    func `an end is read with its code`(line: String) throws {
        let read = try Read("{\"conn\":\"A\",\"frame\":{\"type\":\"ping\"}}\n\(line)\n", as: .frames)
        #expect(read.words.last?.contains("1000") == true, "\(read.words)")
    }

    // MARK: Directions

    private func log(_ words: (client: String, server: String), odd: Bool = false) -> String {
        Self.frames.enumerated().map { index, frame in
            let word = frame.isClients != (odd && index == 1) ? words.client : words.server
            return #"{"direction":"\#(word)","frame":\#(frame.text)}"# + "\n"
        }.joined()
    }

    @Test func `a file that the server wrote is turned, and one that fits neither way is told`() throws {
        let usual = try Read(log((">", "<")), as: .frames, looksAhead: true)
        #expect(usual.remarks.isEmpty)
        let turned = try Read(log(("in", "out")), as: .frames, looksAhead: true)
        #expect(turned.words == usual.words)
        #expect(turned.remarks.first?.hasPrefix("directions reversed: by their types, 4 of 4 messages") == true)
        let odd = try Read(log((">", "<"), odd: true), as: .frames, looksAhead: true)
        #expect(odd.remarks.first?.contains("1 message of them goes the wrong way in both cases, first line 2") == true)
        let notes = #"A <- {"type":"auth","protocol":1}"# + "\nA -> {\"type\":\"connected\"}\n"
        #expect(try Read(notes, as: .notes, looksAhead: true).words.contains(#"A>{"type":"auth","protocol":1}"#))
    }

    @Test func `where messages were found is said`() throws {
        let line = #"{"level":"debug","message":"ws send {\"type\":\"ping\"}"}"#
        #expect(try Read(line, as: .frames).remarks == ["1 message found in 'message'"])
    }

    // MARK: What cannot be read

    @Test(
        arguments: [
            ([0xD4, 0xC3, 0xB2, 0xA1, 2, 0, 4, 0], "a.pcap", "tshark -r a.pcap -Y websocket.payload.text -T json"),
            ([0x0A, 0x0D, 0x0D, 0x0A, 0, 0], "a.pcapng", "tshark -r a.pcapng"),
            (Array("1582:9:websocket;".utf8), "a.flows", "mitmdump -nr a.flows --set hardump=a.flows.har"),
            ([0x50, 0x4B, 3, 4], "a.saz", "HTTPArchive"), ([0x50, 0x4B, 3, 4], "a.proxymanlogv2", "Export > HAR"),
            ([0x50, 0x4B, 3, 4], "a.chlsx", "conformance proxy"), ([0x50, 0x4B, 3, 4], "a.zip", "unzip -p a.zip |"),
            (Array("LPKSHHRH".utf8), "a.journal", "journalctl --file a.journal"),
            (Array(#"{"constants":{"x":1}}"#.utf8), "a.json", "Export HAR"),
            (Array("frame={'type': 'auth'}\n".utf8), "a.log", "json.dumps"),
            (Array("frame { type: 'auth', protocol: 1 }\n".utf8), "a.log", "JSON.stringify"),
            (Array("words\n".utf8), "a.log", #"{"at":…,"conn":…,"dir":">","frame":{…}}"#),
        ] as [([UInt8], String, String)])
    func `what cannot be read is told the line that converts it`(bytes: [UInt8], file: String, fix: String) throws {
        let problem = #expect(throws: InputProblem.self) { try CaptureForm.recognized(in: bytes, file: file) }
        #expect(problem?.fix.contains(fix) == true, "\(String(describing: problem))")
    }
}
