import Foundation
import Holdfast
import HoldfastJSON
import HoldfastPlatform
import HoldfastTranscript
import Testing

@testable import HoldfastProxy
@testable import HoldfastTransport

/// What a proxy writes down, told to it as a relay does.
@Suite struct ProxyRecordTests {
    private final class Written: Sendable {
        let record: ProxyRecord
        let path: String

        let notes = Notes()

        final class Notes: Sendable {
            let lines = Mutex<[String]>([])
        }

        init(_ role: Role = .server, _ rules: [String] = [], showsSecrets: Bool = false) throws {
            let notes = notes
            path = NSTemporaryDirectory() + "proxy-\(UUID().uuidString).ndjson"
            let subject = History.Subject(name: "s", role: role, profiles: [role == .server ? .core : .clientCore])
            record = ProxyRecord(
                role: role, dialect: .canonical, rules: try rules.map { try Rule($0) },
                file: try TranscriptFile(path, header: History.Header(subject: subject)), showsSecrets: showsSecrets,
                watch: { _ in }, note: { line in notes.lines.withLock { $0.append(line) } })
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        func text() throws -> String {
            record.keep()
            return try String(contentsOfFile: path, encoding: .utf8)
        }

        func events() throws -> [Event] { try TranscriptReader.history(in: text(), file: path).events }

        /// The kinds of events, in short.
        func words() throws -> [String] {
            try events().map { event in
                switch event.kind {
                case .text(let direction, let text): "\(event.lane)\(direction.rawValue)\(text)"
                case .act(let name, let details):
                    "\(event.lane)!\(name) \((details["how"] ?? details["rule"] ?? details["to"])?.stringValue ?? "")"
                case .opening(let opening): "\(event.lane) open \(opening.principal) \(opening.path)"
                case .refused(let status, _): "\(event.lane) refused \(status ?? 0)"
                case .eof(let reason): "\(event.lane) eof \(reason)"
                case .request(let request):
                    "\(event.lane) \(request.method) \(request.path) \(request.principal ?? "-")"
                case .response(let response): "\(event.lane) \(response.status)"
                case .opened: "\(event.lane) opened"
                case .failed(let reason): "\(event.lane) failed \(reason)"
                default: "\(event.lane) other"
                }
            }
        }

        func open(_ target: String = "/ws", _ headers: [(String, String)] = [], number: Int = 1) {
            let request = HTTPServerRequest(method: "GET", target: target, headers: headers)
            _ = record.began(request, isUpgrade: true, number: number)
            record.upgraded(number: number)
        }
    }

