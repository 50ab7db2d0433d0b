import HoldfastPlatform

enum FreePort {
    /// Below the ports from which systems take the near end of outgoing connections: one of those could take the port while
    /// the subject is down between a kill and its restart.
    private static let range = 15_000...29_999
    private static let given = Mutex<Set<Int>>([])

    /// A port on which nobody listens, and that this program has not given out before.
    static func next() -> Int {
        for _ in 0..<1000 {
            let port = Int.random(in: range)
            if Network.isFree(port: UInt16(port)), given.withLock({ $0.insert(port).inserted }) { return port }
        }
        return Int.random(in: range)
    }
}
