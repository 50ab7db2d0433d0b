import Foundation
import Holdfast
import HoldfastBasics
import HoldfastJudge
import Testing

@testable import HoldfastReport

@Suite struct LoadFiguresTests {
    /// Ten seconds in which each question is acknowledged in so many milliseconds, and acts are late by so many.
    private func figures(ack: [Int], lag: [Int]) -> LoadFigures {
        var figures = LoadFigures(
            mix: "phones", seed: .max, devices: 20, principals: 18, seconds: 10, rampSeconds: 1)
        for (index, (ack, lag)) in zip(ack, lag).enumerated() {
            var interval = LoadFigures.Interval()
            interval.frames = 100 * (index + 1)
            interval.lag.add(lag * 1000)
            interval.times[.ack] = TimeHistogram()
            interval.times[.ack]?.add(ack * 1000)
            figures.intervals[index] = interval
        }
        return figures
    }

    private func isNear(_ time: Int?, _ milliseconds: Int) -> Bool {
        time.map { (milliseconds * 1000...milliseconds * 1033).contains($0) } ?? false
    }

    @Test func `times of all seconds count while the stage is on time`() {
        let figures = figures(ack: Array(repeating: 5, count: 9) + [400], lag: Array(repeating: 2, count: 10))
        #expect(figures.problem == nil)
        #expect(isNear(figures.times(.ack).percentile(0.9), 5))
        #expect(isNear(figures.times(.ack).percentile(0.99), 400))
        #expect(figures.heldRate == 1000)
    }

    @Test func `a second in which the stage was late gives no times`() {
        let figures = figures(ack: Array(repeating: 5, count: 9) + [400], lag: Array(repeating: 2, count: 9) + [80])
        #expect(figures.problem == nil)
        #expect(isNear(figures.times(.ack).percentile(1), 5))
        #expect(figures.heldRate == 900)
        #expect(
            figures.lines.last?.contains("1 interval in which the suite itself was late (from 1,000 frames/s)") == true)
    }

    @Test func `beyond its limit the stage gives no times at all`() throws {
        let figures = figures(ack: Array(repeating: 5, count: 10), lag: Array(repeating: 2, count: 8) + [60, 70])
        let problem = try #require(figures.problem)
        #expect(problem.contains("late in 2 of 10 intervals, first at 900 frames/s"))
        #expect(problem.contains("held up to 800 frames/s"))
        #expect(!figures.lines.contains { $0.contains("time to ack") })
        #expect(figures.json["times"] == nil)
    }

    @Test func `frames after the end make no rate`() {
        var figures = figures(ack: Array(repeating: 5, count: 10), lag: Array(repeating: 2, count: 10))
        figures.intervals[10] = LoadFigures.Interval()
        figures.intervals[10]?.frames = 90_000
        #expect(figures.heldRate == 1000)
        #expect(figures.lines.contains("frames: 550/s on average, 1,000/s at most"))
    }

    @Test func `what was not judged is the stage's fault`() {
        var figures = figures(ack: [5], lag: [0])
        figures.unjudged = 3
        #expect(figures.problem?.contains("3 histories came faster than they could be judged") == true)
    }

    @Test func `figures are read as they were written`() throws {
        var figures = figures(ack: Array(1...10), lag: Array(repeating: 2, count: 10))
        (figures.unconnected, figures.unanswered, figures.refused) = (1, 2, ["busy": 3])
        (figures.events, figures.histories, figures.exercised, figures.cpuMs, figures.cores) = (9, 8, 7, 6, 2)
        var report = try Sample.report(
            [.init("server/load/p1", [Verdict(clause: ClauseID(.ENV, 1), outcome: .pass, exercised: 1)])],
            selection: [ClauseID(.ENV, 1)])
        report.load = figures
        let read = try ReportReader.report(Array(JSONReport(report).text.utf8), file: "report.json")
        #expect(read.load == figures)
        #expect(read.exit == .conforms)
        report.load?.unjudged = 1
        #expect(report.exit == .harness)
    }

    @Test func `shards add up`() {
        var whole = figures(ack: Array(repeating: 5, count: 10), lag: Array(repeating: 2, count: 10))
        whole.add(figures(ack: Array(repeating: 5, count: 10), lag: Array(repeating: 2, count: 9) + [90]))
        #expect(whole.devices == 40)
        #expect(whole.intervals[0]?.frames == 200)
        #expect(whole.intervals.values.count(where: \.isLate) == 1)
        #expect(whole.times(.ack).count == 18)
    }

    @Test func `a long run has at most 121 intervals`() {
        let figures = LoadFigures(mix: "m", seed: 1, devices: 1, principals: 1, seconds: 3600, rampSeconds: 0)
        #expect(figures.interval(at: 0) == 0)
        #expect(figures.interval(at: 3_600_000_000_000) == 120)
        #expect(figures.interval(at: -5) == 0)
    }

    @Test func `the page draws times, frames and violations on one axis`() throws {
        var report = try Sample.report([])
        var figures = figures(ack: Array(1...10), lag: Array(repeating: 2, count: 9) + [90])
        figures.intervals[3]?.violations = 2
        report.load = figures
        let page = HTMLReport(report).text
        #expect(page.contains("<h2 id=\"load.name\">Under load</h2>"))
        for name in ["Latency over time", "Frames a second", "Violations"] {
            #expect(page.contains("<title>\(name)</title>"), "\(name)")
        }
        #expect(page.components(separatedBy: "class=\"late\"").count == 4)
        #expect(page.contains("<polyline class=\"ack half\""))
        #expect(!page.contains("style=\""))
        figures.unjudged = 1
        report.load = figures
        #expect(HTMLReport(report).text.contains("1 history came faster than they could be judged"))
    }

    /// A shard with one history, which showed some clauses.
    private func shard(_ index: Int, _ clauses: [ClauseID], mix: String = "phones") throws -> RunReport {
        let results = try Sample.report(
            [
                .init(
                    "server/load/p\(index)", clauses.map { Verdict(clause: $0, outcome: .pass, exercised: 1) })
            ]
        ).scenarios
        var report = RunReport(
            results, of: Sample.subject([.core, .sync]), at: "ws://h/ws", under: try Sample.specification.get(),
            selection: Set(clauses), startedAt: "2026-01-01T00:00:00Z", duration: .seconds(10),
            part: Shard.Part(try Shard("\(index)/2", environment: [:]), holding: results.count))
        report.load = LoadFigures(mix: mix, seed: 1, devices: 10, principals: 9, seconds: 10, rampSeconds: 1)
        return report
    }

    @Test func `shards that exercised other clauses are one load`() throws {
        let (one, other) = (ClauseID(.ENV, 1), ClauseID(.ENV, 2))
        let whole = try ReportMerge.merge(
            [("1.json", shard(1, [one])), ("2.json", shard(2, [one, other]))], under: Sample.specification.get(),
            scenarios: [])
        #expect(whole.clauses.map(\.clause.id) == [one, other])
        #expect(whole.exit == .conforms)
        #expect(whole.load?.devices == 20)
    }

    @Test func `shards of two loads are refused`() throws {
        let clauses = [ClauseID(.ENV, 1)]
        let files = [("1.json", try shard(1, clauses)), ("2.json", try shard(2, clauses, mix: "desks"))]
        let specification = try Sample.specification.get()
        #expect {
            try ReportMerge.merge(files, under: specification, scenarios: [])
        } throws: { error in
            "\(error)".contains("the load differs: mix desks, seed 1, 10 s, ramp 1 s")
        }
    }
}
