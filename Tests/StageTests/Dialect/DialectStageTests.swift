import Foundation
import Holdfast
import HoldfastJSON
import HoldfastStage
import HoldfastTranscript
import HoldfastTransport
import TestSupport
import Testing

struct DialectStageTests {
    private func dialect(_ name: String) throws -> Dialect {
        let text = try #require(SpecificationFiles.embedded.texts["dialects/\(name).json"])
        return try Dialect(text, file: "\(name).json")
    }

    private func perform(
        _ steps: String, in name: String, at url: String, key: String?, needs: String = "{}",
        profiles: Set<Profile> = [.core], bounds: (inout Timeouts) -> Void = { _ in }
    ) async throws -> Performance {
        var subject = try subject(
            url, principals: [.init(name: "someone", token: key)], profiles: profiles, bounds: bounds)
        subject.speak(try dialect(name))
        return try await stage(subject).perform(scenario(steps, needs: needs))
    }

    @Test func `nami is asked with its key in the query, and greets nobody`() async throws {
        let server = try await TransportServer.start(handler: NamiLikeServer())
        let performance = try await perform(
            """
            {"do":"connect","on":"A"},{"do":"chat","on":"A","as":"c1","text":"hi"},
            {"do":"await","on":"A","type":"toolUse"},
            {"do":"await","on":"A","type":"done","save":{"s1":"/sessionId"}},
            {"do":"readUntil","session":"${s1}","holds":{"messages":2,"endedTurns":1}},{"do":"fence","on":"A"}
            """, in: "nami", at: server.webSocketURL("/"), key: NamiLikeServer.key)
        #expect(performance.problems.isEmpty && performance.stoppedAt == nil, "\(performance.stoppedAt ?? "")")
        let history = performance.history
        #expect(history.header.dialect.name == "nami")
        let all = history.events.map { "\($0)" }.joined()
        #expect(!all.contains(NamiLikeServer.key))
        #expect(all.contains("/ws?key=‹token of p1›"))
        #expect(!history.texts(.toServer).contains { $0.contains(#""auth""#) || $0.contains("nonce") })
        #expect(history.texts(.fromServer).first == #"{"type":"tool_use","tool":"webFetch"}"#)
    }

