import Foundation
import Holdfast
import HoldfastCaptures
import HoldfastJSON
import HoldfastPlatform
import HoldfastReport
import HoldfastTranscript
import TestSupport
import Testing

@testable import HoldfastSuite

/// Files are followed while a test writes them; what is found is what 'judge' finds in the whole.
@Suite struct FollowTests {
    private static let specification = try? Specification(.embedded)

    /// A connection on which a question is answered, in seven lines; a broken one uses a tool after the answer (TURN-3).
    private func connection(_ number: Int, of principal: String = "p1", isBroken: Bool = false) -> [String] {
        let name = "\"conn\":\"k\(number)\",\"principal\":\"\(principal)\""
        var at = number * 1000
        func line(_ rest: String) -> String {
            at += 10
            return "{\"at\":\(at),\(name),\(rest)}\n"
        }
        var lines = [
            line("\"event\":\"open\",\"path\":\"/ws\""),
            line("\"dir\":\">\",\"frame\":{\"type\":\"auth\",\"token\":\"secret-\(principal)\",\"protocol\":1}"),
            line(
                """
                "dir":"<","frame":{"type":"connected","protocol":1,"connectionId":"x\(number)",\
                "serverTime":"2026-03-01T08:30:00Z","capabilities":[],"limits":{"maxFrameBytes":1048576}}
                """),
            line(
                """
                "dir":">","frame":{"type":"chat","clientMessageId":"c\(number)",\
                "messages":[{"role":"user","content":"hello"}]}
                """),
            line(
                """
                "dir":"<","frame":{"type":"ack","clientMessageId":"c\(number)","sessionId":"s\(number)",\
                "turnId":"t\(number)","messageId":"u\(number)"}
                """),
            line(
                """
                "dir":"<","frame":{"type":"done","text":"hi","sessionId":"s\(number)","turnId":"t\(number)",\
                "messageId":"a\(number)"}
                """),
        ]
        if isBroken {
            lines.append(
                line(
                    """
                    "dir":"<","frame":{"type":"toolUse","tool":"x","sessionId":"s\(number)","turnId":"t\(number)"}
                    """))
        }
        lines.append(line("\"event\":\"close\",\"code\":1000,\"dir\":\">\""))
        return lines
    }

    private var options: JudgeOptions {
        JudgeOptions(
            form: nil,
            reading: CaptureReader.Options(subject: History.Subject(name: "x", role: .server, profiles: [.core])),
            pipeTimeout: 0)
    }

    /// What was said while a file was followed, and a way to wait for it.
    private final class Said: Sendable {
        let metrics: FollowMetrics
        private let lines = Mutex<[String]>([])
        init(_ metrics: FollowMetrics) { self.metrics = metrics }

        var all: [String] { lines.withLock { $0 } }
        func add(_ line: String) { lines.withLock { $0.append(line) } }

        /// Returns once something was said; a minute is a failure.
        func wait(for words: String, count: Int = 1) async throws {
            for _ in 0..<1200 where all.count(where: { $0.contains(words) }) < count {
                try await Task.sleep(for: .milliseconds(50))
            }
            try #require(all.count { $0.contains(words) } >= count, "\(words) was never said: \(all)")
        }

        /// Returns once so many events were read; a minute is a failure.
        func wait(forEvents count: Int) async throws {
            let line = "holdfast_events_total \(count)\n"
            for _ in 0..<1200 where !metrics.text.contains(line) { try await Task.sleep(for: .milliseconds(50)) }
            try #require(metrics.text.contains(line), "\(count) events were never read: \(metrics.text)")
        }
    }

    /// Follows a file while a body changes it.
    private func follow(
        _ path: String, _ plan: FollowRun.Plan = .init(), while body: (Said) async throws -> Void
    ) async throws -> (judgment: Judgment, said: [String]) {
        let specification = try #require(Self.specification)
        let said = Said(FollowMetrics(specification, options))
        var plan = plan
        plan.metrics = said.metrics
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        let run = FollowRun(
            under: specification, options, plan, note: { said.add($0) },
            notify: { said.add($0.text(.init(), .explained) ?? "") })
        async let judged = run.judge([path]) { for await _ in ended {} }
        do { try await body(said) } catch {
            end.finish()
            _ = try await judged
            throw error
        }
        end.finish()
        return (try await judged, said.all)
    }

