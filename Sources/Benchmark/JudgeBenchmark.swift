import Foundation
import Holdfast
import HoldfastCaptures
import HoldfastJSON
import HoldfastJudge
import HoldfastTranscript

/// Measures judging a capture on one thread; for comparison, parsing the same bytes, and `jq` on the same file.
enum JudgeBenchmark {
    /// Measures captures of small and of large frames, or the capture in `file`.
    static func run(_ file: String?) throws {
        let specification = try Specification(.embedded)
        print("judging on one thread, megabytes per second of processor time, medians of 5\n")
        print(row("", width: 16, ["MB", "parse", "read", "judge", "jq", "judge/parse", "judge/jq"]))
        if let file {
            try measure(file, Array(try Data(contentsOf: URL(fileURLWithPath: file))), specification)
            return
        }
        try measure("small frames", DrawnCapture.bytes(texts: 50...900, size: 16 << 20), specification)
        try measure("large frames", DrawnCapture.bytes(texts: 50_000...200_000, size: 64 << 20), specification)
    }

    private static func measure(_ name: String, _ capture: [UInt8], _ specification: Specification) throws {
        let lines = capture.split(separator: UInt8(ascii: "\n")).map { Array($0) }
        let parts = try parts(of: capture)
        let size = Double(capture.count) / 1e6
        var tape = JSONTape()
        var found = 0
        let parse = seconds { for line in lines where tape.isSound(line) { found += 1 } }
        let read = try seconds { found += try self.parts(of: capture).count }
        let judged = seconds {
            for part in parts { found += examine(part.history, under: specification).verdicts.count }
        }
        let jq = try? WholeCommand.onFile(capture) { try WholeCommand.measure(["jq", "empty", $0]).wall }
        let total = read + judged
        print(
            row(
                found > 0 ? name : "", width: 16,
                [
                    number(size), number(size / parse), number(size / read), number(size / total),
                    jq.map { number(size / $0) } ?? "-", ratio(parse / total), jq.map { ratio($0 / total) } ?? "-",
                ]))
    }

    /// The work that `judge` does with a file before it judges.
    private static func parts(of capture: [UInt8]) throws -> [CapturedParts.Part] {
        let subject = History.Subject(name: "capture", role: .server, profiles: [.core])
        var reader = CaptureReader(.transcript, file: "capture", options: .init(subject: subject))
        var cutter = CapturedParts()
        var tape = JSONTape()
        var parts: [CapturedParts.Part] = []
        for start in stride(from: 0, to: capture.count, by: 1 << 20) {
            try reader.append(Array(capture[start..<min(start + 1 << 20, capture.count)])) { item in
                if let part = cutter.take(item, capture: nil, in: &tape) { parts.append(part) }
            }
        }
        try reader.finish { item in
            if let part = cutter.take(item, capture: nil, in: &tape) { parts.append(part) }
        }
        if let last = cutter.finish(capture: nil) { parts.append(last) }
        return parts
    }

    private static func seconds(of work: () throws -> Void) rethrows -> Double {
        Stopwatch.median(
            try (0..<5).map { _ in
                let start = Stopwatch.now
                try work()
                return Stopwatch.now - start
            })
    }

    private static func number(_ value: Double) -> String { String(format: "%.0f", value) }

    private static func ratio(_ value: Double) -> String { String(format: "%.2f", value) }
}

/// Captures of users and a server that answers them, drawn with a fixed seed.
struct DrawnCapture {
    private var state: UInt64 = 1
    private var lines = ""
    private var time = 0
    private let texts: ClosedRange<Int>

    /// A capture of a server that keeps every clause, of about `size` bytes.
    static func bytes(texts: ClosedRange<Int>, size: Int) -> [UInt8] {
        var capture = DrawnCapture(texts: texts)
        let subject = History.Subject(name: "drawn", role: .server, profiles: [.core, .sync])
        capture.lines = TranscriptWriter.line(History.Header(subject: subject, capture: History.Capture())) + "\n"
        var connection = 0
        var last: [Int: Int] = [:]
        while capture.lines.utf8.count < size {
            last[connection % 300] = capture.connect(connection, after: last[connection % 300] ?? 0)
            connection += 1
        }
        return Array(capture.lines.utf8)
    }

    private mutating func draw(_ range: ClosedRange<Int>) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return range.lowerBound + Int(state >> 33) % range.count
    }

    private mutating func words() -> String {
        var text = ""
        for _ in 0..<draw(texts) / 8 { text += ["answers ", "because ", "nothing ", "stories "][draw(0...3)] }
        return text
    }

    private mutating func say(_ kind: Event.Kind, on lane: Lane, after wait: Int = 1000) {
        time += wait
        lines += TranscriptWriter.line(Event(at: time, lane: lane, kind: kind)) + "\n"
    }

    private mutating func say(_ direction: Direction, _ members: String, on lane: Lane, after wait: Int = 1000) {
        say(.text(direction, "{\(members)}"), on: lane, after: wait)
    }

    /// One connection of 27 frames with five turns; returns the last `seq` of its user.
    private mutating func connect(_ number: Int, after last: Int) -> Int {
        let (lane, person) = (Lane.connection(number: number % 300), "p\(number % 300)")
        var seq = last
        say(.opening(.init(principal: person)), on: lane, after: 20_000)
        say(.opened, on: lane)
        let token = #""token":"‹token of \#(person)›","clientId":"d\#(person)""#
        say(.toServer, #""type":"auth","protocol":1,"# + token, on: lane)
        let greeting = #""type":"connected","protocol":1,"connectionId":"con\#(number)","capabilities":["sync"],"#
        let limits = #""limits":{"maxFrameBytes":900000,"messagesPerMinute":60,"replayMessages":1000},"#
        let position = #""serverTime":"2026-01-01T00:40:14.578Z","epoch":"e1","lastSeq":\#(last),"heartbeatSeconds":25"#
        say(.fromServer, greeting + limits + position, on: lane)
        for turn in 0..<5 {
            let (key, session) = (#""clientMessageId":"c\#(number)x\#(turn)""#, #","sessionId":"s\#(number)""#)
            let names = #"\#(key)\#(session),"turnId":"t\#(number)x\#(turn)","#
            let asked = #""messages":[{"role":"user","content":"\#(words())"}],"#
            say(.toServer, #""type":"chat","# + asked + key + (turn > 0 ? session : ""), on: lane)
            let stored = #""messageId":"m\#(number)x\#(turn)","duplicate":false,"status":"accepted""#
            say(.fromServer, #""type":"ack","# + names + stored, on: lane)
            for _ in 0..<2 {
                seq += 1
                say(.fromServer, #""type":"toolUse",\#(names)"tool":"webFetch","seq":\#(seq)"#, on: lane)
            }
            seq += 1
            let answer = #""messageId":"a\#(number)x\#(turn)","text":"\#(words())","seq":\#(seq)"#
            say(.fromServer, #""type":"done","# + names + answer, on: lane, after: 100_000)
        }
        say(.close(.toServer, code: 1000, reason: ""), on: lane)
        say(.close(.fromServer, code: 1000, reason: ""), on: lane)
        say(.eof(reason: ""), on: lane)
        return seq
    }
}
