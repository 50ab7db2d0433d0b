import Testing

@testable import HoldfastBasics

@Suite struct TimeHistogramTests {
    @Test func `a bucket holds its times and is at most 3 percent wide`() {
        var last = -1
        for time in [0, 1, 63, 64, 65, 99, 100, 127, 128, 999, 1000, 123_456, 3_600_000_000] {
            let bucket = TimeHistogram.bucket(of: time)
            let end = TimeHistogram.end(of: bucket)
            #expect(bucket > last && end >= time, "\(time)")
            #expect(end - time <= time / 32, "\(time) \(end)")
            #expect(TimeHistogram.bucket(of: end) == bucket && TimeHistogram.bucket(of: end + 1) == bucket + 1)
            last = bucket - 1
        }
    }

    @Test func `a percentile is the time that so many do not exceed`() {
        var times = TimeHistogram()
        #expect(times.percentile(0.5) == nil)
        for time in 1...60 { times.add(time) }
        #expect(times.percentile(0.5) == 30)
        #expect(times.percentile(0.99) == 60)
        #expect(times.percentile(1) == 60)
        #expect(times.percentile(0) == 1)
    }

    @Test func `one slow time among a thousand is seen in the last thousandth alone`() {
        var times = TimeHistogram()
        for _ in 1...999 { times.add(10) }
        times.add(5_000_000)
        #expect(times.percentile(0.999) == 10)
        #expect(times.percentile(1).map { (5_000_000...5_160_000).contains($0) } == true)
    }

    @Test func `sums are what adding the times would give`() {
        var (one, other, both) = (TimeHistogram(), TimeHistogram(), TimeHistogram())
        for time in [3, 400, 90_000] {
            one.add(time)
            both.add(time)
        }
        for time in [-5, 400, .max] {
            other.add(time)
            both.add(time)
        }
        one.add(other)
        #expect(one == both)
        #expect(TimeHistogram(counts: both.counts) == both)
        #expect(TimeHistogram(counts: [-1: 3, 7: -2, .max: 1]).count == 0)
    }
}
