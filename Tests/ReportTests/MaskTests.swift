import Holdfast
import HoldfastJudge
import HoldfastTranscript
import Testing

@testable import HoldfastReport

/// What is said of a clause that another one hides, of slow reads, and of skipped scenarios in a strict run.
@Suite struct MaskTests {
    private let read = ClauseID(.PERSIST, 2)

    private func reason(_ clause: ClauseID, beside broken: [ClauseID]) throws -> String? {
        let name = "server/PERSIST/read"
        let report = try Sample.report(
            [.init(name, broken.map { States.verdict($0, .violation) })],
            selection: Set([clause] + broken), intended: [name: [clause]])
        return report.gaps.first { $0.clauses == [clause] }?.reason
    }

    @Test func `what is judged from reads says that they were not valid`() throws {
        let reason = try reason(read, beside: [ClauseID(.ENV, 1), ClauseID(.REST, 1)])
        #expect(reason == "because the reads were not valid (REST-1) in server/PERSIST/read")
    }

    @Test func `a clause of another area whose evidence is a read says the same`() throws {
        for clause in [ClauseID(.ORDER, 1), ClauseID(.ENV, 6), ClauseID(.TURN, 7)] {
            let told = try reason(clause, beside: [ClauseID(.REST, 1)])
            #expect(told == "because the reads were not valid (REST-1) in server/PERSIST/read")
        }
        let frames = try reason(ClauseID(.SYNC, 4), beside: [ClauseID(.REST, 1)])
        #expect(frames?.hasSuffix("which should exercise it; REST-1 is violated there") == true)
    }

    @Test func `a scenario that waited in vain for what invalid reads show names them`() throws {
        let name = "server/TURN/left"
        func reason(_ stop: String) throws -> String? {
            let clause = ClauseID(.TURN, 6)
            let report = try Sample.report(
                [.init(name, [States.verdict(ClauseID(.REST, 1), .violation)], stoppedAt: stop)],
                selection: [clause, ClauseID(.REST, 1)], intended: [name: [clause]])
            return report.gaps.first { $0.clauses == [clause] }?.reason
        }
        let told = try reason("/steps/3: no session with 2 messages in time")
        #expect(told == "because the reads were not valid (REST-1) in server/TURN/left")
        #expect(try reason("/steps/3: no done in time")?.contains("ended early") == true)
    }

    @Test func `what is judged from frames says that they were not valid`() throws {
        let reason = try reason(ClauseID(.SYNC, 4), beside: [ClauseID(.ENV, 2), ClauseID(.REST, 1)])
        #expect(reason == "because the frames were not valid (ENV-2) in server/PERSIST/read")
    }

    @Test func `another violation is named and not called the reason`() throws {
        let told = "although server/PERSIST/read ran, which should exercise it"
        #expect(try reason(read, beside: [ClauseID(.TURN, 3)]) == "\(told); TURN-3 is violated there")
        #expect(try reason(read, beside: [ClauseID(.ENV, 2)]) == "\(told); ENV-2 is violated there")
        #expect(try reason(read, beside: []) == nil, "a scenario that shows nothing is the suite's fault")
    }

    @Test func `a slow read is told with its time`() throws {
        let env = ClauseID(.ENV, 1)
        let slow = "A+ A>ping(n1) A<pong(n1) 1>GET(s1) +8800ms 1<200(u1 a1) 2>GET +3s 2<failed('late')"
        let report = try Sample.report([.init("server/ENV/slow", [States.verdict(env, .pass)], notation: slow)])
        let note = try #require(report.notes.first { $0.hasPrefix("slow: ") })
        #expect(
            note.hasPrefix(
                "slow: GET /api/sessions/s1 took 8.8 s in server/ENV/slow; 1 other read took at least 2.0 s"))
        #expect(note.hasSuffix("the bound is 10.0 s"))
        let quick = try Sample.report([.init("server/ENV/quick", [States.verdict(env, .pass)])])
        #expect(!quick.notes.contains { $0.hasPrefix("slow: ") })
    }

    @Test(arguments: [
        ("it needs 2 principals", false, true), ("skipped (--skip-crashes)", true, false),
        ("the limits of the server rule it out: it asks 512 questions", false, false),
        ("the subject does not declare push", false, false),
    ])
    func `a strict run misses what nobody left out`(reason: String, wasSetAside: Bool, isMissed: Bool) throws {
        for isStrict in [true, false] {
            let seen = try Sample.report([.init(States.null, [States.verdict(States.env1, .pass)])])
            var left = ScenarioResult(
                name: States.replay, history: History(header: History.Header(subject: seen.subject), events: []),
                verdicts: [], skipped: reason)
            left.wasSetAside = wasSetAside
            let report = RunReport(
                seen.scenarios + [left], of: seen.subject, at: seen.address, under: try Sample.specification.get(),
                selection: [States.env1], intended: [States.null: [States.env1], States.replay: [States.env1]],
                isStrict: isStrict, startedAt: seen.startedAt, duration: .zero)
            #expect(report.exit == (isStrict && isMissed ? .incomplete : .conforms), "\(report.headline)")
            #expect(report.headline.contains("1 scenario skipped") == (isStrict && isMissed))
        }
    }
}
