import HoldfastReport
import Testing

@Suite struct TextProgressTests {
    private let progress = TextProgress(
        done: "57/105", flaws: "1 violation", left: .about(.milliseconds(5200)),
        running: ["SYNC/evicted", "PERSIST/kills-on-done", "RATE/window"])

    @Test func `a wide line tells all of it`() {
        #expect(
            progress.line(ConsoleStyle(), width: 100)
                == "57/105 · 1 violation · about 6 s left · SYNC/evicted, PERSIST/kills-on-done, RATE/window")
    }

    @Test func `names go first, then the time; the count stays`() {
        #expect(
            progress.line(ConsoleStyle(), width: 60) == "57/105 · 1 violation · about 6 s left · SYNC/evicted +2")
        #expect(progress.line(ConsoleStyle(), width: 40) == "57/105 · 1 violation · about 6 s left")
        #expect(progress.line(ConsoleStyle(), width: 25) == "57/105 · 1 violation")
        #expect(progress.line(ConsoleStyle(), width: 4) == "57/1")
    }

    @Test(arguments: 1...120)
    func `no line is wider than asked for`(width: Int) {
        #expect(TextWidth.columns(progress.line(ConsoleStyle(), width: width)) <= width)
    }

    @Test func `a console without Unicode gets none`() {
        let line = progress.line(ConsoleStyle(hasUnicode: false), width: 57)
        #expect(line == "57/105 - 1 violation - about 6 s left - SYNC/evicted +2")
    }

    @Test func `times are no more exact than they are known`() {
        func words(_ left: TimeLeft.Estimate) -> String {
            TextProgress(done: "1/2", left: left).line(ConsoleStyle(), width: 80)
        }
        #expect(words(.about(.zero)) == "1/2 · about 1 s left")
        #expect(words(.about(.seconds(31))) == "1/2 · about 35 s left")
        #expect(words(.moreThan(.seconds(61))) == "1/2 · more than 2 min left")
    }

    @Test func `square letters take two columns`() {
        #expect(TextWidth.columns("日本 ok") == 7)
        #expect(TextWidth.columns("👍🏽 é") == 4)
        #expect(TextWidth.cut("日本語", to: 4) == "日…")
    }
}

@Suite struct TimeLeftTests {
    /// The first three take a second each.
    private func performThree(_ left: inout TimeLeft) {
        for place in 1...3 {
            left.begin("a\(place)", at: .seconds(place))
            left.end("a\(place)", at: .seconds(place + 1))
        }
    }

    private func items(_ count: Int, of kind: Int, named name: String = "a") -> [String: Int] {
        Dictionary(uniqueKeysWithValues: (1...count).map { ("\(name)\($0)", kind) })
    }

    @Test func `nothing is said before something was measured`() {
        var left = TimeLeft(items(10, of: 0))
        #expect(left.estimate(at: .seconds(1)) == nil)
        left.begin("a1", at: .zero)
        left.end("a1", at: .seconds(1))
        #expect(left.estimate(at: .seconds(1)) == nil)
    }

    @Test func `two at a time take half as long`() {
        var left = TimeLeft(items(8, of: 0))
        for pair in [["a1", "a2"], ["a3", "a4"]].enumerated() {
            for name in pair.element { left.begin(name, at: .seconds(pair.offset * 2)) }
            for name in pair.element { left.end(name, at: .seconds(pair.offset * 2 + 2)) }
        }
        #expect(left.estimate(at: .seconds(4)) == .about(.seconds(4)))
    }

    @Test func `a kind of which nothing is done makes it a lower bound`() {
        var left = TimeLeft(items(6, of: 0).merging(items(2, of: 1, named: "slow")) { $1 })
        left.begin("slow1", at: .zero)
        performThree(&left)
        #expect(left.estimate(at: .seconds(4)) == .moreThan(.seconds(3)))
        left.end("slow1", at: .seconds(10))
        #expect(left.estimate(at: .seconds(10)) == .about(.seconds(10)))
    }

    @Test func `what takes longer than its like did is not guessed at`() {
        var left = TimeLeft(items(4, of: 0))
        performThree(&left)
        left.begin("a4", at: .seconds(4))
        #expect(left.estimate(at: .milliseconds(4500)) == .about(.milliseconds(500)))
        #expect(left.estimate(at: .seconds(9)) == nil)
    }

    @Test func `what is done again waits once more`() {
        var left = TimeLeft(items(4, of: 0))
        performThree(&left)
        left.begin("a4", at: .seconds(4))
        left.repeatLater("a4")
        #expect(left.estimate(at: .seconds(5)) == .about(.seconds(1)))
    }

    @Test func `what was left out takes no time, and the end is none`() {
        var left = TimeLeft(items(5, of: 0))
        performThree(&left)
        left.end("a4", at: .seconds(4))
        left.end("a5", at: .seconds(4))
        #expect(left.estimate(at: .seconds(4)) == .about(.zero))
    }
}
