import Holdfast
import HoldfastCaptures
import HoldfastTranscript
import Testing

@Suite struct FrameReaderTests {
    @Test func `the type of a bare frame tells its direction`() throws {
        let read = try Read(#"{"type":"ping"}"# + "\n" + #"{"type":"pong"}"#, as: .frames)
        #expect(read.words == ["A belongs unknown A", #"A>{"type":"ping"}"#, #"A<{"type":"pong"}"#])
        #expect(read.capture?.lacks.contains(.times) == true)
    }

    @Test func `a frame of an unknown type is left aside`() throws {
        let read = try Read(#"{"type":"typing"}"#, as: .frames)
        #expect(read.events.isEmpty)
        #expect(read.gaps == 1)
        #expect(read.leftOut.entries.map(\.reason) == ["a frame without a direction"])
    }

    @Test func `a second greeting of bare frames is another connection`() throws {
        let frame = #"{"type":"connected"}"#
        let read = try Read("\(frame)\n\(frame)", as: .frames)
        #expect(
            read.words == [
                "A belongs unknown A", "A<\(frame)", "A eof", "B opening unknown B", "B opened", "B<\(frame)",
            ])
    }

    @Test func `an envelope tells time, connection, direction and owner`() throws {
        let read = try Read(
            #"{"at":"2026-03-01T08:30:00Z","conn":"ws-7","dir":"out","principal":"ann","frame":{"type":"x",  "n":1.0}}"#
                + "\n" + #"{"at":"2026-03-01T08:30:00.250Z","conn":"ws-8","direction":"receive","text":"null"}"#,
            as: .frames)
        #expect(
            read.words == [
                "A belongs ann", #"A>{"type":"x",  "n":1.0}"#, "B belongs unknown B", "B<null",
            ])
        #expect(read.events.map(\.at) == [0, 0, 250_000, 250_000])
        #expect(read.capture?.lacks.contains(.times) == false)
    }

    @Test(arguments: [
        ("1700000000", "1700000001.5", 1_500_000), ("1700000000000", "1700000000007", 7000),
        ("1700000000000000", "1700000000000009", 9), ("12", "14", 2000),
    ])
    func `times may be seconds, milliseconds or microseconds`(one: String, other: String, later: Int) throws {
        let lines = [one, other].map { #"{"ts":\#($0),"dir":">","frame":{"type":"ping"}}"# }
        #expect(try Read(lines.joined(separator: "\n"), as: .frames).events.last?.at == later)
    }

    @Test func `a clock that runs back tells nothing`() throws {
        let lines = ["5", "4"].map { #"{"ts":\#($0),"dir":">","frame":{"type":"ping"}}"# }
        #expect(try Read(lines.joined(separator: "\n"), as: .frames).capture?.lacks.contains(.times) == true)
    }

    @Test func `connections open and end, and requests have answers`() throws {
        let read = try Read(
            """
            {"event":"open","conn":"a","path":"/ws?key=secret"}
            {"event":"close","conn":"a","code":1012,"dir":"<"}
            {"event":"open","conn":"a"}
            {"event":"eof","conn":"a"}
            {"http":"GET /api/sessions","status":200,"response":{"sessions":[]}}
            """, as: .frames, isOnePerson: true)
        #expect(
            read.words == [
                "A opening p1", "A opened", "A<close 1012", "B opening p1", "B opened", "B eof",
                "1 GET /api/sessions p1", #"1 200 {"sessions":[]}"#,
            ])
        guard case .opening(let opening) = read.events[0].kind else { return #expect(Bool(false)) }
        #expect(opening.path == "/ws?key=‹token of p1›")
    }

    @Test func `one token is one person`() throws {
        let auth = #"{"type":"auth","protocol":1,"token":"T"}"#
        let read = try Read(
            ["a", "b"].map { #"{"conn":"\#($0)","dir":">","frame":\#(auth)}"# }.joined(separator: "\n"), as: .frames)
        #expect(read.words.filter { $0.contains("belongs") } == ["A belongs p1", "B belongs p1"])
    }

    @Test(arguments: [
        ("{", "capture:1:2 (byte 1)"), ("[]", "no message in it"), (#"{"dir":">"}"#, "no message in it"),
        (#"{"event":"sleep"}"#, "'sleep'"), (#"{"http":"sessions"}"#, "no message in it"),
    ])
    func `what holds no message is told with its place`(line: String, words: String) throws {
        let problem = #expect(throws: InputProblem.self) { try Read(line, as: .frames) }
        #expect(problem.map { "\($0)".contains(words) } == true, "\(String(describing: problem))")
        #expect(problem?.location.hasPrefix("capture:1") == true)
    }

    @Test(arguments: [
        (#"{"dir":"sideways","frame":{"type":"ping"}}"#, #"A>{"type":"ping"}"#),
        (#"{"at":"noon","dir":">","frame":{"type":"x"}}"#, #"A>{"type":"x"}"#),
        (#"{"conn":[],"dir":"<","frame":{"type":"pong"}}"#, #"A<{"type":"pong"}"#),
        (#"{"dir":"in","method":"say","params":{"n":1.0}}"#, #"A<{"method":"say","params":{"n":1.0}}"#),
        (#"> null"#, "A>null"), (#"{"type":"ping"} // sent"#, #"A>{"type":"ping"}"#),
    ])
    func `what is odd in a line costs no message`(line: String, words: String) throws {
        #expect(try Read(line, as: .frames).words.last == words)
    }

    @Test func `lines that are cut off are gaps`() throws {
        let ping = #"{"type":"ping"}"#
        let read = try Read(#"{"type":"done","text":"x"# + "\n" + #"{"a":{"# + "\n\(ping)", as: .frames)
        #expect(read.words.last == "A>\(ping)" && read.gaps == 2)
    }

    @Test func `another auth without a name is of another connection`() throws {
        let turn = #"{"type":"auth","protocol":1}"# + "\n" + #"{"type":"connected"}"# + "\n"
        let read = try Read(turn + turn, as: .frames)
        #expect(read.words.filter { $0.contains("{") }.map { $0.prefix(1) } == ["A", "A", "B", "B"])
    }

    @Test func `nothing is deeper than the limit`() throws {
        let deep = String(repeating: "[", count: 100_000)
        #expect(throws: InputProblem.self) { try Read(#"{"type":"done","x":"# + deep, as: .frames) }
    }

    @Test func `a line beyond the limit names line and byte`() throws {
        let text = "{\"type\":\"ping\"}\n" + String(repeating: "x", count: 2000)
        let problem = #expect(throws: InputProblem.self) { try Read(text, as: .frames, chunk: 64, maxLineBytes: 1000) }
        #expect(problem?.location == "capture:2 (byte 16)")
    }
}

/// Captures whose connections never end.
@Suite struct ManyLanesTests {
    private func pings(_ names: some Sequence<String>) -> String {
        names.map { #"{"conn":"\#($0)","dir":">","frame":{"type":"ping"}}"# }.joined(separator: "\n")
    }

    @Test func `a name that was silent longest is a new connection when it speaks again`() throws {
        let many = (0...2000).map { "c\($0)" }
        let read = try Read(pings(many + ["c0", "c2000"]), as: .frames)
        let lanes = read.events.map(\.lane.description)
        #expect(Array(lanes.suffix(3)) == ["BXZ", "BXZ", "BXY"])
        #expect(Set(lanes).count == 2002)
        // As long as there are not too many, each stays the connection it is.
        #expect(Set(try Read(pings(many.prefix(2000) + ["c0"]), as: .frames).events.map(\.lane)).count == 2000)
    }
}
