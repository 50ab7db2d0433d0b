import Holdfast
import HoldfastCaptures
import HoldfastTranscript
import Testing

/// The header of a server that declares everything.
private func header() -> History.Header {
    History.Header(subject: History.Subject(name: "golden", role: .server, profiles: [.core, .sync]))
}

@Suite struct CaptureFormTests {
    @Test(arguments: [
        (#"{"format":"holdfast-transcript","version":1}"#, CaptureForm.transcript),
        ("{\n  \"format\": \"holdfast-report\",", .report), ("{ \"log\" : {", .har), (#"{"type":"ping"}"#, .frames),
        ("\u{FEFF}\r\n{\"type\":\"ping\"}\r\n", .frames), ("## notes\nsome words\nA -> {}", .notes),
        ("HTTP GET /api/health -> 200 {}", .notes),
    ])
    func `content tells the form`(text: String, form: CaptureForm) throws {
        #expect(try CaptureForm.recognized(in: Array(text.utf8), file: "f") == form)
    }

    @Test(
        arguments: [
            ([], "the file is empty"), ([0x1F, 0x8B, 0x08], "gzip"), ([0x28, 0xB5, 0x2F, 0xFD], "zstd"),
            ([0xFF, 0xFE, 0x7B, 0], "UTF-16"),
            ([0x7F, 0x45, 0x4C, 0x46, 0], "NUL byte"), ([0x50, 0x4B, 3, 4], "zip"),
            (Array("just words".utf8), "not a capture"),
            ([0x20, 0x0A, 0x0A], "the file is empty"),
        ] as [([UInt8], String)])
    func `what is no capture is told with its first byte`(bytes: [UInt8], words: String) throws {
        let problem = #expect(throws: InputProblem.self) { try CaptureForm.recognized(in: bytes, file: "f") }
        #expect(problem?.what.contains(words) == true, "\(String(describing: problem))")
        #expect(problem?.location.hasPrefix("f:1 (byte ") == true)
    }

    @Test func `lines that are not UTF-8 name line and byte`() throws {
        let subject = History.Subject(name: "x", role: .server, profiles: [.core])
        var reader = CaptureReader(.frames, file: "f", options: .init(subject: subject))
        let problem = #expect(throws: InputProblem.self) {
            try reader.append(Array("{\"type\":\"ping\"}\n".utf8) + [0xC3, 0x28, 0x0A]) { _ in }
        }
        #expect(problem?.location == "f:2 (byte 16)")
    }

    @Test func `transcripts may stand one behind the other`() throws {
        let history = try NotationExpansion("A+(e1 #0) A>chat(c1)", header: header()).history
        let text = TranscriptWriter.text(history)
        let read = try Read(text + "\n" + text, as: .transcript)
        #expect(read.headers == 2)
        #expect(read.events.count == 10)
        #expect(throws: InputProblem.self) { try Read(String(text.drop { $0 != "\n" }.dropFirst()), as: .transcript) }
    }

    @Test func `what a capture lacks travels with its transcript`() throws {
        var header = header()
        header.capture = History.Capture(lacks: [.times, .network], carried: 3, endsInGap: true)
        let text = TranscriptWriter.text(History(header: header, events: []))
        #expect(try TranscriptReader.history(in: text, file: "t").header.capture == header.capture)
    }
}
