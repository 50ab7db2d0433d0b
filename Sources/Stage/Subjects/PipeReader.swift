@preconcurrency import Dispatch
import HoldfastPlatform

/// Reads a process's output as fast as it arrives, so that no subject blocks on a full pipe.
///
/// It waits on its own thread: Dispatch sources on pipes, created and canceled a hundred times a minute on a busy
/// machine, crash inside Dispatch.
final class PipeReader: Sendable {
    /// The maximum number of bytes to read after `finish` was called.
    private static let last = 1 << 20

    private let alarm = Alarm()
    private let over = DispatchGroup()

    /// Reads from a pipe, which it then owns.
    ///
    /// * `take`: Takes the bytes, in order, and returns whether to go on; if not, the pipe is closed.
    init(_ descriptor: Descriptor, take: @escaping @Sendable ([UInt8]) -> Bool) {
        descriptor.setNonblocking()
        DispatchQueue(label: "holdfast.output").async(group: over) { [alarm] in
            Self.read(descriptor, until: alarm.descriptor, take)
            descriptor.close()
            alarm.noteEnd()
        }
    }

    deinit {
        alarm.ring()
    }

    /// Reads the rest of the pipe and stops, even if a descendant still holds the other end open.
    func finish() {
        alarm.ring()
        over.wait()
    }

    private static func read(_ descriptor: Descriptor, until alarm: Descriptor, _ take: ([UInt8]) -> Bool) {
        // If no descriptor was left for the alarm, reading ends with the process.
        while let isLast = Descriptor.waitForEither(descriptor, alarm) {
            guard drain(descriptor, atMost: last, take), !isLast else { return }
        }
    }

    /// Reads the available bytes; false if no more can arrive or are wanted.
    private static func drain(_ descriptor: Descriptor, atMost limit: Int, _ take: ([UInt8]) -> Bool) -> Bool {
        var total = 0
        while total < limit {
            do throws(SystemError) {
                let chunk = try descriptor.read(atMost: 64 << 10)
                guard !chunk.isEmpty, take(chunk) else { return false }
                total += chunk.count
            } catch {
                return error == .wouldWait
            }
        }
        return true
    }
}

/// Wakes a thread that waits for a descriptor, once, through its own pipe.
private final class Alarm: Sendable {
    private struct State {
        var hasRung = false
        var hasReader = true
    }

    /// Becomes readable when the alarm rings; `closed` if no descriptor was available.
    let descriptor: Descriptor
    private let ringing: Descriptor?
    private let state = Mutex(State())

    init() {
        let ends = Descriptor.pipe()
        (descriptor, ringing) = (ends?.reading ?? .closed, ends?.writing)
    }

    /// Rings; once the thread has ended there is no reader, and writing to such a pipe would end the program.
    func ring() {
        state.withLock { state in
            guard !state.hasRung, let ringing else { return }
            state.hasRung = true
            // A byte is needed because a process that is just being started may hold this end too.
            if state.hasReader { _ = try? ringing.write([0]) } else { descriptor.close() }
            ringing.close()
        }
    }

    func noteEnd() {
        state.withLock { state in
            state.hasReader = false
            if state.hasRung { descriptor.close() }
        }
    }
}
