import Holdfast
import HoldfastTranscript
import TestSupport
import Testing

@testable import HoldfastJudge

/// How far a history went, by small histories.
@Suite struct ReachTests {
    private func reach(
        _ line: String, _ role: Role = .server, limits: [String: Int] = [:]
    ) throws -> Reach {
        let profiles: Set<Profile> = role == .server ? [.core, .sync, .auth] : [.clientCore, .clientSync]
        let subject = History.Subject(name: "peer", role: role, profiles: profiles, limits: limits)
        return Reach(try NotationExpansion(line, header: History.Header(subject: subject)).history)
    }

    private static let dimensions: [(Reach.Dimension, Int, Role, String)] = [
        (.sessionMessages, 4, .server, "A+ A>chat(c1) A<ack(c1) A<done(t1) A>chat(c2 s1) A<ack(c2) A<done(t2)"),
        (.sessionMessages, 9, .server, "1>GET 1<200(s2=9 s1)"),
        (.sessionMessages, 3, .client, "1>GET(s1) 1<200(u1 a1 u2)"),
        (.sessions, 2, .server, "1>GET 1<200(s2 s1)"),
        (.openAtOnce, 2, .server, "A+ A>close(1000) A<eof B+ C+"),
        (.openAtStop, 2, .server, "A+ A!cut A+ B+ C>open C<open server!stop A<close(1001) server!exit server!start B+"),
        (.cuts, 2, .server, "A+ A!cut A+ A<eof('reset') A+ A>close(1000)"),
        (.connectionSeconds, 30, .server, "A+ +30s A!cut +60s"),
        (.silentSeconds, 30, .server, "A+ A>ping +30s A>ping +60s A!cut"),
        (.restSeconds, 30, .server, "A+ A!cut +30s B+ C+(p2) +60s"),
        (.sessionRestSeconds, 30, .server, "1>GET(s1) 1<200(u1 a1) +30s A+ A>chat(c2 s1) +60s"),
        (.epochs, 2, .client, "A+(e1 #0) A!cut B+(e2 #0) B!cut C+(e2 #1)"),
        (.handshakes, 2, .server, "A+ B>open B<refused(401 'no') C>open C<open C!cut"),
        (
            .refusedPushes, 2, .server,
            "push<alert(a1 s1) push>503 push<alert(a1 s1) push>503 push<alert(a1 s1) push>200"
        ),
        (
            .failedReads, 2, .client,
            "client!launch 1>GET(s1) 1<503 2>GET(s1) 2<503 client!quit client!launch 3>GET(s1) 3<503"
        ),
        (.returns, 2, .client, "client!launch client!background client!foreground client!background client!foreground"),
        (.receivedBytes, 8, .server, "A+ A<done(t1 a1 'four') A<done(t1 a1 'four') A<done(t2 a2 'four')"),
        (.connections, 2, .client, "client!launch A+ A!cut B+ client!quit client!launch C+"),
        (.attempts, 2, .client, "client!launch A>open A<refused(503 'no') B>open B<eof C+ C<eof"),
        (
            .pages, 2, .server,
            """
            A+(e1 #2) A>sync(e1 #0) A<syncResult(e1 #1 too_many more)[done(t1 #1)] A>sync(e1 #1)
            A<syncResult(e1 #2 complete)[done(t2 #2)] A>sync(e1 #2) A<syncResult(e1 #2 complete)
            """
        ),
        (
            .framesDuringSync, 2, .server,
            """
            A+(e1 #1) B+(e1 #1) A<done(t7 #1) A>sync(e1 #0) B<done(t1 #2) A<done(t2 #3) A<pong(n1)
            A<syncResult(e1 #3 complete)[done(t7 #1)] A<done(t3 #4)
            """
        ),
        (.unacknowledged, 3, .server, "A+ A>chat(c1) A>chat(c2) A<ack(c1) A>chat(c3) A>chat(c4) A<ack(c2) A<ack(c3)"),
        (
            .inLine, 2, .server,
            """
            A+ A>chat(c1 s1) A<ack(c1) A>chat(c2 s1) A<ack(c2) A>chat(c3 s1) A<ack(c3) +3s A<done(t1) A<done(t2) A<done(t3)
            """
        ),
        (.inLineSeconds, 3, .server, "A+ A>chat(c1 s1) A<ack(c1) A>chat(c2 s1) A<ack(c2) +3s A<done(t1) A<done(t2)"),
        (
            .typedOffline, 2, .client,
            "client!launch A+ client!send(c1) A!cut client!send(c2) client!send(c3) B+ B>chat(c2)"
        ),
        (
            .typedOffline, 2, .client,
            "client!launch A+ A!cut(silence) client!networkDown client!send(c1) client!send(c2) client!networkUp B+"
        ),
        (.keys, 2, .server, "A+ A>chat(c1) A<ack(c1) A>chat(c2) A>chat(c1)"),
        (.repeatSeconds, 7, .server, "A+ A>chat(c1) A<ack(c1) +7s A>chat(c1)"),
        (.repeatQuestions, 2, .server, "A+ A>chat(c1) A>chat(c2) A>chat(c3) A>chat(c1)"),
        (.writes, 3, .server, "A+ A>chat(c1) A<ack(c1) A<done(t1) A>chat(c2) A<ack(c2) server!kill"),
        (.restarts, 2, .server, "A+ server!kill server!start B+ server!stop server!start"),
        (.restarts, 1, .client, "client!launch(fresh=true) A+ client!crash client!launch B+"),
        (.textBytes, 10, .server, "A+ A>chat(c1 'ten  bytes')"),
        (.readBytes, 9, .server, "1>GET(s1) 1<200(body='123456789')"),
        (
            .wrongTokens, 2, .server,
            "A+ B>open B<refused(401 'no') B>open B<open B>auth B<close(4001) A+ C>open C<refused(401 'no')"
        ),
        (.people, 2, .server, "A+ B+(p2)"),
        (.turnSeconds, 5, .server, "A+ A>chat(c1) A<ack(c1) +5s A<done(t1)"),
        (.numbers, 8, .server, "A+(e1 #7) A<done(t1 #8)"),
        (.kindsOfText, 3, .server, "A+ A>chat(c1 'a😀') A>chat(c2 ' a') A>chat(c3 'b') A>chat(c4 'b')"),
    ]

