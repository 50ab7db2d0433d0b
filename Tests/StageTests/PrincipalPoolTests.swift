import Holdfast
import HoldfastJSON
import HoldfastTranscript
import HoldfastTransport
import Testing

@testable import HoldfastStage

/// Budgets are judged at moments that the tests choose; nothing here waits.
@Suite struct PrincipalPoolTests {
    private let start = ContinuousClock.now

    private func subject(_ count: Int, limits: [String: Int] = [:]) throws -> ServerSubject {
        var subject = ServerSubject(
            name: "limited", webSocket: try Endpoint("ws://127.0.0.1:1/ws"),
            principals: (1...count).map { ServerSubject.Principal(name: "p\($0)", token: "token-\($0)") },
            profiles: [.core, .rateLimit])
        subject.limits = limits
        return subject
    }

    private func chats(_ count: Int, needs: String = "{}") throws -> Scenario {
        try scenario(
            #"{"do":"connect","on":"A"},{"do":"repeat","times":\#(count),"steps":[{"do":"chat","on":"A","as":"c1"}]}"#,
            needs: needs)
    }

    /// A performance in which so many questions were asked at its end.
    private func performance(_ asked: Int, telling connected: String = "connected") throws -> Performance {
        let chats = (0..<asked).map { "A>chat(c\($0 + 1))" }.joined(separator: " ")
        let header = History.Header(
            subject: History.Subject(name: "limited", role: .server, profiles: [.core, .rateLimit]))
        let history = try NotationExpansion("A>open(p1) A<open A>auth A<\(connected) \(chats)", header: header).history
        return Performance(scenario: try self.chats(1).name, history: history, duration: .milliseconds(5 + asked))
    }

    private func names(_ loan: PrincipalPool.Loan) -> [String]? {
        if case .lent(let principals) = loan { principals.map(\.name) } else { nil }
    }

    @Test func `without a limit principals are lent in turn`() throws {
        var pool = PrincipalPool(try subject(2), now: start)
        #expect(names(pool.lend(to: try chats(500), now: start)) == ["p1"])
        #expect(names(pool.lend(to: try chats(500), now: start)) == ["p2"])
        guard case .busy = pool.lend(to: try chats(1), now: start) else {
            Issue.record("both are lent")
            return
        }
    }

    @Test func `what was asked is known also while no limit is`() throws {
        func spent(_ loan: PrincipalPool.Loan) -> [Int?]? {
            if case .lent(let principals) = loan { principals.map(\.spent) } else { nil }
        }
        var subject = try subject(1)
        var pool = PrincipalPool(subject, now: start)
        let needs = #"{"budget":true}"#
        #expect(spent(pool.lend(to: try chats(1, needs: needs), now: start)) == [nil])
        subject.isUntouched = true
        pool = PrincipalPool(subject, now: start)
        let lent = pool.lend(to: try chats(2, needs: needs), now: start)
        #expect(spent(lent) == [0])
        guard case .lent(let principals) = lent else { return }
        pool.take(back: principals, after: try performance(2), now: start + .seconds(1))
        #expect(spent(pool.lend(to: try chats(1), now: start + .seconds(2))) == [2])
    }

    @Test func `the principal with most left is lent`() throws {
        var pool = PrincipalPool(try subject(2, limits: ["messagesPerMinute": 10]), now: start)
        let first = pool.lend(to: try chats(6), now: start)
        guard case .lent(let lent) = first else {
            Issue.record("nobody was lent")
            return
        }
        pool.take(back: lent, after: try performance(6), now: start + .seconds(1))
        #expect(names(pool.lend(to: try chats(6), now: start + .seconds(2))) == ["p2"])
    }