    private func append(_ lines: some Sequence<String>, to path: String) throws {
        if !FileManager.default.fileExists(atPath: path) {
            _ = FileManager.default.createFile(atPath: path, contents: nil)
        }
        let file = try #require(FileHandle(forWritingAtPath: path))
        // A pipe has no end to seek.
        _ = try? file.seekToEnd()
        try file.write(contentsOf: Data(lines.joined().utf8))
        try file.close()
    }

    private func clauses(_ judgment: Judgment) throws -> String {
        let value = judgment.json(under: try #require(Self.specification))
        return try #require(value["clauses"]).text(pretty: true)
    }

    private func whole(_ path: String) async throws -> String {
        try clauses(
            await JudgeRun(under: try #require(Self.specification), options, jobs: 1, keepsParts: false).judge([path]))
    }

    @Test func `a file that grows is judged as the whole file is, and each violation is told once`() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path + "/frames.ndjson"
        let broken = connection(2, isBroken: true).joined()
        try append(connection(1), to: path)
        var text = ""
        let (judgment, said) = try await follow(path) { said in
            // A line comes in two pieces.
            try append([String(broken.prefix(300))], to: path)
            try append([String(broken.dropFirst(300))], to: path)
            try await said.wait(for: "violation TURN-3")
            try append(connection(3), to: path)
            try append(connection(4, isBroken: true), to: path)
            try await said.wait(for: "violation TURN-3", count: 2)
            try await said.wait(forEvents: 34)
            text = said.metrics.text
        }
        #expect(try clauses(judgment) == (try await whole(path)))
        #expect(said.count { $0.contains("violation TURN-3") } == 2, "\(said)")
        #expect(said.contains { $0.contains("\(path) line 14, byte ") && $0.contains("toolUse") }, "\(said)")
        #expect(!said.contains { $0.contains("secret") }, "\(said)")
        #expect(judgment.exit == .violation)
        for line in [
            "holdfast_violations_total{clause=\"TURN-3\"} 2", "holdfast_violations_total{clause=\"SYNC-3\"} 0",
            "holdfast_open_turns 0", "holdfast_time_to_ack_seconds_count 4",
            "holdfast_time_to_ack_seconds_bucket{le=\"0.005\"} 0", "holdfast_time_to_ack_seconds_bucket{le=\"0.01\"} 4",
            "holdfast_time_to_done_seconds_bucket{le=\"0.01\"} 0", "holdfast_time_to_done_seconds_sum 0.08",
        ] { #expect(text.contains(line + "\n"), "\(line) is not in\n\(text)") }
    }

    @Test func `rotation is told, and both files together are one capture`() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path + "/frames.ndjson"
        let lines = connection(1) + connection(2, isBroken: true)
        try append(lines.prefix(4), to: path)
        let (judgment, _) = try await follow(path) { said in
            // The writer keeps the renamed file for one more line.
            try await said.wait(forEvents: 5)
            try FileManager.default.moveItem(atPath: path, toPath: path + ".1")
            try append(lines[4..<5], to: path + ".1")
            try append(lines.dropFirst(5), to: path)
            try await said.wait(for: "rotated")
            try await said.wait(for: "violation TURN-3")
        }
        try append(lines, to: folder.path + "/whole.ndjson")
        let all = await JudgeRun(under: try #require(Self.specification), options, jobs: 1, keepsParts: false)
            .judge([folder.path + "/whole.ndjson"])
        #expect(judgment.clauses.mapValues(\.outcome) == all.clauses.mapValues(\.outcome))
        #expect(judgment.clauses.mapValues(\.exercised) == all.clauses.mapValues(\.exercised))
        #expect(judgment.clauses.mapValues(\.findings) == all.clauses.mapValues(\.findings))
    }

    @Test func `truncation is told, and what stands on both sides of it is not joined`() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path + "/frames.ndjson"
        try append(connection(1, isBroken: true), to: path)
        let (judgment, _) = try await follow(path) { said in
            try await said.wait(for: "violation TURN-3")
            let file = try #require(FileHandle(forWritingAtPath: path))
            try file.truncate(atOffset: 0)
            try file.close()
            try await said.wait(for: "truncated")
            try append(connection(2, isBroken: true), to: path)
            try await said.wait(for: "violation TURN-3", count: 2)
        }
        #expect(judgment.histories == 2)
        #expect(judgment.files[0].summary.leftOut.entries.map(\.reason) == [JudgeSource.truncated])
    }

    /// A producer that is killed in the middle of a line, and one that starts again behind it.
    @Test func `half a line is skipped and told, and nobody is blamed for it`() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path + "/frames.ndjson"
        let (judgment, _) = try await { () async throws -> (Judgment, [String]) in
            try append(connection(1) + ["{\"at\":2000,\"conn\":\"k2\",\"dir\":\"<\",\"fra\n"], to: path)
            return try await follow(path) { said in
                try append(connection(3, isBroken: true) + ["{\"at\":"], to: path)
                try await said.wait(for: "violation TURN-3")
            }
        }()
        let skipped = judgment.files[0].summary.leftOut.entries
        #expect(skipped.reduce(0) { $0 + $1.count } == 2, "\(skipped)")
        #expect(skipped.allSatisfy { $0.reason.hasPrefix("the line is not JSON") })
        #expect(judgment.problems.isEmpty)
        #expect(judgment.clauses(.violation).map(\.description) == ["TURN-3"])
    }

    @Test func `a pipe that is not read in time loses lines, which is told, and holds up nobody`() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path + "/pipe"
        try #require(mkfifo(path, 0o600) == 0)
        var plan = FollowRun.Plan()
        plan.capacity = 0
        let (judgment, _) = try await follow(path, plan) { said in
            try append(connection(1), to: path)
            try await said.wait(for: "7 lines dropped")
            #expect(said.metrics.text.contains("holdfast_dropped_lines_total 7\n"))
        }
        #expect(judgment.isEmpty)
    }

