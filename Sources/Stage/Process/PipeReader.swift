@preconcurrency import Dispatch

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Reads what a process prints as fast as it comes, so that no subject waits for a full pipe.
final class PipeReader: Sendable {
    private let descriptor: Int32
    private let take: @Sendable ([UInt8]) -> Bool
    private let queue = DispatchQueue(label: "holdfast.output")
    private let source: any DispatchSourceRead

    /// Takes over the reading end of a pipe.
    /// - Parameters:
    ///   - descriptor: The end, which is closed with the reader.
    ///   - take: Takes what was read, in order, and says whether to go on; otherwise the pipe is closed.
    init(_ descriptor: Int32, take: @escaping @Sendable ([UInt8]) -> Bool) {
        self.descriptor = descriptor
        self.take = take
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler { [weak self] in self?.read(atMost: 1 << 20) }
        source.setCancelHandler { close(descriptor) }
        source.activate()
    }

    deinit {
        source.cancel()
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
        while total < limit, !source.isCancelled {
            let chunk = [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, count in
                count = max(0, Self.read(descriptor, buffer))
            }
            guard !chunk.isEmpty else { break }
            total += chunk.count
            if !take(chunk) { source.cancel() }
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
}
