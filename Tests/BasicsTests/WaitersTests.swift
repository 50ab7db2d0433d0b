import Testing

@testable import HoldfastBasics

@Suite struct WaitersTests {
    private static let patience = Duration.seconds(60)

    @Test func `a change that was not seen is not waited for`() async {
        let waiters = Waiters()
        let seen = waiters.changes
        waiters.notify()
        await waiters.wait(after: seen)
        #expect(waiters.changes == seen + 1)
    }

    @Test func `a change wakes all that wait`() async {
        let latch = Latch<Int>()
        await withTaskGroup(of: Int?.self) { group in
            for _ in 0..<10 { group.addTask { await latch.wait(within: Self.patience) } }
            group.addTask {
                latch.set(7)
                latch.set(8)
                return 7
            }
            for await value in group { #expect(value == 7) }
        }
        #expect(latch.value == 7)
    }

    @Test func `a wait ends with its limit, however short`() async {
        let latch = Latch<Int>()
        for limit in [Duration.zero, .microseconds(1), .milliseconds(20)] {
            let start = ContinuousClock.now
            #expect(await latch.wait(within: limit) == nil)
            #expect(ContinuousClock.now - start >= limit)
        }
    }

    @Test func `a cancelled task waits for nothing`() async {
        let latch = Latch<Int>()
        let task = Task { await latch.wait() }
        task.cancel()
        #expect(await task.value == nil)
    }
}
