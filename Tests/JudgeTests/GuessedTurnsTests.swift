import Holdfast
import HoldfastJudge
import TestSupport
import Testing

/// Frames without names: the rule of the dialect names them, and where it does not tell they accuse nobody and prove nothing.
@Suite struct GuessedTurnsTests {
    private func outcomes(_ text: String, dialect: String, _ profiles: Set<Profile> = [.core]) throws
        -> [String: Outcome]
    {
        try WireHistory(text, dialect: dialect, profiles: profiles).verdicts().mapValues(\.outcome)
    }

    /// What nami's server breaks, and its wire could keep.
    private func broken(_ lines: [String]) throws -> [String] {
        try WireHistory(lines.joined(separator: "\n"), dialect: "nami").verdicts()
            .filter { $0.value.outcome == .violation && !$0.value.isUnkeepable }.keys.sorted()
    }

    private func chat(_ text: String, in session: String? = nil) -> String {
        let named = session.map { #","sessionId":"\#($0)""# } ?? ""
        return #"A> {"type":"chat","messages":[{"role":"user","content":"\#(text)"}]\#(named)}"#
    }

    private func done(_ text: String, in session: String) -> String {
        #"A< {"type":"done","text":"\#(text)","sessionId":"\#(session)"}"#
    }

    /// A read of a session: questions begin with `Q`, everything else is an answer.
    private func read(_ number: Int, _ session: String, _ texts: [String]) -> String {
        let messages = texts.map { text in
            #"{"id":"m-\#(text)","role":"\#(text.hasPrefix("Q") ? "user" : "assistant")","content":"\#(text)","timestamp":"2026-11-22T04:00:00Z"}"#
        }.joined(separator: ",")
        return """
            \(number)> GET /api/sessions/\(session)
            \(number)< 200 {"session":{"id":"\(session)","title":"t","source":"api","createdAt":"2026-11-22T04:00:00Z","updatedAt":"2026-11-22T04:00:00Z","messages":[\(messages)]}}
            """
    }

    @Test func `ENV-6 is no matter of the place where two questions waited`() throws {
        let waiting = [
            "A open", chat("Q1"), done("one", in: "s1"), chat("Q2", in: "s1"), chat("Q3", in: "s1"),
            done("two", in: "s1"), done("three", in: "s1"),
        ]
        let kept = try outcomes(
            (waiting + [read(1, "s1", ["Q1", "one", "Q2", "Q3", "two", "three"])]).joined(separator: "\n"),
            dialect: "nami")
        #expect(try broken(waiting + [read(1, "s1", ["Q1", "one", "Q2", "Q3", "two", "three"])]) == [])
        #expect(kept["ENV-6"] == .pass)
        let changed = try outcomes(
            (waiting + [read(1, "s1", ["Q1", "other", "Q2", "Q3", "two", "three"])]).joined(separator: "\n"),
            dialect: "nami")
        #expect(changed["ENV-6"] == .violation)
    }

    @Test func `ENV-6 an answer between waiting questions may be any of theirs`() throws {
        // Questions are stored as they come and answers as they end, so that an answer may stand behind another's question.
        let waiting = [
            "A open", chat("Q1"), done("one", in: "s1"), chat("Q2", in: "s1"), chat("Q3", in: "s1"),
            chat("Q4", in: "s1"), done("two", in: "s1"), done("three", in: "s1"), done("four", in: "s1"),
        ]
        let stored = ["Q1", "one", "Q2", "Q3", "two", "Q4", "three", "four"]
        let kept = waiting + [read(1, "s1", stored)]
        #expect(try broken(kept) == [])
        #expect(try outcomes(kept.joined(separator: "\n"), dialect: "nami")["ENV-6"] == .pass)
    }

    @Test func `ENV-6 behind a question may stand the answer of one that ran beside it`() throws {
        let beside = [
            "A open", chat("Q1"), done("one", in: "s1"), chat("Q2", in: "s1"), chat("Q3", in: "s1"),
            done("two", in: "s1"), done("three", in: "s1"),
        ]
        func verdict(_ stored: String...) throws -> Outcome? {
            try outcomes((beside + [read(1, "s1", stored)]).joined(separator: "\n"), dialect: "nami")["ENV-6"]
        }
        #expect(try verdict("Q1", "one", "Q3", "three") == .pass)
        // A write of one took the question of the other; its answer was not changed by that.
        #expect(try verdict("Q1", "one", "Q3", "two") == .pass)
        #expect(try verdict("Q1", "two", "Q3", "three") == .violation, "nothing ran beside the first question")
    }

    @Test func `PERSIST-2 answers of new sessions out of order accuse nobody`() throws {
        let history = [
            "A open", chat("Q1"), chat("Q2"), done("two", in: "s2"), done("one", in: "s1"),
            read(1, "s1", ["Q1", "one"]), read(2, "s2", ["Q2", "two"]),
        ]
        let verdicts = try outcomes(history.joined(separator: "\n"), dialect: "nami")
        #expect(try broken(history) == [])
        for clause in ["PERSIST-2", "TURN-3", "ENV-6", "ORDER-4"] {
            #expect(verdicts[clause] == .inconclusive || verdicts[clause] == .untested, "\(clause)")
        }
    }

    @Test func `TURN-4 an error without a name is laid to neither of two questions`() throws {
        let failing = #"{\"script\":[{\"fail\":\"exploded\"}]}"#
        let history = [
            "A open", chat("Q0"), done("zero", in: "s1"), chat(failing, in: "s1"), chat("Q2", in: "s1"),
            #"A< {"type":"error","error":"exploded"}"#, done("two", in: "s1"), "+90s",
        ]
        let verdicts = try outcomes(history.joined(separator: "\n"), dialect: "nami")
        #expect(verdicts["TURN-4"] != .violation && verdicts["TURN-3"] != .violation)
        let alone = [
            "A open", chat("Q0"), done("zero", in: "s1"), chat("Q2", in: "s1"), "+90s", #"A> {"type":"ping"}"#,
            #"A< {"type":"pong"}"#,
        ]
        #expect(try outcomes(alone.joined(separator: "\n"), dialect: "nami")["TURN-3"] == .violation)
    }

    @Test func `TURN-4 an error without a name ends a turn that has used a tool`() throws {
        let fails = #"{\"script\":[{\"tool\":\"webFetch\"},{\"fail\":\"exploded\"}]}"#
        let (tool, error) = (#"A< {"type":"tool_use","tool":"webFetch"}"#, #"A< {"type":"error","error":"exploded"}"#)
        func verdicts(_ lines: String...) throws -> [String: Outcome] {
            let all = ["A open", chat("Q0"), done("zero", in: "s1")] + lines
            return try outcomes(all.joined(separator: "\n"), dialect: "nami")
        }
        let failed = try verdicts(chat(fails, in: "s1"), tool, error, chat("Q2", in: "s1"), done("two", in: "s1"))
        #expect(failed["TURN-4"] == .violation && failed["TURN-5"] == .pass && failed["TURN-13"] == .warning)
        let refused = try verdicts(chat(fails, in: "s1"), error, chat("Q2", in: "s1"), done("two", in: "s1"))
        #expect(refused["TURN-4"] == .untested && refused["TURN-5"] == .untested, "it may have refused the question")
        let other = try verdicts(chat("Q1", in: "s1"), chat(fails, in: "s1"), tool, error)
        #expect(other["TURN-4"] != .violation, "the tool may be of the question before")
        let hostile = try verdicts(#"A> {"type":"what"}"#, chat(fails, in: "s1"), tool, error)
        #expect(hostile["TURN-4"] != .violation, "it may answer the frame before")
        let broken = try verdicts(
            chat(fails, in: "s1"), tool, error, read(1, "s1", ["Q0", "zero"]), chat("Q2", in: "s1"), "+90s",
            #"A> {"type":"ping"}"#, #"A< {"type":"pong"}"#)
        #expect(broken["TURN-5"] == .violation)
    }

    @Test func `ENV-6 a question answered over REST waits on no later connection`() throws {
        let history = [
            #"1> POST /api/chat {"messages":[{"role":"user","content":"Q1"}]}"#,
            #"1< 200 {"text":"one","sessionId":"s1"}"#,
            "A open", chat("Q2", in: "s1"), done("two", in: "s1"), read(2, "s1", ["Q1", "one", "Q2", "two"]),
        ]
        let verdicts = try outcomes(history.joined(separator: "\n"), dialect: "nami")
        #expect(try broken(history) == [])
        #expect(verdicts["ENV-6"] == .pass)
    }

    // MARK: adjutant

    private let greeted = """
        A open
        A< {"type":"auth_challenge"}
        A> {"type":"auth_response","apiKey":"k"}
        A< {"type":"connected","sessionId":"con","lastSeq":0,"serverTime":"2026-11-22T04:00:00.000Z"}
        """

    private func message(_ lane: String, _ seq: Int, _ text: String, id: String, from: String, to: String) -> String {
        #"\#(lane)< {"type":"chat_message","id":"\#(id)","from":"\#(from)","to":"\#(to)","body":"\#(text)","timestamp":"2026-11-22 04:00:00","seq":\#(seq)}"#
    }

    @Test func `ID-2 frames of others are not taken for an answer in the wrong place`() throws {
        let profiles: Set<Profile> = [.core, .sync]
        let history = [
            greeted, #"A> {"type":"message","id":"c1","to":"kim","body":"hello"}"#,
            #"A< {"type":"delivered","messageId":"m1","clientId":"c1","timestamp":"2026-11-22 04:00:00"}"#,
            message("A", 1, "hello", id: "m1", from: "user", to: "kim"),
            message("A", 2, "of others", id: "m9", from: "lee", to: "user"),
            message("A", 3, "hi", id: "m2", from: "kim", to: "user"),
        ]
        let verdicts = try outcomes(history.joined(separator: "\n"), dialect: "adjutant", profiles)
        #expect(verdicts["ID-2"] != .violation && verdicts["TURN-3"] == .pass)
    }

    @Test func `TURN-10 one number is one frame on every connection`() throws {
        let profiles: Set<Profile> = [.core, .sync]
        func ask(_ number: Int) -> [String] {
            [
                #"A> {"type":"message","id":"c\#(number)","to":"kim","body":"Q\#(number)"}"#,
                #"A< {"type":"delivered","messageId":"m\#(number)","clientId":"c\#(number)","timestamp":"2026-11-22 04:00:00"}"#,
                message("A", number * 2 - 1, "Q\(number)", id: "m\(number)", from: "user", to: "kim"),
            ]
        }
        let history =
            [greeted] + ask(1) + [greeted.replacing("A", with: "B")]
            + ["A", "B"].map { message($0, 2, "one", id: "a1", from: "kim", to: "user") } + ask(2)
            + [
                message("B", 3, "Q2", id: "m2", from: "user", to: "kim"),
                message("B", 4, "two", id: "a2", from: "kim", to: "user"),
                message("A", 4, "two", id: "a2", from: "kim", to: "user"),
            ]
        let verdicts = try outcomes(history.joined(separator: "\n"), dialect: "adjutant", profiles)
        #expect(verdicts["TURN-10"] != .violation && verdicts["ID-8"] != .violation)
    }
}
