import Holdfast
import HoldfastCaptures
import HoldfastTranscript
import Testing

@Suite struct HARTests {
    private func har(_ entries: String) -> String { #"{"log":{"version":"1.2","entries":[\#(entries)]}}"# }

    private func request(_ path: String, status: Int = 200, content: String = #"{"text":"{}"}"#, at second: Int = 1)
        -> String
    {
        """
        {"startedDateTime":"2026-03-01T08:30:0\(second).000Z","time":12.5,"request":{"method":"GET",\
        "url":"https://chat.example\(path)","headers":[{"name":"Authorization","value":"Bearer T"}]},\
        "response":{"status":\(status),"headers":[{"name":"Content-Type","value":"application/json"}],"content":\(content)}}
        """
    }

    private let socket = """
        {"startedDateTime":"2026-03-01T08:30:00.000Z","request":{"method":"GET","url":"wss://chat.example/ws"},\
        "response":{"status":101},"_webSocketMessages":[\
        {"type":"send","time":1772353800.5,"opcode":1,"data":"{\\"type\\":\\"ping\\"}"},\
        {"type":"receive","time":1772353802.0,"opcode":2,"data":"AAEC"}]}
        """

    @Test func `messages and requests stand in the order of time`() throws {
        let read = try Read(har(request("/api/sessions") + "," + socket), as: .har)
        #expect(
            read.words == [
                "A opening p1", "A opened", #"A>{"type":"ping"}"#, "1 GET /api/sessions p1", "1 200 {}", "A<3 bytes",
            ])
        #expect(read.events.map(\.at) == [0, 0, 500_000, 1_000_000, 1_012_500, 2_000_000])
        #expect(read.locations[2].description == "/log/entries/1/_webSocketMessages/0")
    }

    @Test func `what is not of the protocol is left aside`() throws {
        let entries = [
            request("/logo.png"), request("/api/sessions/s1", content: #"{"size":99}"#),
            request("/api/sessions", status: 0),
        ]
        let read = try Read(har(entries.joined(separator: ",")), as: .har)
        #expect(read.events.isEmpty)
        #expect(read.leftOut.entries.count == 3)
    }

    @Test(arguments: ["8", "99999999999999999999", "\"1\"", "null"])
    func `a message of an unknown opcode is no text`(opcode: String) throws {
        let read = try Read(har(socket.replacing("\"opcode\":1", with: "\"opcode\":\(opcode)")), as: .har)
        #expect(read.words == ["A opening p1", "A opened", "A<3 bytes"])
        #expect(read.leftOut.entries.map(\.reason) == ["a WebSocket message of opcode \(opcode)"])
    }

    @Test func `a body in base64 is decoded`() throws {
        let read = try Read(
            har(request("/api/health", content: #"{"text":"eyJvayI6dHJ1ZX0=","encoding":"base64"}"#)), as: .har)
        #expect(read.words.last == #"1 200 {"ok":true}"#)
    }

    @Test(arguments: [
        ("{", "byte 1"), (#"{"log":{}}"#, ":1:8 /log/entries: it is missing"),
        (#"{"log":{"entries":{}}}"#, "it is object"), (#"{"log":{"entries":[]}}"#, "no entries"),
    ])
    func `another shape is told with its place`(text: String, words: String) throws {
        let problem = #expect(throws: InputProblem.self) { try Read(text, as: .har) }
        #expect(problem.map { "\($0)".contains(words) } == true, "\(String(describing: problem))")
    }

    // MARK: Odd entries

    @Test(arguments: [
        ("{}", "an entry without an address"),
        (
            #"{"startedDateTime":"","request":{"url":"https://x/api/health"},"response":{"status":200}}"#,
            "without a time"
        ),
        (
            #"{"startedDateTime":"0001-01-01T00:00:00Z","request":{"url":"https://x/api/health"},"response":{"status":200,"content":{"text":"{}"}}}"#,
            "long before"
        ),
    ])
    func `an odd entry is left out and counted`(entry: String, words: String) throws {
        let read = try Read(har(entry + "," + socket), as: .har)
        #expect(read.words.count == 4, "\(read.words)")
        #expect(read.leftOut.entries.count == 1 && read.leftOut.entries[0].reason.contains(words), "\(read.leftOut)")
    }

    @Test(arguments: [
        (#""time":1772353800.5"#, #""time":"2026-03-01T08:30:00.500Z""#, 0, 0), (#""time":1772353800.5,"#, "", 0, 1),
        (#""opcode":2,"data":"AAEC""#, #""opcode":2,"data":{}"#, 1, 1),
        (#""2026-03-01T08:30:00.000Z""#, #""2026-03-01T08:31:00.000Z""#, 0, 1),
        (#""2026-03-01T08:30:00.000Z""#, #""0001-01-01T00:00:00Z""#, 0, 1),
        (#""type":"receive""#, #""type":"message""#, 1, 1),
    ])
    func `an odd message is repaired or left out`(part: String, odd: String, lost: Int, told: Int) throws {
        let read = try Read(har(socket.replacing(part, with: odd, maxReplacements: 1)), as: .har)
        #expect(read.words.count == 4 - lost, "\(read.words)")
        #expect(read.leftOut.entries.reduce(0) { $0 + $1.count } == told, "\(read.leftOut)")
        #expect(read.events.last.map { $0.at <= 2_000_000 } == true)
    }

    @Test func `an error ends its socket, and so does a close frame`() throws {
        let ends = socket.replacing(
            "]}",
            with:
                #",{"type":"receive","time":1772353803,"opcode":8,"data":"\u0003\u00e9"},{"type":"error","time":1772353804,"data":"x"}]}"#
        )
        let read = try Read(har(ends), as: .har)
        #expect(read.words.last == "A<close 1001")
        #expect(read.leftOut.entries.map(\.reason) == ["a WebSocket message after the end of its socket"])
        let broken = try Read(har(socket.replacing("]}", with: #",{"type":"error","data":"x"}]}"#)), as: .har)
        #expect(broken.words.last == "A eof")
    }

    @Test func `an export without messages says how to record some`() throws {
        let read = try Read(har(request("/api/health")), as: .har)
        #expect(read.lacksMessages && read.remarks.first?.contains("Export HAR") == true)
        #expect(try Read(har(socket), as: .har).lacksMessages == false)
    }

    @Test func `directions are turned as their types say`() throws {
        let turned = socket.replacing("\"send\"", with: "\"receive\"", maxReplacements: 1)
        let read = try Read(har(turned), as: .har)
        #expect(
            read.words.contains(#"A>{"type":"ping"}"#) && read.remarks.first?.hasPrefix("directions reversed") == true)
    }
}
