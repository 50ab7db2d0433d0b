import Holdfast
import HoldfastJSON
import HoldfastJudge
import HoldfastTranscript
import TestSupport
import Testing

@testable import HoldfastCaptures

@Suite struct CapturedPartsTests {
    private func bounds(soft: Int, hard: Int = 1000, whole: Int = 1000) -> CapturedParts.Bounds {
        var bounds = CapturedParts.Bounds()
        (bounds.softEvents, bounds.hardEvents, bounds.wholeEvents) = (soft, hard, whole)
        return bounds
    }

    private func parts(
        _ notation: String, _ bounds: CapturedParts.Bounds, capture: History.Capture? = History.Capture(),
        gapAt gap: Int? = nil
    ) throws -> [CapturedParts.Part] {
        let subject = History.Subject(name: "capture", role: .server, profiles: [.core, .sync])
        let header = History.Header(subject: subject, capture: capture)
        let history = try NotationExpansion(notation, header: header).history
        var cutter = CapturedParts(bounds: bounds)
        var parts: [CapturedParts.Part] = []
        var tape = JSONTape()
        parts += [cutter.take(.header(header), capture: nil, in: &tape)].compactMap { $0 }
        for (index, event) in history.events.enumerated() {
            if index == gap { parts += [cutter.take(.gap, capture: nil, in: &tape)].compactMap { $0 } }
            let item = CaptureItem.event(event, CaptureLocation(line: index + 1, offset: 0))
            parts += [cutter.take(item, capture: nil, in: &tape)].compactMap { $0 }
        }
        return parts + [cutter.finish(capture: nil)].compactMap { $0 }
    }

    private func turn(_ number: Int) -> String { "A>chat(c\(number)) A<ack(c\(number)) A<done(t\(number) #\(number))" }

