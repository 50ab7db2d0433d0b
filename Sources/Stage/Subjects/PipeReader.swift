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

    private let alarm = Alarm()
    private let over = DispatchGroup()

    /// Takes over the reading end of a pipe.
    /// - Parameters:
    ///   - descriptor: The end, which is closed with the reader.
    ///   - take: Takes what was read, in order, and says whether to go on; otherwise the pipe is closed.
    init(_ descriptor: Int32, take: @escaping @Sendable ([UInt8]) -> Bool) {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        DispatchQueue(label: "holdfast.output").async(group: over) { [alarm] in
            Self.read(descriptor, until: alarm.descriptor, take)
            close(descriptor)
            alarm.noteEnd()
        }
    }

    deinit {
        alarm.ring()
    }

    /// Takes what is still in the pipe and reads no more; a descendant that holds the other end open changes nothing.
    func finish() {
        alarm.ring()
        over.wait()
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

/// Wakes a thread that waits for a descriptor, once; a pipe to itself.
private final class Alarm: Sendable {
    private struct State {
        var hasRung = false
        var isHeard = true
    }

    /// Becomes readable when the alarm rings; negative for want of descriptors.
    let descriptor: Int32
    private let ringing: Int32
    private let state = Mutex(State())

    init() {
        var ends: [Int32] = [-1, -1]
        if pipe(&ends) == 0 {
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        } else {
            ends = [-1, -1]
        }
        (descriptor, ringing) = (ends[0], ends[1])
    }

    /// Rings; nobody hears it once the thread has ended, and writing to a pipe without a reader would end the program.
    func ring() {
        state.withLock { state in
            guard !state.hasRung, ringing >= 0 else { return }
            state.hasRung = true
            if state.isHeard {
                // A byte, because a process that is just being started may hold this end too.
                var byte: UInt8 = 0
                _ = write(ringing, &byte, 1)
            } else {
                close(descriptor)
            }
            close(ringing)
        }
    }

    /// The thread has ended.
    func noteEnd() {
        state.withLock { state in
            state.isHeard = false
            if state.hasRung { close(descriptor) }
        }
    }
}
