import HoldfastBasics
import HoldfastJSON
import Testing

@testable import HoldfastReference

@Suite struct HostileFrameTests {
    static let texts: [(text: String, code: String)] = [
        ("", "parse_error"), ("{", "parse_error"), ("nul", "parse_error"), ("{}{}", "parse_error"),
        ("\u{FEFF}{}", "parse_error"), (String(repeating: "[", count: 4000), "parse_error"),
        ("null", "bad_request"), ("[]", "bad_request"), ("3", "bad_request"), ("\"x\"", "bad_request"),
        ("true", "bad_request"), ("{}", "bad_request"), (#"{"type":null}"#, "bad_request"),
        (#"{"type":"nothing"}"#, "unknown_type"), (#"{"type":"connected"}"#, "unknown_type"),
        (#"{"type":"ping","type":"ping"}"#, "bad_request"), (#"{"type":"ping","nonce":"\ud83d"}"#, "bad_request"),
        (#"{"type":"ping","nonce":5}"#, "bad_request"), (#"{"type":"auth","protocol":1}"#, "bad_request"),
        (#"{"type":"sync"}"#, "bad_request"), (#"{"type":"sync","lastSeqSeen":-1}"#, "bad_request"),
        (#"{"type":"sync","lastSeqSeen":1.5}"#, "bad_request"), (#"{"type":"sync","lastSeqSeen":"1"}"#, "bad_request"),
        (#"{"type":"sync","lastSeqSeen":9007199254740992}"#, "bad_request"),
        (#"{"type":"sync","lastSeqSeen":1e400}"#, "bad_request"),
        (#"{"type":"sync","lastSeqSeen":0,"limit":0}"#, "bad_request"),
        (#"{"type":"sync","lastSeqSeen":0,"epoch":""}"#, "bad_request"),
        (#"{"type":"chat","clientMessageId":"k"}"#, "bad_request"),
        (#"{"type":"chat","messages":[{"role":"user","content":"no key"}]}"#, "bad_request"),
        (#"{"type":"chat","clientMessageId":"k","messages":[]}"#, "bad_request"),
        (#"{"type":"chat","clientMessageId":"k","messages":[null]}"#, "bad_request"),
        (#"{"type":"chat","clientMessageId":"k","messages":"x"}"#, "bad_request"),
        (#"{"type":"chat","clientMessageId":"k","messages":[{"role":"user","content":5}]}"#, "bad_request"),
        (#"{"type":"chat","clientMessageId":"k","messages":[{"role":"user","content":[]}]}"#, "bad_request"),
        (
            #"{"type":"chat","clientMessageId":"k","messages":[{"role":"user","content":[{"type":"text"}]}]}"#,
            "bad_request"
        ),
        (
            #"{"type":"chat","clientMessageId":"k","messages":[{"role":"user","content":[{"type":"image","image":""}]}]}"#,
            "bad_request"
        ),
        (#"{"type":"chat","clientMessageId":"k","messages":[{"role":"robot","content":"x"}]}"#, "bad_request"),
        (#"{"type":"chat","clientMessageId":"k","messages":[{"role":"assistant","content":"x"}]}"#, "bad_request"),
        (
            #"{"type":"chat","clientMessageId":"k","messages":[{"role":"user","content":"x"}],"sessionId":"../x"}"#,
            "bad_request"
        ),
        (
            #"{"type":"chat","clientMessageId":"k","messages":[{"role":"user","content":"x"}],"sessionId":null}"#,
            "bad_request"
        ),
        (#"{"type":"chat","messages":[{"role":"user","content":"x"}],"clientMessageId":""}"#, "bad_request"),
    ]

    @Test(arguments: texts) func `ENV-3 whatever is wrong is told, and the connection stays`(
        _ text: String, _ code: String
    ) {
        let bench = Bench()
        let socket = bench.open()
        bench.say(text: text, on: socket)
        bench.say(["type": "ping", "nonce": "n"], on: socket)
        #expect(bench.frames[socket]?.dropFirst().map { $0.code ?? $0.text("nonce") } == [code, "n"])
        #expect(bench.ended.isEmpty)
        #expect(bench.list().isEmpty)
    }

    @Test func `ENV-3 binary, bad UTF-8 and size are told, and the connection stays`() {
        let bench = Bench()
        let socket = bench.open()
        bench.feed(.received(socket: socket, .binary([0, 255])))
        bench.feed(.received(socket: socket, .invalidText))
        bench.feed(.received(socket: socket, .tooLarge(bytes: 9000)))
        #expect(bench.frames("error", on: socket).map(\.code) == ["bad_request", "parse_error", "too_large"])
        #expect(bench.ended.isEmpty)
    }

    @Test func `ENV-4 members nobody knows change nothing`() {
        let bench = Bench()
        let socket = bench.open()
        bench.say(
            text:
                #"{"x":{"type":"y"},"type":"chat","clientMessageId":"k","messages":[{"role":"user","content":"a","z":[1]}],"sessionid":7}"#,
            on: socket)
        #expect(bench.frames("done", on: socket).count == 1)
    }

    /// Every byte of good frames replaced, dropped and doubled: the answer may be anything, but there is one.
    @Test func `no damage to a good frame stops the server`() {
        let bench = Bench()
        let socket = bench.open()
        let good = [
            #"{"type":"chat","clientMessageId":"k","messages":[{"role":"user","content":"{\"script\":[{\"tool\":\"t\"},{\"reply\":\"é\"}]}"}]}"#,
            #"{"type":"sync","lastSeqSeen":12,"epoch":"e","limit":3}"#,
        ]
        for text in good.map({ Array($0.utf8) }) {
            for position in text.indices {
                for damage in 0..<4 {
                    var bytes = text
                    switch damage {
                    case 0: bytes.remove(at: position)
                    case 1: bytes.insert(bytes[position], at: position)
                    case 2: bytes[position] = 0x39
                    default: bytes[position] = UInt8(ascii: "{")
                    }
                    guard let damaged = String(utf8: bytes) else { continue }
                    let before = bench.frames[socket]?.count ?? 0
                    bench.say(text: damaged, on: socket)
                    #expect((bench.frames[socket]?.count ?? 0) > before, "\(damaged)")
                }
            }
        }
        #expect(bench.ended.isEmpty)
        #expect(bench.core.isIdle)
    }

    @Test(arguments: [
        ("GET", "/", 404), ("GET", "/api", 404), ("GET", "/api/", 404), ("GET", "/api/sessions/", 400),
        ("GET", "/api/sessions/a/b", 404), ("GET", "/api/sessions/..", 400), ("GET", "/api/sessions/%2e%2e", 400),
        ("GET", "/api/sessions/unknown", 404), ("DELETE", "/api/sessions", 405), ("PUT", "/api/chat", 405),
        ("POST", "/api/health", 405), ("POST", "/api/chat", 400), ("", "", 404),
    ]) func `ID-4 whatever is asked gets a JSON answer`(_ method: String, _ path: String, _ status: Int) throws {
        let bench = Bench()
        let answer = try #require(bench.ask(method, path))
        #expect(answer.status == status)
        #expect(try JSONParser.value(answer.body)["error"] != nil)
    }

    @Test func `a body over the limit is refused`() {
        let bench = Bench()
        #expect(bench.ask("POST", "/api/chat", body: .string(String(repeating: "x", count: 6000)))?.status == 413)
    }
}
