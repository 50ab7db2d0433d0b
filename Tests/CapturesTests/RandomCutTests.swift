import Foundation
import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastJudge
import HoldfastTranscript
import TestSupport
import Testing

@testable import HoldfastCaptures

/// Files arrive in windows: what is found in them may not depend on where those end.
///
/// `HOLDFAST_SEED` cuts elsewhere.
@Suite struct RandomCutTests {
    private static let seed = ProcessInfo.processInfo.environment["HOLDFAST_SEED"].flatMap(UInt64.init) ?? 1

    /// The histories that bytes hold when they come in these windows.
    private func parts(_ windows: [[UInt8]]) throws -> [CapturedParts.Part] {
        let subject = History.Subject(name: "capture", role: .server, profiles: [.core])
        var reader = CaptureReader(.transcript, file: "transcript", options: .init(subject: subject))
        // Small bounds, so that a transcript that is a capture has several parts.
        var bounds = CapturedParts.Bounds()
        (bounds.softEvents, bounds.hardEvents) = (10, 40)
        var cutter = CapturedParts(bounds: bounds)
        var tape = JSONTape()
        var parts: [CapturedParts.Part] = []
        for window in windows {
            try reader.append(window) { parts += [cutter.take($0, capture: nil, in: &tape)].compactMap(\.self) }
        }
        try reader.finish { parts += [cutter.take($0, capture: nil, in: &tape)].compactMap(\.self) }
        return parts + [cutter.finish(capture: nil)].compactMap(\.self)
    }

    private func windows(of bytes: [UInt8], cutAt places: [Int]) -> [[UInt8]] {
        let edges = [0] + places.sorted() + [bytes.count]
        return zip(edges, edges.dropFirst()).map { Array(bytes[$0..<$1]) }
    }

    @Test func `a thousand cuts of transcripts find what the whole does`() throws {
        let specification = try SourceTree.specification()
        var numbers = SplitMix64(seed: Self.seed)
        let files = try FixtureIndex(.embedded).entries.map(\.file).filter { $0.hasSuffix(".ndjson") }
        for number in 0..<1000 {
            let file = try #require(files.randomElement(using: &numbers))
            var text = try SourceTree.text("Fixtures/\(file)")
            // Every other one is read as what somebody else recorded, and cut into parts.
            if number % 2 == 1 {
                text = text.replacing("\"subject\":", with: "\"capture\":{},\"subject\":", maxReplacements: 1)
            }
            let bytes = Array(text.utf8)
            let places = (0..<Int.random(in: 1...20, using: &numbers)).map { _ in
                Int.random(in: 0...bytes.count, using: &numbers)
            }
            let whole = try parts([bytes])
            let cut = try parts(windows(of: bytes, cutAt: places))
            let what = Comment(rawValue: "\(file), cut at \(places.sorted()), HOLDFAST_SEED=\(Self.seed)")
            try #require(cut.count == whole.count, what)
            for (one, other) in zip(whole, cut) {
                #expect(one.history.header == other.history.header, what)
                #expect(one.history.events == other.history.events, what)
                #expect(one.locations == other.locations, what)
                // The judge is a pure function of these: a few of them each time.
                guard number % 10 < 2 else { continue }
                let verdicts = judge(one.history, under: specification)
                #expect(verdicts == judge(other.history, under: specification), what)
            }
        }
    }
}
