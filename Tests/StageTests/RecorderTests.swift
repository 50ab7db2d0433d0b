import HoldfastJSON
import HoldfastTranscript
import Testing

@testable import HoldfastStage

/// What the stage keeps of a life in which the same texts come again and again.
@Suite struct RecorderTests {
    private func recorder(bytes: Int) -> Recorder {
        Recorder(bounds: Recorder.Bounds(bytes: bytes, events: 1_000), redaction: Redaction([]))
    }

    @Test func `a long text that comes again takes no more room`() {
        let text = #"{"type":"message","text":"\#(String(repeating: "long", count: 1_000))"}"#
        let recorder = recorder(bytes: 10_000)
        for letter in ["A", "B", "C", "D"] {
            #expect(recorder.record(.text(.fromServer, text), on: .connection(letter), at: .now, frame: Frame(text)))
        }
        #expect(!recorder.wasFlooded)
        #expect(recorder.arrivals().map { $0.frame?.type } == Array(repeating: "message", count: 4))
        #expect(recorder.events().allSatisfy { $0.kind == .text(.fromServer, text) })
    }

    @Test func `long texts that differ fill it`() {
        let recorder = recorder(bytes: 10_000)
        let taken = (0..<4).map { number in
            recorder.record(
                .text(.fromServer, "\(number)" + String(repeating: "long", count: 1_000)), on: .connection("A"),
                at: .now)
        }
        #expect(taken == [true, true, true, false])
        #expect(recorder.wasFlooded)
    }

    @Test func `a screen that stays takes no more room`() {
        let recorder = recorder(bytes: 10_000)
        let state: JSONValue = ["messages": [["text": .string(String(repeating: "long", count: 1_000))]]]
        for _ in 0..<9 { #expect(recorder.record(.state(state), on: .client, at: .now)) }
        #expect(!recorder.wasFlooded)
    }
}
