import Holdfast
import HoldfastJSON
import HoldfastProxy
import Testing

@testable import HoldfastMock
@testable import HoldfastTransport

@Suite struct MockRecordTests {
    private static let request = HTTPServerRequest(
        method: "GET", target: "/ws?key=secret-key-1", headers: [("Authorization", "Bearer top-secret-2")])

    private static func record(_ faults: String...) throws -> MockRecord {
        let record = MockRecord(faults: try faults.map { try Rule($0) }, owners: [("anna", "long-secret-3")])
        record.opened(request, number: 7)
        return record
    }

    private static func briefs(_ record: MockRecord) -> [String] {
        record.frames(after: 0, atMost: 100).frames.map { "\($0.lane)\($0.mark) \($0.brief)" }
    }

    @Test func `frames are told in short, by numbers for their ids`() throws {
        let record = try Self.record()
        let turn = #""sessionId":"ses_x","turnId":"trn_a""#
        for (side, text) in [
            (
                RelaySide.client,
                #"{"type":"chat","messages":[{"role":"user","content":"hi\nyou"}],"clientMessageId":"c1"}"#
            ),
            (.server, #"{"type":"ack",\#(turn),"messageId":"msg_a","clientMessageId":"c1"}"#),
            (.server, #"{"type":"toolUse","tool":"web",\#(turn),"status":"started","seq":3}"#),
            (.server, #"{"type":"done","text":"x","sessionId":"y","turnId":"trn_b","messageId":"msg_b","seq":4}"#),
            (.client, #"{"type":"sync","lastSeqSeen":4,"epoch":"epo"}"#),
            (
                .server,
                #"{"type":"syncResult","epoch":"epo","lastSeq":5,"missed":[{"type":"done","seq":5}],"complete":true}"#
            ),
            (.server, #"{"type":"error","error":"slow down","code":"rate_limited","retryAfterMs":9}"#),
            (.client, "null"), (.client, #"{"type":"dance"}"#),
        ] { _ = record.saw(.text(text), from: side, number: 7) }
        _ = record.saw(.close(code: 1001, reason: "away"), from: .client, number: 7)
        #expect(
            Self.briefs(record).dropFirst() == [
                #"A> chat c1 "hi\nyou""#, "A< ack c1 s1 t1 m1", "A< toolUse web s1 t1 #3",
                #"A< done s2 t2 m2 #4 "x""#, "A> sync e1 #4", "A< syncResult e1 #5 complete [done #5]",
                #"A< error rate_limited again in 9 ms "slow down""#, "A> no frame: null",
                "A> dance", "A> close 1001 away",
            ])
        #expect(record.connections[7]?.messages == 9)
        record.ended(number: 7)
        #expect(record.connections.isEmpty)
    }

    @Test func `credentials are nobody's to read`() throws {
        let record = try Self.record()
        _ = record.saw(.text(#"{"type":"auth","protocol":1,"token":"frame-secret-4"}"#), from: .client, number: 7)
        _ = record.saw(.text(#"{"type":"ping","nonce":"frame-secret-4 long-secret-3"}"#), from: .client, number: 7)
        _ = record.asked(
            HTTPServerRequest(
                method: "POST", target: "/api/chat?token=query-secret-5",
                headers: [("authorization", "Bearer r-secret-6")],
                body: Array(#"{"text":"r-secret-6","password":"body-secret-7"}"#.utf8)), number: 8)
        _ = record.answered(.json(#"{"text":"query-secret-5"}"#), number: 8)
        let frames = record.frames(after: 0, atMost: 100).frames
        let all = frames.map { $0.brief + ($0.verbatim ?? "") }.joined(separator: "\n")
        #expect(!all.contains("secret-"), "\(all)")
        #expect(all.contains("‹token of anna›"))
        #expect(frames.count == 5)
    }

    @Test func `rules are followed, and told`() throws {
        let record = try Self.record("cut before done", "drop toolUse", "refuse GET 503", "cut after POST")
        #expect(
            record.saw(.text(#"{"type":"toolUse","tool":"a"}"#), from: .server, number: 7) == RelayAction(copies: 0))
        #expect(
            record.saw(.text(#"{"type":"done","text":"a"}"#), from: .server, number: 7)
                == RelayAction(copies: 0, ending: .cut(.fin)))
        #expect(record.saw(.text(#"{"type":"done","text":"a"}"#), from: .server, number: 7) == .pass)
        guard case .answer(let refusal) = record.asked(HTTPServerRequest(method: "GET", target: "/"), number: 8) else {
            Issue.record("not refused")
            return
        }
        #expect(refusal.status == 503)
        _ = record.answered(refusal, number: 8)
        guard case .pass = record.asked(HTTPServerRequest(method: "POST", target: "/"), number: 9),
            case .cut(.fin) = record.answered(.json("{}"), number: 9)
        else {
            Issue.record("the answer was not cut")
            return
        }
        #expect(record.faults.entries.map(\.uses) == [1, 1, 1, 1])
        #expect(Self.briefs(record).contains("A! fault: cut before done"))
        record.removeFaults()
        #expect(record.faults.isEmpty)
    }

    @Test func `only the newest frames are kept, and huge ones are cut`() throws {
        let record = try Self.record()
        for _ in 0..<2000 { _ = record.saw(.text("{}"), from: .client, number: 7) }
        let (last, frames) = record.frames(after: 0, atMost: 5000)
        #expect(last == 2001)
        #expect(frames.count <= 2 * MockRecord.maxFrames)
        #expect(frames.last?.number == 2001)
        _ = record.saw(.text(String(repeating: "x", count: 100_000)), from: .client, number: 7)
        #expect(
            (record.frames(after: last, atMost: 9).frames.first?.verbatim?.count ?? 0) < MockRecord.maxVerbatim + 50)
    }
}

@Suite struct ControlFenceTests {
    private static func refusal(
        _ method: String, _ headers: [(String, String)], body: String = ""
    ) -> String? {
        ControlFence.refusal(
            of: HTTPServerRequest(method: method, target: "/", headers: headers, body: Array(body.utf8)), port: 9001)
    }

    @Test func `programs and the page itself may ask`() {
        #expect(Self.refusal("GET", [("Host", "127.0.0.1:9001")]) == nil)
        #expect(Self.refusal("POST", [("Host", "localhost:9001")]) == nil)
        #expect(
            Self.refusal(
                "POST",
                [
                    ("Host", "[::1]:9001"), ("Origin", "http://[::1]:9001"), ("Sec-Fetch-Site", "same-origin"),
                    ("Content-Type", "application/json; charset=utf-8"),
                ], body: "{}") == nil)
        #expect(Self.refusal("GET", [("host", "LOCALHOST:9001"), ("Sec-Fetch-Site", "none")]) == nil)
    }

    @Test func `pages elsewhere may not, whatever name they bind to this machine`() {
        let here = ("Host", "127.0.0.1:9001")
        for headers in [
            [], [("Host", "evil.example:9001")], [("Host", "127.0.0.1:9002")], [("Host", "127.0.0.1")],
            [here, ("Host", "evil.example")], [here, ("Origin", "http://evil.example")], [here, ("Origin", "null")],
            [here, ("Origin", "http://localhost:9001")], [here, ("Origin", "http://127.0.0.1:3000")],
            [here, ("Sec-Fetch-Site", "cross-site")], [here, ("Sec-Fetch-Site", "same-site")],
        ] { #expect(Self.refusal("POST", headers) != nil, "\(headers)") }
        #expect(Self.refusal("POST", [here, ("Content-Type", "text/plain")], body: "{}") != nil)
        #expect(Self.refusal("POST", [here], body: "{}") != nil)
    }
}