    @Test func `a key that nami refuses is a refused upgrade, and needs no end`() async throws {
        let server = try await TransportServer.start(handler: NamiLikeServer())
        let performance = try await perform(
            """
            {"do":"connect","on":"A","token":"wrong","optional":true},{"do":"awaitClose","on":"A"},{"do":"alive"}
            """, in: "nami",
            at: server.webSocketURL("/"), key: NamiLikeServer.key)
        #expect(performance.stoppedAt == nil && performance.problems.isEmpty)
        #expect(
            performance.history.events.contains {
                if case .refused(status: 401, _) = $0.kind { true } else { false }
            })
    }

    @Test func `what a wire cannot say is left out with its answer, and the rest goes on`() async throws {
        let server = try await TransportServer.start(handler: NamiLikeServer())
        // The key of a question is nothing to Nami, so what is wrong with it would be lost.
        let performance = try await perform(
            """
            {"do":"connect","on":"A"},
            {"do":"send","on":"A","frame":{"type":"chat","messages":[{"role":"user","content":"x"}],"clientMessageId":7}},
            {"do":"await","on":"A","type":"error"},
            {"do":"send","on":"A","frame":{"type":"chat","messages":[]}},
            {"do":"await","on":"A","type":"error"},
            {"do":"sendText","on":"A","text":"{\\"type\\":\\"zzz\\"}"},
            {"do":"await","on":"A","type":"error"}
            """, in: "nami", at: server.webSocketURL("/"), key: NamiLikeServer.key)
        #expect(performance.stoppedAt == nil, "\(performance.stoppedAt ?? "")")
        #expect(
            performance.history.texts(.toServer).prefix(2)
                == [#"{"type":"chat","messages":[]}"#, #"{"type":"zzz"}"#])
        let left = performance.history.events.compactMap { event -> String? in
            if case .act("leaveOut", let details) = event.kind { details["step"]?.stringValue } else { nil }
        }
        #expect(left == ["/steps/1"])
    }

    @Test func `what a wire has no word for is not waited for`() async throws {
        let server = try await TransportServer.start(handler: AdjutantLikeServer())
        let performance = try await perform(
            """
            {"do":"connect","on":"A"},{"do":"await","on":"A","type":"toolUse"},{"do":"fence","on":"A"},
            {"do":"await","on":"A","type":"toolUse","save":{"s1":"/sessionId"}}
            """, in: "adjutant", at: server.webSocketURL("/"), key: AdjutantLikeServer.key)
        #expect(performance.stoppedAt == "/steps/3: the dialect adjutant has no 'toolUse'")
        #expect(performance.history.missed.isEmpty)
    }

    @Test func `a repeat without its key is a new question, so it is left out`() async throws {
        let server = try await TransportServer.start(handler: AdjutantLikeServer())
        let performance = try await perform(
            """
            {"do":"connect","on":"A"},
            {"do":"postChat","as":"c1","text":"one"},{"do":"chat","on":"A","as":"c1","text":"one"},
            {"do":"await","on":"A","type":"ack"},
            {"do":"chat","on":"A","as":"c2","text":"two"},{"do":"chat","on":"A","as":"c2","text":"two"},
            {"do":"postChat","as":"c2","text":"two"},
            {"do":"repeat","times":3,"parallel":true,"steps":[{"do":"postChat","as":"c3","text":"three"}]},
            {"do":"repeat","times":2,"counter":"i","steps":[{"do":"postChat","as":"d${i}","text":"four"}]},
            {"do":"fence","on":"A"},
            {"do":"postChat","as":"c2","text":"two","save":{"s1":"/sessionId"}}
            """, in: "adjutant", at: server.webSocketURL("/"), key: AdjutantLikeServer.key,
            profiles: [.core])
        let reason =
            "the dialect adjutant carries no key over REST, so a resend there is a new question"
        #expect(performance.stoppedAt == "/steps/10: \(reason)")
        #expect(performance.problems.isEmpty && performance.history.missed.isEmpty)
        let asked = performance.history.texts(.toServer).dropFirst().compactMap { text in
            try? JSONParser.value(text)["body"]?.stringValue
        }
        #expect(asked == ["two", "two"])
        var posted: [String] = []
        var left: [String] = []
        for event in performance.history.events {
            switch event.kind {
            case .request(let request):
                let body = try JSONParser.value(try #require(request.body))
                posted.append(body["body"]?.stringValue ?? "")
            case .act("leaveOut", let details):
                left.append(details["step"]?.stringValue ?? "")
                #expect(details["reason"]?.stringValue == reason)
            default: break
            }
        }
        #expect(posted == ["one", "three", "four", "four"])
        #expect(left == ["/steps/2", "/steps/6"] + Array(repeating: "/steps/7/steps/0", count: 2))
    }

    @Test func `no reason holds a credential`() async throws {
        let server = try await TransportServer.start(handler: AdjutantLikeServer())
        let ask = #"{"do":"http","method":"GET","path":"/api/sessions?token=${p1Token}""#
        let performance = try await perform(
            ask + "}," + ask + #","save":{"s1":"/sessions"}}"#, in: "adjutant", at: server.webSocketURL("/"),
            key: AdjutantLikeServer.key)
        let reason = "the dialect adjutant cannot ask GET /api/sessions like this"
        #expect(performance.stoppedAt == "/steps/1: \(reason)")
        #expect(
            performance.history.events.map(\.kind)
                == [.act("leaveOut", ["step": "/steps/0", "reason": .string(reason)])])
    }

    @Test func `a pong that names no ping answers the last one`() async throws {
        let server = try await TransportServer.start(handler: NamiLikeServer())
        let performance = try await perform(
            """
            {"do":"connect","on":"A"},{"do":"sendText","on":"A","text":"{\\"type\\":\\"ping\\",\\"nonce\\":\\"n1\\"}"},
            {"do":"await","on":"A","type":"pong","where":{"/nonce":"n1"}}
            """, in: "nami", at: server.webSocketURL("/"), key: NamiLikeServer.key)
        #expect(performance.stoppedAt == nil, "\(performance.stoppedAt ?? "")")
    }

    @Test func `adjutant asks for the key first, and it is hidden where it stands`() async throws {
        let server = try await TransportServer.start(handler: AdjutantLikeServer())
        let performance = try await perform(
            """
            {"do":"connect","on":"A","save":{"seq":"/lastSeq","epoch":"/epoch"}},
            {"do":"sync","on":"A","lastSeqSeen":"${seq}","epoch":"${epoch}"},
            {"do":"await","on":"A","type":"syncResult"},
            {"do":"send","on":"A","frame":{"type":"ping","nonce":"n1"}},
            {"do":"await","on":"A","type":"pong"},{"do":"fence","on":"A"}
            """, in: "adjutant", at: server.webSocketURL("/"), key: AdjutantLikeServer.key,
            profiles: [.core, .sync])
        #expect(performance.problems.isEmpty && performance.stoppedAt == nil, "\(performance.stoppedAt ?? "")")
        let sent = performance.history.texts(.toServer)
        #expect(sent.count == 2 && sent[0].contains("auth_response") && sent[0].contains("‹token of p1›"))
        #expect(!performance.history.events.map { "\($0)" }.joined().contains(AdjutantLikeServer.key))
        // Without a ping of its own, that of the WebSocket is the fence.
        #expect(performance.history.events.contains { $0.kind == .pong(.fromServer) })
        #expect(performance.history.texts(.fromServer).first == #"{"type":"auth_challenge"}"#)
    }
}
