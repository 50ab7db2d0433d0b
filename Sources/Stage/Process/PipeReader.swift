@preconcurrency import Dispatch
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Reads what a process prints as fast as it comes, so that no subject waits for a full pipe.
///
/// It waits on a thread of its own: sources of Dispatch on pipes, made and cancelled a hundred times a minute on a busy
/// machine, end the program inside Dispatch.
final class PipeReader: Sendable {
    /// The most that is taken once no more is to be read.
    private static let last = 1 << 20

    /// What is written to, to wake the thread for the last time; nil once it is.
    private let alarm: Mutex<Int32?>
    private let over = DispatchGroup()

    /// Takes over the reading end of a pipe.
    /// - Parameters:
    ///   - descriptor: The end, which is closed with the reader.
    ///   - take: Takes what was read, in order, and says whether to go on; otherwise the pipe is closed.
    init(_ descriptor: Int32, take: @escaping @Sendable ([UInt8]) -> Bool) {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        var ends: [Int32] = [-1, -1]
        let hasAlarm = pipe(&ends) == 0
        if hasAlarm { for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) } }
        alarm = Mutex(hasAlarm ? ends[1] : nil)
        DispatchQueue(label: "holdfast.output").async(group: over) { [ends] in
            Self.read(descriptor, until: ends[0], take)
            close(descriptor)
            if hasAlarm { close(ends[0]) }
        }
    }

    deinit {
        wake()
    }

    /// Takes what is still in the pipe and reads no more; a descendant that holds the other end open changes nothing.
    func finish() {
        wake()
        over.wait()
    }

    private func wake() {
        alarm.withLock { alarm in
            guard let end = alarm else { return }
            // A byte, because a process that is just being started may hold this end too.
            var byte: UInt8 = 0
            _ = write(end, &byte, 1)
            close(end)
            alarm = nil
        }
    }

    /// Reads until the other end is closed, nobody wants more, or the alarm comes.
    private static func read(_ descriptor: Int32, until alarm: Int32, _ take: ([UInt8]) -> Bool) {
        // Without an alarm, for want of descriptors, poll passes over it, and the end of the process ends the reading.
        var awaited = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: alarm, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            guard poll(&awaited, 2, -1) >= 0 || errno == EINTR else { return }
            let isLast = awaited[1].revents != 0
            guard drain(descriptor, atMost: last, take), !isLast else { return }
        }
    }

    /// Takes what is there; false when no more can come or is wanted.
    private static func drain(_ descriptor: Int32, atMost limit: Int, _ take: ([UInt8]) -> Bool) -> Bool {
        var total = 0
        while total < limit {
            var result = 0
            let chunk = [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, count in
                result = read(descriptor, buffer)
                count = max(0, result)
            }
            if result < 0 { return errno == EAGAIN || errno == EINTR }
            guard result > 0, take(chunk) else { return false }
            total += result
        }
        return true
    }

    private static func read(_ descriptor: Int32, _ buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        #if canImport(Glibc)
        Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        #elseif canImport(Musl)
        Musl.read(descriptor, buffer.baseAddress, buffer.count)
        #else
        Darwin.read(descriptor, buffer.baseAddress, buffer.count)
        #endif
    }
}