    @Test(arguments: dimensions)
    func `the largest value of a dimension is counted`(_ row: (Reach.Dimension, Int, Role, String)) throws {
        #expect(try reach(row.3, row.2).values[row.0] == row.1, "\(row.0): \(row.3)")
    }

    @Test func `a frame is measured by the limit of its connection`() throws {
        let share = try reach("A+(maxFrameBytes=200) A>chat(c1)").values[.frameShare] ?? 0
        #expect((20...100).contains(share))
        #expect(try reach("A+ A>chat(c1)", limits: ["messagesPerMinute": 9]).limits["messagesPerMinute"] == 9)
    }

    private static let pairs: [(Reach.Situation, Reach.Situation, Role, String)] = [
        (.threeUnacknowledged, .cutAmidTurn, .server, "A+ A>chat(c1) A>chat(c2) A>chat(c3) A!cut"),
        (
            .restartAmidTurn, .repeatedAfterRestart, .server,
            "A+ A>chat(c1) A<ack(c1) server!kill server!start B+ B>chat(c1)"
        ),
        (.repeated, .repeatedElsewhere, .server, "A+ A>chat(c1) A<ack(c1) 1>POST(c1) 1<200"),
        (.failedLive, .otherDevice, .server, "A+ B+ A>chat(c1) A<ack(c1) A<error(agent_failed t1)"),
        (.wrongToken, .unusualText, .server, "A+ A>chat(c1 ' x') B>open B<refused(401 'no')"),
        (
            .refusedWrites, .twoUnacknowledged, .server,
            "A+ server!refuseWrites A>chat(c1) A>chat(c2) server!acceptWrites"
        ),
        (
            .page, .replayLost, .server,
            """
            A+(e1 #2) A>sync(e1 #0) A<syncResult(e1 #1 too_many more)[done(t1 #1)] A>sync(e0 #1)
            A<syncResult(e1 #2 epoch_changed)
            """
        ),
        (
            .failedInReplay, .sentAgain, .client,
            """
            client!launch A+(e1 #1) A>chat(c1) A<ack(c1) A>sync(e1 #0)
            A<syncResult(e1 #2 complete)[error(agent_failed t1 #2)] client!sendAgain(c1)
            """
        ),
        (.failedInRead, .typedOffline, .client, "client!launch 1>GET(s1) 1<200(u1 t1=failed) client!send(c2)"),
        (
            .unknownInPage, .olderFrame, .client,
            """
            A+(e1 #1) A>sync(e1 #0) A<done(t3 #4) A<done(t1 #1)
            A<`{"type":"syncResult","missed":[{"type":"done"},{"type":"odd"},{"type":"done"}],"complete":true}`
            """
        ),
        (.readAhead, .otherDevice, .client, "A+ 1>GET(s1) 1<200(u1 a1) A<message(u1) A<done(t1)"),
        (.lesserGreeting, .awayAmidTurn, .client, "A+(sync) A>chat(c1) A<ack(c1) client!background A!cut B+(core)"),
    ]

    @Test(arguments: pairs)
    func `situations of a person meet`(_ row: (Reach.Situation, Reach.Situation, Role, String)) throws {
        let pairs = try reach(row.3, row.2).pairs
        #expect(pairs.contains(Reach.Pair(row.0, row.1)), "\(row.3): \(pairs)")
    }

    @Test func `what is long apart, or of other people, does not meet`() throws {
        let line =
            "A+ A>chat(c1) A<ack(c1) A!cut +20s B+ B>chat(c2 'q ') B<ack(c2) B<done(t2) C+(p2) C>chat(c3) C>chat(c4)"
        let reach = try reach(line)
        for situation in [Reach.Situation.cutAmidTurn, .unusualText, .twoUnacknowledged] {
            #expect(reach.pairs.contains(Reach.Pair(situation, situation)))
        }
        #expect(!reach.pairs.contains(Reach.Pair(.cutAmidTurn, .unusualText)))
        #expect(!reach.pairs.contains(Reach.Pair(.twoUnacknowledged, .unusualText)))
    }

    @Test func `nothing is counted of an empty history or of a capture`() throws {
        var header = History.Header(subject: History.Subject(name: "peer", role: .server, profiles: [.core]))
        #expect(Reach(History(header: header, events: [])) == Reach([]))
        header.capture = History.Capture(lacks: [])
        #expect(Reach(try NotationExpansion("A+ A>chat(c1)", header: header).history) == Reach([]))
    }
}