    @Test func `who has too little left is waited for until the window has passed`() throws {
        var pool = PrincipalPool(try subject(1, limits: ["messagesPerMinute": 10]), now: start)
        guard case .lent(let lent) = pool.lend(to: try chats(6), now: start) else {
            Issue.record("nobody was lent")
            return
        }
        pool.take(back: lent, after: try performance(6), now: start + .seconds(1))
        guard case .later(let moment, let isFinal, let reason) = pool.lend(to: try chats(6), now: start + .seconds(2))
        else {
            Issue.record("it has 4 left of 10")
            return
        }
        #expect(isFinal)
        #expect(moment > start + .seconds(59) && moment <= start + .seconds(61))
        #expect(
            reason
                == "it asks 6 questions, and no principal has that many left of 10 in 60 s; add principals, "
                + "raise messagesPerMinute, or give --patience 60")
        #expect(names(pool.lend(to: try chats(4), now: start + .seconds(2))) == ["p1"])
    }

    @Test func `more questions than the budget holds are never asked`() throws {
        var pool = PrincipalPool(try subject(1, limits: ["messagesPerMinute": 10]), now: start)
        guard case .never(let reason) = pool.lend(to: try chats(11), now: start) else {
            Issue.record("eleven do not fit into ten")
            return
        }
        #expect(
            reason
                == "the limits of the server rule it out: it asks 11 questions, and the rate limit is 10 in 60 s; "
                + "configure a larger messagesPerMinute")
    }

    @Test func `some principals stay untouched for those that spend a budget`() throws {
        let spender = try chats(1, needs: #"{"budget":true}"#)
        let scenarios = [try chats(1), spender]
        var pool = PrincipalPool(try subject(2, limits: ["messagesPerMinute": 10]), for: scenarios, now: start)
        #expect(names(pool.lend(to: try chats(1), now: start)) == ["p1"])
        guard case .busy = pool.lend(to: try chats(1), now: start) else {
            Issue.record("p2 is kept")
            return
        }
        #expect(names(pool.lend(to: spender, now: start)) == ["p2"])
        // Also while all are free.
        var whole = PrincipalPool(try subject(2, limits: ["messagesPerMinute": 10]), for: scenarios, now: start)
        for _ in 0..<2 {
            guard case .lent(let lent) = whole.lend(to: try chats(1), now: start) else {
                Issue.record("p1 is free")
                return
            }
            #expect(lent.map(\.name) == ["p1"])
            whole.take(back: lent, after: try performance(1), now: start)
        }
    }

    @Test func `a reservation never stops a run`() throws {
        func connecting(_ count: Int) throws -> Scenario {
            let letters = Array("ABC")
            let steps = (0..<count).map { #"{"do":"connect","on":"\#(letters[$0])","principal":"p\#($0 + 1)"}"# }
            return try scenario(steps.joined(separator: ","), needs: #"{"principals":\#(count)}"#)
        }
        let scenarios = [try chats(1), try chats(1, needs: #"{"budget":true}"#)]
        var pool = PrincipalPool(try subject(2, limits: ["messagesPerMinute": 10]), for: scenarios, now: start)
        guard case .never(let reason) = pool.lend(to: try connecting(3), now: start) else {
            Issue.record("nobody can give a third principal back")
            return
        }
        #expect(reason == "it needs 3 principals, and 2 are left; add principals")
        #expect(names(pool.lend(to: try connecting(2), now: start)) == ["p1", "p2"])
        guard case .busy = pool.lend(to: try connecting(2), now: start) else {
            Issue.record("both are lent")
            return
        }
    }

    @Test func `a principal that was kept is anybody's once nobody waits for it`() throws {
        let spender = try chats(1, needs: #"{"budget":true}"#)
        let limits = ["messagesPerMinute": 10, "rateWindowSeconds": 5]
        var fresh = try subject(3, limits: limits)
        fresh.isUntouched = true
        var pool = PrincipalPool(fresh, for: [try chats(1), spender, spender], now: start)
        #expect(names(pool.lend(to: spender, now: start)) == ["p2"])
        guard case .lent(let lent) = pool.lend(to: spender, now: start) else {
            Issue.record("p3 is kept")
            return
        }
        #expect(lent.map(\.name) == ["p3"])
        pool.take(back: lent, after: try performance(10), now: start + .seconds(1))
        #expect(names(pool.lend(to: try chats(1), now: start + .seconds(1))) == ["p1"])
        #expect(names(pool.lend(to: try chats(1), now: start + .seconds(7))) == ["p3"])
    }

    @Test(arguments: [
        ("a short window is waited for", ["messagesPerMinute": 10, "rateWindowSeconds": 5], false, 2),
        ("what was asked in a long one is known in the end", ["messagesPerMinute": 10], false, 0),
        ("nobody asked anything", ["messagesPerMinute": 10], true, 2),
        ("no limit is known", [:], true, 0),
    ])
    func `budgets are spent from the start where what was asked before is known soon`(
        why: String, limits: [String: Int], isUntouched: Bool, atOnce: Int
    ) throws {
        var subject = try subject(3, limits: limits)
        subject.isUntouched = isUntouched
        let spender = try chats(1, needs: #"{"budget":true}"#)
        let pool = PrincipalPool(subject, for: [try chats(1), spender, spender, spender], now: start)
        #expect(pool.spendersFromTheStart == atOnce, "\(why)")
    }

    @Test func `a limit is learnt from connected, and a window from a refusal`() throws {
        var budget = ChatBudget(try subject(1), now: start)
        let principals = [ServerSubject.Principal(name: "p1")]
        #expect(budget.limit == nil)
        budget.note(try performance(1, telling: "connected(messagesPerMinute=7)"), by: principals, at: start)
        #expect(budget.limit == 7)
        budget.note(
            try performance(0, telling: "connected A<error(rate_limited windowMs=2000)"), by: principals, at: start)
        #expect(budget.window == .seconds(2))
        #expect(budget.spent("p1", at: start + .seconds(1)) == 1)
        #expect(budget.spent("p1", at: start + .seconds(3)) == 0)
    }

    @Test func `a question counts from its last answer, and one without from the end`() throws {
        let header = History.Header(
            subject: History.Subject(name: "limited", role: .server, profiles: [.core, .rateLimit]))
        let history = try NotationExpansion(
            "A>open(p1) A<open A>auth A<connected A>chat(c1) +3s A<ack(c1) A>chat(c2) +4s", header: header
        ).history
        let performance = Performance(scenario: try chats(1).name, history: history, duration: .seconds(10))
        var budget = ChatBudget(try subject(1, limits: ["messagesPerMinute": 7]), now: start)
        budget.note(performance, by: [ServerSubject.Principal(name: "p1")], at: start + .seconds(10))
        #expect(budget.spent("p1", at: start + .seconds(62)) == 2)
        #expect(budget.spent("p1", at: start + .seconds(64)) == 1)
        #expect(budget.spent("p1", at: start + .seconds(69)) == 1)
        #expect(budget.spent("p1", at: start + .seconds(71)) == 0)
    }

    @Test func `what was asked before a run is known once a window has passed`() throws {
        var subject = try subject(1, limits: ["messagesPerMinute": 7])
        #expect(!ChatBudget(subject, now: start).isKnown(at: start + .seconds(59)))
        #expect(ChatBudget(subject, now: start).isKnown(at: start + .seconds(60)))
        subject.isUntouched = true
        #expect(ChatBudget(subject, now: start).isKnown(at: start))
    }

    @Test func `questions are counted in loops and branches, by principal`() throws {
        let steps = """
            {"do":"connect","on":"A"},{"do":"connect","on":"B","principal":"p2"},
            {"do":"together","branches":[
              [{"do":"repeat","times":3,"steps":[{"do":"chat","on":"A","as":"c1"},{"do":"postChat","as":"c2"}]}],
              [{"do":"send","on":"B","frame":{"type":"chat"}},{"do":"sendText","on":"B","text":"{\\"type\\":\\"chat\\"}"}]
            ]},
            {"do":"connect","on":"C","save":{"limit":"/limits/messagesPerMinute"}},
            {"do":"repeat","times":"${limit}","steps":[{"do":"chat","on":"C","as":"c3"}]}
            """
        let counted = try scenario(steps, needs: #"{"principals":2}"#).chats(budget: 5)
        #expect(counted == ["p1": 11, "p2": 2])
    }

    @Test(arguments: [
        (0, "the limits of the server rule it out: it needs more frames kept for replay than the server keeps (0)"),
        (2, nil),
    ])
    func `a scenario that needs a replay is left out where fewer frames are kept`(kept: Int, reason: String?) throws {
        var subject = try subject(1)
        let scenario = try chats(1, needs: #"{"replay":2}"#)
        #expect(subject.obstacle(to: scenario) == nil, "nobody was greeted yet")
        subject.greetings = [try performance(0, telling: "connected(messagesPerMinute=60 replayMessages=\(kept))")]
        #expect(subject.obstacle(to: scenario) == reason)
    }

    @Test func `a scenario that waits too long for what was told is left out, with a reason`() throws {
        var subject = try subject(1, limits: ["heartbeatSeconds": 30])
        let patient = try chats(1, needs: #"{"patience":{"heartbeatSeconds":4}}"#)
        #expect(
            subject.obstacle(to: patient)
                == "the wait of 120 s for 4 × heartbeatSeconds 30 exceeds --patience 20 s; "
                + "configure heartbeatSeconds of at most 5, or give --patience 120")
        subject.limits = ["heartbeatSeconds": 5]
        #expect(subject.obstacle(to: patient) == nil)
        subject.limits = [:]
        #expect(subject.obstacle(to: patient) == nil)  // `connected` tells
    }
}