    @Test func `a part ends where nothing is open and the next begins with the greeting`() throws {
        let parts = try parts("A+(e1 #0) \(turn(1)) \(turn(2)) \(turn(3))", bounds(soft: 6))
        #expect(
            parts.map { $0.locations.map(\.line) } == [
                [1, 2, 3, 4, 5, 6, 7], [1, 2, 3, 4, 8, 9, 10, 11, 12, 13],
            ])
        #expect(parts.map { $0.history.header.capture?.carried } == [0, 4])
        #expect(parts.allSatisfy { !$0.wasCutShort })
    }

    @Test func `what was judged before counts once`() throws {
        let specification = try SourceTree.specification()
        let parts = try parts("A+(e1 #0 sessionId='s1') \(turn(1)) \(turn(2))", bounds(soft: 6))
        let verdicts = parts.map { part in
            Dictionary(
                uniqueKeysWithValues: judge(part.history, under: specification).map { ($0.clause.description, $0) })
        }
        #expect(verdicts.count == 2)
        #expect(verdicts.map { $0["ENV-2"]?.outcome } == [.violation, .pass])
        #expect(verdicts.map { $0["ENV-1"]?.exercised } == [3, 2])
        #expect(verdicts.map { $0["TURN-1"]?.outcome } == [.pass, .pass])
    }

    @Test func `a part that finds no quiet moment ends at the bound and nothing spans it`() throws {
        let parts = try parts(
            "A+(e1 #0) A>chat(c1) A<ack(c1) A<toolUse(t1 #1) A<toolUse(t1 #2) A<done(t1 #3) \(turn(4))",
            bounds(soft: 5, hard: 7))
        #expect(parts.first?.wasCutShort == true)
        #expect(parts.dropFirst().first?.history.events.first?.kind == .act("belongs", ["to": "p1"]))
        let specification = try SourceTree.specification()
        for part in parts {
            #expect(judge(part.history, under: specification).filter { $0.outcome == .violation }.isEmpty)
        }
    }

    @Test func `a gap ends a part`() throws {
        let parts = try parts("A+(e1 #0) \(turn(1)) \(turn(2))", bounds(soft: 1000), gapAt: 7)
        #expect(parts.map(\.locations.count) == [7, 4])
        #expect(parts.last?.history.events.first?.kind == .act("belongs", ["to": "p1"]))
    }

    @Test func `what was asked before a gap is not missed after it`() throws {
        let specification = try SourceTree.specification()
        let broken = { (parts: [CapturedParts.Part]) in
            parts.flatMap { judge($0.history, under: specification) }.filter { $0.outcome == .violation }
                .map(\.clause.description)
        }
        let line = "A+(e1 #5) A>ping A<pong A<syncResult(e1 #5 complete)"
        #expect(broken(try parts(line, bounds(soft: 1000), gapAt: 6)).isEmpty)
        #expect(broken(try parts(line, bounds(soft: 1000))) == ["SYNC-2"])
    }

    @Test func `what is carried on does not end the next part`() throws {
        let letters = ["A", "B", "C", "D", "E"]
        let line =
            letters.map { "\($0)+(e1 #0)" }.joined(separator: " ") + String(repeating: " A>ping A<pong", count: 20)
        let parts = try parts(line, bounds(soft: 10))
        #expect(parts.count < 8, "\(parts.count)")
        #expect(
            parts.dropFirst().dropLast().allSatisfy {
                $0.locations.count - ($0.history.header.capture?.carried ?? 0) >= 10
            })
        // A part that is long of its own ends all the same.
        #expect(parts.count > 3, "\(parts.count)")
    }

    @Test func `a greeting that comes again is not carried on again`() throws {
        let frames = String(repeating: " A<connected(e1 #0)", count: 30)
        let parts = try parts("A+(e1 #0)" + frames, bounds(soft: 6))
        #expect(parts.count > 3)
        #expect(parts.dropFirst().allSatisfy { $0.history.header.capture?.carried == 4 })
    }

    @Test func `greetings beyond the length of a part are not carried on`() throws {
        var few = bounds(soft: 1000)
        few.soft = 700
        let line = "A+(e1 #0) B+(e1 #0) C+(e1 #0) A>ping A<pong A>ping A<pong"
        let parts = try parts(line, few)
        #expect(parts.count > 1)
        let carried = parts[1].history.events.prefix(parts[1].history.header.capture?.carried ?? 0).map(\.kind)
        #expect(carried.contains { $0 == .act("belongs", ["to": "p1"]) })
        #expect(carried.contains { if case .opening = $0 { true } else { false } })
    }

    @Test func `what a stage recorded stays whole`() throws {
        let line = "A+(e1 #0) \(turn(1)) \(turn(2))"
        #expect(try parts(line, bounds(soft: 2, hard: 3), capture: nil).count == 1)
        let cut = try parts(line, bounds(soft: 2, hard: 3, whole: 5), capture: nil)
        #expect(cut.count > 1)
        #expect(cut.allSatisfy { $0.history.header.capture != nil })
    }

    @Test func `requests without response are open`() throws {
        let parts = try parts("1>GET(s1) A>ping A<pong 1<200(u1 a1) A>ping A<pong", bounds(soft: 2))
        #expect(parts.first?.locations.count == 4)
    }

    @Test func `many parts say what one history says`() throws {
        let specification = try SourceTree.specification()
        let line = "A+(e1 #0) " + (1...40).map(turn).joined(separator: " ")
        let whole = try parts(line, bounds(soft: 1000))
        let cut = try parts(line, bounds(soft: 20))
        #expect(cut.count > 5)
        let frames = ["ENV-1", "ENV-2", "ORDER-6", "TURN-1", "TURN-3", "ID-3"]
        for clause in frames {
            let counts = [whole, cut].map { parts in
                parts.reduce(0) { sum, part in
                    sum
                        + (judge(part.history, under: specification).first { $0.clause.description == clause }?
                            .exercised ?? 0)
                }
            }
            #expect(counts[0] == counts[1], "\(clause)")
        }
    }
}
