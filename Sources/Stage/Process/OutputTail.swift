@preconcurrency import Dispatch
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// What a process prints: read as fast as it comes, so that no subject waits for a full pipe, and only the end of it kept.
final class OutputTail: Sendable {
    /// How much is kept; the last words of a process that failed are what helps.
    static let kept = 16 << 10

    private struct State {
        var bytes: [UInt8] = []
        var sawReady = false
    }

    private let descriptor: Int32
    private let ready: [UInt8]
    private let queue = DispatchQueue(label: "holdfast.output")
    private let source: any DispatchSourceRead
    private let state = Mutex(State())

    /// Takes over the reading end of a pipe.
    init(reading descriptor: Int32, ready: String?) {
        self.descriptor = descriptor
        self.ready = Array((ready ?? "").utf8)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler { [weak self] in self?.read(atMost: 1 << 20) }
        source.setCancelHandler { close(descriptor) }
        source.activate()
    }

    deinit {
        source.cancel()
    }

    /// Whether the text that tells readiness was printed.
    var sawReady: Bool { state.withLock { $0.sawReady } }

    /// The last lines without credentials, each at most 200 characters long.
    func lines(_ count: Int = 10, without redaction: Redaction = Redaction([])) -> [String] {
        let text = state.withLock { String(decoding: $0.bytes, as: UTF8.self) }
        return text.split(whereSeparator: \.isNewline).suffix(count).map { line in
            // A cut in the middle of a credential would leave half of it.
            let line = redaction.applied(toWords: String(line))
            return line.count > 200 ? "\(line.prefix(200))…" : line
        }
    }

    /// Takes what is still in the pipe and reads no more; a descendant that holds the other end open changes nothing.
    func finish() {
        queue.sync { [source] in
            guard !source.isCancelled else { return }
            read(atMost: 1 << 20)
            source.cancel()
        }
    }

    private func read(atMost limit: Int) {
        var total = 0
        while total < limit {
            let chunk = [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, count in
                count = max(0, Self.read(descriptor, buffer))
            }
            guard !chunk.isEmpty else { break }
            total += chunk.count
            take(chunk)
        }
        if total == 0, isAtEnd { source.cancel() }
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

    /// Whether every writing end is closed; an empty pipe would say `EAGAIN`.
    private var isAtEnd: Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, 0) > 0 && request.revents & Int16(POLLIN) == 0
            && request.revents & Int16(POLLHUP) != 0
    }

    private func take(_ chunk: [UInt8]) {
        state.withLock { state in
            if !ready.isEmpty, !state.sawReady {
                let window = state.bytes.suffix(ready.count - 1) + chunk
                state.sawReady = Self.contains(ready, Array(window))
            }
            state.bytes += chunk
            if state.bytes.count > Self.kept { state.bytes.removeFirst(state.bytes.count - Self.kept) }
        }
    }

    private static func contains(_ needle: [UInt8], _ bytes: [UInt8]) -> Bool {
        guard bytes.count >= needle.count else { return false }
        return (0...bytes.count - needle.count).contains { start in
            bytes[start] == needle[0] && bytes[start..<start + needle.count].elementsEqual(needle)
        }
    }
}