    @Test func `a full pipe loses its lines in one gap, until half of it is judged`() {
        var waiting = FollowedInput.Waiting(capacity: 100)
        func line(_ bytes: Int) -> [UInt8] { Array(repeating: UInt8(ascii: "x"), count: bytes - 1) + [0x0A] }
        // The third would fit.
        for bytes in [60, 60, 10] { waiting.add(line(bytes)) }
        guard case .lines(let first)? = waiting.take() else { Issue.record("no lines"); return }
        #expect(first.count == 60)
        waiting.add(line(20))
        waiting.end([])
        guard case .dropped(2, 70)? = waiting.take(), case .lines(let last)? = waiting.take(),
            case .end? = waiting.take()
        else { Issue.record("not one gap, the last line and the end"); return }
        #expect(last.count == 20)
        let rest = waiting.take()
        #expect(rest == nil)
    }

    @Test func `a pipe that ends is judged as the file is, and its end ends the judgment`() async throws {
        let folder = try TemporaryDirectory()
        let (pipe, file) = (folder.path + "/pipe", folder.path + "/file")
        try #require(mkfifo(pipe, 0o600) == 0)
        let lines = (1...40).flatMap { connection($0, isBroken: $0 % 7 == 0) }
        try append(lines, to: file)
        let specification = try #require(Self.specification)
        let run = FollowRun(under: specification, options, .init(), note: { _ in }, notify: { _ in })
        async let judged = run.judge([pipe]) { try? await Task.sleep(for: .seconds(120)) }
        try await Task.detached { try append(lines, to: pipe) }.value
        let judgment = try await judged
        let expected = await JudgeRun(under: specification, options, jobs: 1, keepsParts: false).judge([file])
        #expect(judgment.clauses.mapValues(\.exercised) == expected.clauses.mapValues(\.exercised))
        #expect(judgment.clauses.mapValues(\.findings) == expected.clauses.mapValues(\.findings))
    }

