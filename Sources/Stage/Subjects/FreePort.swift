import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Ports for subjects to listen on.
enum FreePort {
    /// Below the ports from which systems take the near end of outgoing connections: one of those could take the port while
    /// the subject is down between a kill and its restart.
    private static let range = 15_000...29_999
    private static let given = Mutex<Set<Int>>([])

    /// A port on which nobody listens, and that this program has not given out before.
    static func next() -> Int {
        for _ in 0..<1000 {
            let port = Int.random(in: range)
            if isFree(port), given.withLock({ $0.insert(port).inserted }) { return port }
        }
        return Int.random(in: range)
    }

    private static func isFree(_ port: Int) -> Bool {
        #if canImport(Glibc)
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { return true }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
