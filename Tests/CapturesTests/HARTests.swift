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
        (#"{"log":{"entries":{}}}"#, "it is object"),
        (#"{"log":{"entries":[{}]}}"#, "/log/entries/0/request/url"),
        (#"{"log":{"entries":[{"request":{"url":"ws://x","method":"GET"},"startedDateTime":"noon"}]}}"#, "'noon'"),
        (
            #"{"log":{"entries":[{"request":{"url":"ws://x","method":"GET"},"startedDateTime":"2026-03-01T08:30:00Z","_webSocketMessages":[{"data":"x","time":1}]}]}}"#,
            "/log/entries/0/_webSocketMessages/0/type"
        ),
    ])
    func `another shape is told with its place`(text: String, words: String) throws {
        let problem = #expect(throws: InputProblem.self) { try Read(text, as: .har) }
        #expect(problem.map { "\($0)".contains(words) } == true, "\(String(describing: problem))")
    }
}
