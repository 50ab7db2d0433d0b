import Holdfast
import HoldfastJSON
import HoldfastTranscript
import Testing

@Suite struct RoundTripTests {
    private static let line = """
        A+(e1 #0) A>`{"type":"chät","x":"\u{1F600}\\ud800"` A<binary(00ff) A>pingFrame A<pongFrame B>open(p2) B<refused(401 'no')
        C>open(-p) C<refused 1>POST(c1) 1<429(rate_limited retry-after=1) 2>GET(-p) 2<failed('reset') A<close(1001) A<eof
        A>close(4000 'bye') A<eof('reset') server!kill A!cut(rst) client=state(json='[1,null]') +30s A<`\u{85}\u{0}`
        push!listen(p1) push<alert(a1 apns-id='x') push>410(Unregistered) push<alert(p2) push!hang(p2)
        """

    private func same(_ left: History, _ right: History) {
        #expect(left.header == right.header)
        #expect(left.events == right.events)
    }

    @Test func `a written transcript reads back as the same history`() throws {
        var header = header()
        header.scenario = "server/SYNC/replay-after-cut"
        header.startedAt = "2026-03-01T08:30:00Z"
        header.timeScale = 12.5
        header.slowAnswers = [
            History.SlowAnswer(from: 10, to: 250_000), History.SlowAnswer(from: 300_000, to: 900_000),
        ]
        for (index, path) in Timeouts.paths.values.enumerated() {
            header.timeouts[keyPath: path] = .milliseconds(2500 + index)
        }
        let history = try NotationExpansion(Self.line, header: header).history
        same(history, try TranscriptReader.history(in: TranscriptWriter.text(history), file: "t.ndjson"))
    }

    @Test func `bytes may arrive in any pieces`() throws {
        let history = try history(Self.line)
        let bytes = Array(TranscriptWriter.text(history).utf8)
        for size in [1, 2, 7, 64] {
            var reader = TranscriptReader(file: "t.ndjson")
            for start in stride(from: 0, to: bytes.count, by: size) {
                try reader.append(Array(bytes[start..<min(start + size, bytes.count)]))
            }
            same(history, try reader.finish())
        }
    }

    @Test func `the first line says what the file is`() throws {
        let text = TranscriptWriter.line(header([.core, .sync]))
        #expect(
            text
                == #"{"format":"holdfast-transcript","version":1,"specification":"1.0","subject":{"name":"golden","#
                + #""role":"server","profiles":["core","sync"],"agent":"scripted"}}"#)
        let event = Event(at: 1200, lane: .connection("A"), kind: .text(.fromServer, "{}"))
        #expect(TranscriptWriter.line(event) == #"{"at":1200,"lane":"A","kind":"text","direction":"<","text":"{}"}"#)
    }

    @Test func `an event that is appended has the line that it has alone`() throws {
        for event in try history(Self.line).events {
            var bytes: [UInt8] = []
            TranscriptWriter.append(event, to: &bytes)
            #expect(String(decoding: bytes, as: UTF8.self) == TranscriptWriter.line(event) + "\n")
        }
    }

    private static let first = TranscriptWriter.line(header())

    @Test(arguments: [
        ("", "t.ndjson:1: the transcript is empty"),
        ("{}", "t.ndjson:1: this is not a transcript"),
        ("[]", "t.ndjson:1: the line contains a JSON array"),
        (#"{"format":"holdfast-transcript","version":2}"#, "t.ndjson:1: transcript version 2 is unknown"),
        (first.dropLast() + #","timeScale":0.5}"#, "t.ndjson:1: 'timeScale' is '0.5'"),
        (first.dropLast() + #","slowAnswers":[{"from":2,"to":1}]}"#, "t.ndjson:1: 'slowAnswers' holds"),
        (
            first.dropLast() + #","slowAnswers":[{"from":2,"to":9223372036854775807}]}"#,
            "t.ndjson:1: 'slowAnswers' holds"
        ),
        (first + "\n{", "t.ndjson:2:2: the line is not JSON"),
        (first + "\n{\"at\":1}", "t.ndjson:2: 'lane' is missing"),
        (first + "\n\n{\"at\":-1}", "t.ndjson:3: 'at' is -1"),
        (first + #"\#n{"at":1,"lane":"a","kind":"opened"}"#, "t.ndjson:2: 'lane' is '\"a\"'"),
        (first + #"\#n{"at":1,"lane":"A","kind":"opend"}"#, "t.ndjson:2: unknown event 'opend'"),
        (first + #"\#n{"at":1,"lane":"A","kind":"binary","direction":"<","hex":"0"}"#, "t.ndjson:2: 'hex' is '\"0\"'"),
        (
            first + #"\#n{"at":2,"lane":"A","kind":"opened"}"# + #"\#n{"at":1,"lane":"A","kind":"opened"}"#,
            "t.ndjson:3: time goes backward, from 2 to 1 microseconds"
        ),
    ])
    func `a broken line is told with its place`(_ text: String, _ message: String) throws {
        let problem = try #require(throws: InputProblem.self) {
            try TranscriptReader.history(in: text, file: "t.ndjson")
        }
        #expect("\(problem.location): \(problem.what)".hasPrefix(message), "\(problem)")
        #expect(!problem.expected.isEmpty && !problem.fix.isEmpty)
    }

    @Test func `a line has a longest length`() throws {
        var reader = TranscriptReader(file: "t.ndjson", maxLineBytes: 1000)
        try reader.append(Array((Self.first + "\n").utf8))
        let problem = try #require(throws: InputProblem.self) {
            try reader.append(Array(repeating: UInt8(ascii: "x"), count: 1001))
        }
        #expect(problem.what == "the line is longer than 1000 bytes")
    }
}