    @Test func `no credential is written, wherever it stands and however often it comes back`() throws {
        let written = try Written()
        let record = written.record
        let cookie = ("Cookie", "sid=cookie-secret-1; theme=dark-theme-9")
        written.open("/ws?key=query-secret-1&x=1", [cookie])
        _ = record.saw(.text(#"{"type":"auth","protocol":1,"token":"frame-secret-1"}"#), from: .client, number: 1)
        _ = record.saw(.text(#"{"type":"auth_response","apiKey":"ab"}"#), from: .client, number: 1)
        _ = record.saw(.binary(Array(#"{"type":"auth","token":"binary-secret"}"#.utf8)), from: .client, number: 1)
        _ = record.saw(.text(#"{"type":"error","error":"frame-secret-1 is bad"}"#), from: .server, number: 1)
        _ = record.saw(.close(code: 4001, reason: "query-secret-1"), from: .server, number: 1)
        let request = HTTPServerRequest(
            method: "POST", target: "/api/chat?access_token=query%2Dsecret%2D2",
            headers: [("Authorization", "Bearer bearer-secret-1"), ("X-API-Key", "header-secret-1")])
        _ = record.began(request, isUpgrade: false, number: 2)
        record.asked(.whole(Array(#"{"password":"body-secret-1"}"#.utf8)), number: 2)
        record.answered(
            HTTPServerResponse(status: 200, headers: [("Set-Cookie", "sid=cookie-secret-2; Path=/")]),
            .whole(Array(#"{"you":"bearer-secret-1","accessToken":"given-secret-1","sid":"cookie-secret-2"}"#.utf8)),
            number: 2)
        let text = try written.text()
        #expect(!text.contains("secret"), "\(text)")
        #expect(!text.contains(#"\"ab\""#), "a short one stands where a credential belongs")
        #expect(text.contains("‹token of p1›"))
    }

    @Test(arguments: [
        "username=a&password=hunter2secret", "grant_type=x&refresh_token=abc%20secret+9&x=1",
        #"{"user":{"name":"a","password":"secret"}}"#, #"{"success":true,"data":{"token":"eyJ-secret"}}"#,
        #"[{"session_token" : "se\u0063ret\"x"}]"#, #"{"p\u0061ssword":"secret"}"#, #"{"password":"secret", broken"#,
        #"{"padding":"\#(String(repeating: "x", count: 100_000))","jwt":"secret"}"#,
    ])
    func `a body loses what stands under the name of a credential, in every form and at every depth`(
        _ body: String
    ) throws {
        let written = try Written()
        let record = written.record
        _ = record.began(HTTPServerRequest(method: "POST", target: "/login"), isUpgrade: false, number: 1)
        record.asked(.whole(Array(body.utf8)), number: 1)
        record.answered(HTTPServerResponse(status: 200), .whole(Array(body.utf8)), number: 1)
        let text = try written.text()
        #expect(!text.contains("secret\""), "\(text.suffix(400))")
        for word in ["hunter2secret", "abc%20secret", "eyJ-secret", "ret\\\"x", #":\"secret"#] {
            #expect(!text.contains(word))
        }
        #expect(text.contains("‹token of body›"))
    }

    @Test func `a query and a head lose what stands under the name of a credential`() throws {
        let written = try Written()
        let target = "/a?password=secret-1&refresh_token=secret-2&x=1#access_token=secret-3"
        _ = written.record.began(HTTPServerRequest(method: "GET", target: target), isUpgrade: false, number: 1)
        written.record.asked(.whole([]), number: 1)
        written.record.answered(
            HTTPServerResponse(
                status: 302,
                headers: [("Location", "https://x/?a=1&access_token=secret-4"), ("X-Auth-Token", "secret-5")]),
            .whole(Array(#"{"again":"secret-4"}"#.utf8)), number: 1)
        let text = try written.text()
        #expect(!text.contains("secret"), "\(text)")
        #expect(text.contains("&x=1#access_token="))
        #expect(text.contains("https://x/?a=1&access_token=‹token"))
    }

    @Test func `what a server gives out in a frame is kept from everything that follows`() throws {
        let written = try Written()
        written.open()
        let long = String(repeating: "x", count: 100_000)
        for (frame, side) in [
            (#"{"type":"auth_response","data":{"token":"secret-01"}}"#, RelaySide.server),
            (#"{"type":"event","refreshToken":"secret-02"}"#, .server),
            (#"{"type":"event","token":"secret-0123456789abcdef"}"#, .server),
            (#"{"type":"event","padding":"\#(long)","apiKey":"secret-03"}"#, .client),
            (#"{"type":"event","text":"secret-01 secret-02 secret-03"}"#, .server),
        ] { _ = written.record.saw(.text(frame), from: side, number: 1) }
        #expect(!(try written.text()).contains("secret"))
    }

    @Test func `whoever shows more than a thousand credentials shows none of them to others`() throws {
        let written = try Written()
        for number in 1...1002 {
            let request = HTTPServerRequest(
                method: "GET", target: "/", headers: [("Authorization", "Bearer secret-number-\(number)")])
            _ = written.record.began(request, isUpgrade: false, number: number)
        }
        written.record.asked(.whole([]), number: 1002)
        written.record.answered(
            HTTPServerResponse(status: 200), .whole(Array(#"{"you":"secret-number-1002"}"#.utf8)), number: 1002)
        #expect(!(try written.text()).contains("secret-number"))
    }

    @Test func `what an answer says about a password is no password`() throws {
        let written = try Written()
        let record = written.record
        _ = record.began(HTTPServerRequest(method: "POST", target: "/login"), isUpgrade: false, number: 1)
        record.asked(.whole([]), number: 1)
        let body = #"{"errors":{"password":"must be given"},"error":"it must be given"}"#
        record.answered(HTTPServerResponse(status: 400), .whole(Array(body.utf8)), number: 1)
        #expect(try written.text().contains("it must be given"))
    }

    @Test func `an answer that says token by chance stays as it is`() throws {
        let written = try Written()
        written.open()
        let text = #"{"type":"stream_token","token":"Hello, world"}"#
        for _ in 0..<2 { _ = written.record.saw(.text(text), from: .server, number: 1) }
        #expect(try written.words().suffix(2) == ["A<\(text)", "A<\(text)"])
    }

    @Test func `credentials are shown when that is asked for`() throws {
        let written = try Written(showsSecrets: true)
        written.open("/ws?key=query-secret-1")
        #expect(try written.words().first == "A open p1 /ws?key=query-secret-1")
    }

    @Test func `people are told apart by what they show, on every road`() throws {
        let written = try Written()
        let record = written.record
        written.open("/ws?key=one-of-them", number: 1)
        written.open("/ws", number: 2)
        _ = record.saw(.text(#"{"type":"auth","token":"the-other-one"}"#), from: .client, number: 2)
        let request = HTTPServerRequest(
            method: "GET", target: "/api/sessions", headers: [("Authorization", "Bearer the-other-one")])
        _ = record.began(request, isUpgrade: false, number: 3)
        record.asked(.whole([]), number: 3)
        #expect(
            try written.words() == [
                "A open p1 /ws?key=‹token of p1›", "A opened", "B open unknown B /ws", "B opened", "B!belongs p2",
                #"B>{"type":"auth","token":"‹token of p2›"}"#, "1 GET /api/sessions p2",
            ])
    }

    @Test func `a message that was left out is written where the subject sent it, and not where it never came`() throws
    {
        let server = try Written(.server, ["drop done", "drop chat", "duplicate ping"])
        let client = try Written(.client, ["drop done", "drop chat", "duplicate ping"])
        for written in [server, client] {
            written.open()
            #expect(written.record.saw(.text(#"{"type":"chat"}"#), from: .client, number: 1).copies == 0)
            #expect(written.record.saw(.text(#"{"type":"ping"}"#), from: .client, number: 1).copies == 2)
            #expect(written.record.saw(.text(#"{"type":"done"}"#), from: .server, number: 1).copies == 0)
        }
        #expect(
            try server.words().dropFirst(2) == [
                "A!fault drop chat", #"A>{"type":"ping"}"#, #"A>{"type":"ping"}"#, "A!fault duplicate ping",
                #"A<{"type":"done"}"#, "A!fault drop done",
            ])
        #expect(
            try client.words().dropFirst(2) == [
                #"A>{"type":"chat"}"#, "A!fault drop chat", #"A>{"type":"ping"}"#, "A!fault duplicate ping",
                "A!fault drop done",
            ])
    }

    @Test func `a message of which only the head was seen is left alone`() throws {
        let written = try Written(.server, ["drop frame always", "duplicate frame always"])
        written.open()
        #expect(written.record.saw(.tooLarge(bytes: 1 << 30), from: .server, number: 1) == .pass)
        #expect(written.record.tallies.faults == 0)
        #expect(written.record.tallies.unseen == 1)
        #expect(written.record.unusedRules.count == 2)
    }

    @Test func `a rule that waits for an answer counts once there is one`() throws {
        let written = try Written(.server, ["cut after POST"])
        let record = written.record
        let request = HTTPServerRequest(method: "POST", target: "/api/chat")
        _ = record.began(request, isUpgrade: false, number: 1)
        record.asked(.whole([]), number: 1)
        record.failed(TransportProblem(.connectionRefused, at: "x"), by: .server, number: 1)
        #expect(record.unusedRules.map(\.text) == ["cut after POST"])
        // Its body was too large to be kept; the answer comes all the same.
        _ = record.began(request, isUpgrade: false, number: 2)
        record.asked(.unseen, number: 2)
        guard case .cut(.fin) = record.answering(HTTPServerResponse(status: 200), number: 2) else {
            Issue.record("not cut")
            return
        }
        record.failed(TransportProblem(.closed, at: "client"), by: .client, number: 2)
        #expect(record.unusedRules.isEmpty)
        #expect(record.tallies.faults == 1)
    }

    @Test func `a refusal of the proxy is held against no server, and shown to a client's judge`() throws {
        let server = try Written(.server, ["refuse upgrade 503"])
        let client = try Written(.client, ["refuse upgrade 503"])
        for written in [server, client] {
            let request = HTTPServerRequest(method: "GET", target: "/ws")
            guard case .answer(let answer) = written.record.began(request, isUpgrade: true, number: 1) else {
                Issue.record("not refused")
                continue
            }
            #expect(answer.status == 503)
            written.open(number: 2)
        }
        #expect(try server.words() == ["server!fault refuse upgrade 503", "B open unknown B /ws", "B opened"])
        #expect(
            try client.words() == [
                "A open unknown A /ws", "A refused 503", "A!fault refuse upgrade 503", "B open unknown B /ws",
                "B opened",
            ])
    }

    @Test func `how a connection ended is told from the subject's side`() throws {
        for (role, side, expected) in [
            (Role.server, RelaySide.server, "A eof reset"), (.server, .client, "A!cut reset"),
            (.client, .client, "A eof reset"), (.client, .server, "A!cut reset"),
        ] {
            let written = try Written(role)
            written.open()
            written.record.ended(by: side, wasReset: true, number: 1)
            #expect(try written.words().last == expected)
        }
    }

    @Test func `what passed unseen is written as unseen, and nobody is asked for it`() throws {
        let written = try Written()
        written.open()
        written.record.lost(TransportProblem(.protocolError(reason: "x"), at: "client"), from: .client, number: 1)
        _ = written.record.saw(.text("after"), from: .server, number: 1)
        let request = HTTPServerRequest(method: "POST", target: "/api/chat")
        _ = written.record.began(request, isUpgrade: false, number: 2)
        written.record.asked(.unseen, number: 2)
        written.record.answered(HTTPServerResponse(status: 200), .whole([]), number: 2)
        #expect(try written.words().dropFirst(2) == ["A!unreadable ", "A!cut silence"])
        #expect(written.record.tallies.unseen == 2)
    }

    @Test func `a transcript is never written over`() throws {
        let written = try Written()
        let header = History.Header(subject: History.Subject(name: "s", role: .server, profiles: [.core]))
        let problem = #expect(throws: InputProblem.self) { try TranscriptFile(written.path, header: header) }
        #expect(problem?.what == "the file exists")
    }

    @Test func `a server whose certificate is not believed is told once, with the reason`() throws {
        let written = try Written()
        for number in 1...2 {
            _ = written.record.began(HTTPServerRequest(method: "GET", target: "/ws"), isUpgrade: true, number: number)
            let problem = TransportProblem(.tls(reason: "unable to get local issuer"), at: "wss://h/")
            written.record.failed(problem, by: .server, number: number)
        }
        let lines = written.notes.lines.withLock { $0 }
        #expect(lines == ["wss://h/: TLS failed, unable to get local issuer; clients get 502"])
    }
}