    @Test func `a sample keeps whole principals`() throws {
        let lines = (1...200).flatMap { connection($0, of: "p\($0 % 20)") }
        var reader = CaptureReader(.frames, file: "x", options: options.reading)
        var sample = PrincipalSample(oneIn: 4)
        var kept: [CaptureItem] = []
        try reader.append(Array(lines.joined().utf8)) { kept += sample.take($0) }
        kept += sample.rest()
        var owners: [Lane: String] = [:]
        var events: [String: Int] = [:]
        for case .event(let event, _) in kept {
            if case .opening(let opening) = event.kind { owners[event.lane] = opening.principal }
            events[owners[event.lane] ?? "nobody", default: 0] += 1
        }
        #expect(!events.isEmpty && events.count < 20)
        // Ten connections of a principal, each with the same number of events.
        #expect(Set(events.values).count == 1, "\(events)")
    }

    @Test func `a clause broken without end is explained three times, then told once a minute`() {
        let (told, clause, start) = (ReportTally(), ClauseID(.TURN, 3), ContinuousClock.now)
        let tellings = (0..<100).map { told.take(clause, at: start + .seconds($0)) }
        #expect(tellings.prefix(3).allSatisfy { $0 == .explained })
        #expect(tellings.enumerated().filter { $0.offset > 2 && $0.element != .counted }.map(\.offset) == [62])
        #expect(tellings[62] == .brief(leftOut: 59))
        #expect(told.withdraw(clause) == .explained)
        #expect(told.totals == [clause: 99])
    }

    @Test func `an output that cannot be written is told once, and the judgment goes on`() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path + "/frames.ndjson"
        try append(connection(1, isBroken: true), to: path)
        var plan = FollowRun.Plan()
        plan.out = path
        let (judgment, said) = try await follow(path, plan) { said in try await said.wait(for: "violation TURN-3") }
        #expect(judgment.exit == .violation)
        #expect(said.count { $0.contains(path + "/transcripts") } == 1, "\(said)")
    }

    @Test func `a line without an end is skipped in bounded memory, and the next one is read`() throws {
        var reader = CaptureReader(
            .frames, file: "x", options: options.reading, maxLineBytes: 400, skipsWrongLines: true)
        var items: [CaptureItem] = []
        let long = Array(repeating: UInt8(ascii: "x"), count: 300)
        for _ in 0..<4 { try reader.append(long) { items.append($0) } }
        try reader.append(Array(("\n" + connection(1).joined()).utf8)) { items.append($0) }
        try reader.finish { items.append($0) }
        #expect(reader.leftOut.entries.map(\.reason) == ["the line has more than 400 bytes"])
        let lines = items.compactMap { item -> Int? in
            guard case .event(_, let location) = item else { return nil }
            return location.line
        }
        #expect(Set(lines) == Set(2...8))
    }

    @Test func `a repeat whose turn has ended opens no turn`() {
        var times = WireTimes(by: .canonical)
        let ack = #"{"type":"ack","clientMessageId":"c1","turnId":"t1"#
        let frames: [(Direction, String)] = [
            (.toServer, #"{"type":"chat","clientMessageId":"c1"}"#), (.fromServer, ack + "\"}"),
            (.fromServer, #"{"type":"done","turnId":"t1"}"#), (.toServer, #"{"type":"chat","clientMessageId":"c1"}"#),
            (.fromServer, ack + #"","duplicate":true}"#),
        ]
        for (at, frame) in frames.enumerated() {
            times.take(Event(at: at * 1000, lane: .connection("A"), kind: .text(frame.0, frame.1)))
        }
        #expect(times.openTurns == 0)
        // Whether a turn ended in lines that were lost is unknown.
        for frame in frames.prefix(2) {
            times.take(Event(at: 0, lane: .connection("B"), kind: .text(frame.0, frame.1)))
        }
        #expect(times.openTurns == 1)
        times.forgetOpen()
        #expect(times.openTurns == 0)
        #expect(times.toAck.samples.last == "_count 3")
        #expect(times.toDone.samples.last == "_count 1")
    }
}
