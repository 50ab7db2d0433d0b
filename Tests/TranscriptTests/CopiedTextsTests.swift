import Holdfast
import HoldfastJSON
import Testing

@testable import HoldfastTranscript

/// Long texts of a transcript leave out what stands earlier, and come back whole.
@Suite struct CopiedTextsTests {
    private func history(_ texts: [String]) -> History {
        let subject = History.Subject(name: "sample", role: .server, profiles: [.core])
        let header = History.Header(scenario: "server/ENV/sample", subject: subject)
        let lane = Lane.connection("A")
        var events = texts.enumerated().map { Event(at: $0.offset, lane: lane, kind: .text(.fromServer, $0.element)) }
        events.append(
            Event(
                at: texts.count, lane: lane,
                kind: .response(.init(status: 200, headers: [], body: texts.joined(separator: ","), bodyIsText: true))))
        return History(header: header, events: events)
    }

    private func packed(_ texts: [String]) throws -> (text: String, bytes: Int) {
        let history = history(texts)
        let text = TranscriptWriter.packedText(history)
        let read = try TranscriptReader.history(in: text, file: "packed.ndjson")
        #expect(
            read.events == history.events && TranscriptWriter.line(read.header) == TranscriptWriter.line(history.header)
        )
        return (text, text.utf8.count)
    }

    @Test(arguments: ["x", "ab", "ten words make one line. ", "👩‍👩‍👧‍👦", "ü", "\u{0}"])
    func `a text that repeats itself is short, and comes back whole`(piece: String) throws {
        let long = String(repeating: piece, count: 100_000 / piece.utf8.count)
        #expect(try packed(["begin \(long) end", "\(long)!"]).bytes < 2_500)
    }

    @Test func `a replay leaves out the frames that it shows again`() throws {
        let frames = (1...60).map {
            #"{"type":"toolUse","seq":\#($0),"input":{"of":"\#(String($0 * 7919, radix: 36))"}}"#
        }
        let (text, _) = try packed(frames)
        let lines = text.split(separator: "\n")
        // Short frames stand as they were.
        #expect(lines[1].contains(#"\"seq\":1,"#) && !lines[1].contains("copies"))
        #expect(lines[0].contains(#""copies":true"#) && lines[61].contains(#""copies":[["#))
        #expect(lines[61].utf8.count < frames.joined().utf8.count)
    }

    @Test func `a transcript of short texts says nothing of copies`() throws {
        let (text, _) = try packed(["{}", "[1]"])
        #expect(!text.contains("copies"))
        #expect(text == TranscriptWriter.text(history(["{}", "[1]"])))
    }

    @Test(arguments: [
        ([[9, 1, 1]], "copy 0 points to no earlier text"), ([[0, 1, 5]], "copy 0 points to no earlier text"),
        ([[2, 2, 3], [1, 1, 1]], "copy 1 points to no earlier text"),
        ([[2, 1, 0]], "copy 0 points to no earlier text"),
        ([[2, 3, 1]], "copy 0 points to no earlier text"), ([[2, 1, Int.max]], "the texts have more than"),
        ([[1, 1, -1]], "copy 0 points to no earlier text"),
    ])
    func `copies that point nowhere are refused`(copies: [[Int]], words: String) {
        let header = TranscriptWriter.line(history([]).header).dropLast() + #","copies":true}"#
        let line = #"{"at":0,"lane":"A","kind":"text","direction":">","text":"ab","copies":\#(copies)}"#
        let problem = #expect(throws: InputProblem.self) {
            try TranscriptReader.history(in: "\(header)\n\(line)\n", file: "t.ndjson")
        }
        #expect(problem?.what.hasPrefix(words) == true, "\(String(describing: problem))")
    }

    @Test func `copies of half a character are refused, and so are those that no header tells of`() {
        let header = TranscriptWriter.line(history([]).header)
        let told = header.dropLast() + #","copies":true}"#
        let half = #"{"at":0,"lane":"A","kind":"text","direction":">","text":"ü","copies":[[2,1,1]]}"#
        for (first, words) in [(String(told), "the restored text is not UTF-8"), (header, "there are 'copies'")] {
            let problem = #expect(throws: InputProblem.self) {
                try TranscriptReader.history(in: "\(first)\n\(half)\n", file: "t.ndjson")
            }
            #expect(problem?.what.hasPrefix(words) == true, "\(String(describing: problem))")
        }
    }
}
