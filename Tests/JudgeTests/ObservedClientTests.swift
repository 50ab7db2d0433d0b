import Holdfast
import HoldfastJSON
import HoldfastTranscript
import TestSupport
import Testing

@testable import HoldfastJudge

/// What a history says of a client as a program.
@Suite struct ObservedClientTests {
    private func observations(_ line: String, timeScale: Double = 1) throws -> Observations {
        let subject = History.Subject(name: "phone", role: .client, profiles: [.clientCore, .clientSync])
        let header = History.Header(subject: subject, timeScale: timeScale)
        return Observations(
            try NotationExpansion(line, header: header).history, under: try SourceTree.specification())
    }

    @Test func `sendings are given to what was typed`() throws {
        let line = """
            client!launch A+ client!send(c1) A>chat(c1) A!cut client!send(c2='question 1') 1>POST(c1)
            B+ B>chat(c9 'question 1') B>chat(c1) B>chat(c3)
            """
        let typed = try observations(line).clientQuestions.filter { $0.typed != nil }
        #expect(typed.map(\.text) == ["question 1", "question 1"])
        #expect(typed[0].requests.map(\.origin) == [.connection(0), .exchange(0), .connection(1)])
        #expect(typed[1].requests.map(\.clientMessageId) == ["c9"])
        #expect(typed[0].key == "c1")
    }

    @Test func `a new key for an old message is found by its words`() throws {
        let line = "client!launch A+ client!send(c1) A>chat(c1) A!cut 1>POST(c7 'question 1')"
        #expect(try observations(line).clientQuestions[0].keys == ["c1", "c7"])
    }

    @Test func `lives and the foreground follow the acts`() throws {
        let line = """
            client!launch(fresh=true) A+ client!background client!foreground client!networkDown client!quit
            client!networkUp client!launch client!background client!openPush(s2) client!exit(code=1)
            """
        let client = try observations(line).client
        #expect(client.launches.map(\.events) == [0..<8, 10..<13])
        #expect(client.launches.map(\.isFresh) == [true, false])
        #expect(
            [0, 5, 6, 8, 10, 11, 12, 13].map(client.isForeground(at:)) == [
                true, false, true, false, true, false, true, false,
            ])
        #expect([6, 7, 9].map(client.hasNetwork(at:)) == [true, false, true])
        #expect(client.acts("background").after(5).first?.event == 11)
    }

    @Test func `a screen belongs to its life`() throws {
        let line = """
            client!launch client=connecting A+ client=connected(s1 u1 a1 thinking 'No' busy unread.s2=2) client!quit
            client!launch B+ client=state(json='{"connection":"odd","errors":["x"],"unread":{"s2":0}}')
            """
        let client = try observations(line).client
        let shown = try #require(client.state(at: 6))
        #expect(shown.connection == .connected && shown.thinking && shown.ids == ["u1", "a1"])
        #expect(shown.errors.map(\.code) == ["busy", nil] && shown.unread == ["s2": 2])
        #expect(client.state(at: 8) == nil)
        #expect(client.states.last?.connection == nil)
        #expect(client.states.last?.errors.map(\.text) == ["x"])
        #expect(client.states.last?.unread == [:])
        #expect(client.states(from: 2, to: 7).map(\.event) == [1, 6])
    }

    @Test func `reads are known without an answer`() throws {
        let client = try observations("client!launch A+ 1>GET(s1) 2>GET 3>GET(s2) 3<200(u1) 4>GET(health)").client
        #expect(client.reads.count == 3)
        #expect(client.reads(of: "s1").count == 1)
    }

    @Test func `bounds of a client are scaled, and counted without allowance`() throws {
        let observations = try observations("client!launch", timeScale: 10)
        #expect(observations.clientBound(\.resend) == .milliseconds(3500))
        #expect(observations.clientWindow(\.attempts) == .seconds(6))
        #expect(observations.clientBound(\.foregroundReconnect) == .seconds(2))
        #expect(observations.clientBound(\.driver) == .seconds(10))
        #expect(try self.observations("client!launch", timeScale: 0).clientWindow(\.attempts) == .seconds(60))
    }
}
