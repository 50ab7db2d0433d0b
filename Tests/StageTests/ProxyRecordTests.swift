import Foundation
import Holdfast
import JSON
import Testing
import Transcript
import Transport

@testable import Stage

/// What a proxy writes down, told to it as a relay does.
@Suite struct ProxyRecordTests {
    private final class Written: Sendable {
        let record: ProxyRecord
        let path: String

        init(_ role: Role = .server, _ rules: [String] = [], showsSecrets: Bool = false) throws {
            path = NSTemporaryDirectory() + "proxy-\(UUID().uuidString).ndjson"
            let subject = History.Subject(name: "s", role: role, profiles: [role == .server ? .core : .clientCore])
            record = ProxyRecord(
                role: role, canonical: { frame, _ in [frame] }, rules: try rules.map { try FaultRule($0) },
                file: try TranscriptFile(path, header: History.Header(subject: subject)), showsSecrets: showsSecrets,
                watched: WatchedEvents(), note: { _ in })
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        func text() throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

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

    @Test func `the window that is judged is bounded, and its places stay what they were`() {
        let watched = WatchedEvents(bounds: .init(events: 10, bytes: 1 << 20))
        watched.add(Event(at: 0, lane: .connection("A"), kind: .opening(.init(principal: "p7"))))
        for index in 1...40 {
            watched.add(Event(at: index, lane: .connection("A"), kind: .text(.toServer, "\(index)")))
        }
        let window = watched.look()
        #expect(window.events.count <= 20)
        #expect(window.events.first?.kind == .act("belongs", ["to": "p7"]), "who it is stays known")
        let last = window.events.count - 1
        #expect(window.base + last == 40)
        #expect(window.events.last?.kind == .text(.toServer, "40"))
        #expect(watched.letGoIfFull() == (window.events.count > 10))
    }
}
