@preconcurrency import Dispatch
import HoldfastPlatform
import HoldfastTranscript

/// Reads a growing file or a pipe as whole lines until it is stopped.
///
/// A file needs no buffer: a slow reader finds everything later. A full pipe would block its producer, so a thread
/// empties it at once; lines beyond the buffer are dropped and counted.
final class FollowedInput: Sendable {
    enum Piece: Sendable {
        /// Whole lines; only the very last may lack its end.
        case lines([UInt8])
        /// Lines of a pipe that did not fit into the buffer.
        case dropped(lines: Int, bytes: Int)
        /// Another file now has the name and is read from its beginning.
        case rotated
        /// The file became shorter: unread text is lost, and reading starts again at the beginning.
        case truncated
        /// The pipe has ended, or reading was stopped.
        case end
    }

    /// The interval between checks of a file, in seconds.
    private static let interval = 0.1
    /// The number of further checks of a renamed file, whose writer may still have it open.
    private static let grace = 5
    private static let chunk = 256 << 10

    /// The pieces of a pipe that wait to be judged.
    struct Waiting: Sendable {
        private let capacity: Int
        private var pieces: [Piece] = []
        private var bytes = 0
        private var isDropping = false

        /// A buffer of at most `capacity` bytes.
        init(capacity: Int) { self.capacity = capacity }

        /// Adds lines; once some do not fit, drops lines until half of the buffer is free, to leave one gap, not many.
        mutating func add(_ lines: [UInt8]) {
            if isDropping { isDropping = bytes > capacity / 2 }
            if !isDropping { isDropping = bytes + lines.count > capacity }
            guard isDropping else {
                bytes += lines.count
                return pieces.append(.lines(lines))
            }
            var (count, size) = (lines.count { $0 == UInt8(ascii: "\n") }, lines.count)
            if case .dropped(let before, let sizeBefore)? = pieces.last {
                (count, size) = (count + before, size + sizeBefore)
                pieces.removeLast()
            }
            pieces.append(.dropped(lines: count, bytes: size))
        }

        /// Adds the last line, which may lack its end, and the end of the pipe.
        mutating func end(_ rest: [UInt8]) { pieces += rest.isEmpty ? [.end] : [.lines(rest), .end] }

        mutating func take() -> Piece? {
            guard !pieces.isEmpty else { return nil }
            let piece = pieces.removeFirst()
            if case .lines(let lines) = piece { bytes -= lines.count }
            return piece
        }
    }

    private struct State: Sendable {
        var waiting: Waiting
        var descriptor: Descriptor
        var identity: FileStatus.Identity?
        var position = 0
        /// The beginning of a line whose end has not been read yet.
        var rest: [UInt8] = []
        /// The number of consecutive checks that found a different file under the name and nothing new in this one.
        var idleChecks = 0
        var isStopped = false
    }

    private let path: String
    private let isPipe: Bool
    private let state: Mutex<State>
    private let bell = DispatchSemaphore(value: 0)

    /// Opens a file, or standard input for `-`; `capacity` is the buffer of a pipe in bytes.
    init(_ path: String, capacity: Int) throws(SystemError) {
        self.path = path
        let descriptor = path == "-" ? .standardInput : try Descriptor(opening: path, for: .nonblockingReading)
        let status = try FileStatus(of: descriptor)
        isPipe = path == "-" || status.kind != .regular
        state = Mutex(State(waiting: Waiting(capacity: capacity), descriptor: descriptor, identity: status.identity))
        guard isPipe else { return }
        DispatchQueue(label: "holdfast.follow.pipe").async { self.drain(descriptor) }
    }

    deinit { state.withLock { if $0.descriptor != .standardInput { $0.descriptor.close() } } }

    /// Ends the input after the data available now.
    func stop() {
        state.withLock { $0.isStopped = true }
        bell.signal()
    }

    /// The next piece; nil if there is none within a tenth of a second.
    func next() throws(SystemError) -> Piece? {
        if let piece = isPipe ? state.withLock({ $0.waiting.take() }) : try read() { return piece }
        _ = bell.wait(timeout: .now() + Self.interval)
        return nil
    }

    // MARK: Pipes

    private func drain(_ pipe: Descriptor) {
        // After a stop, reads at most what a pipe can hold: its producer may never pause.
        var bytesLeft = 1 << 20
        while bytesLeft > 0 {
            let isStopped = state.withLock { $0.isStopped }
            guard pipe.waitUntilReadable(seconds: isStopped ? 0 : 1) else {
                if isStopped { break }
                continue
            }
            let bytes: [UInt8]
            do throws(SystemError) {
                bytes = try pipe.read(atMost: Self.chunk)
            } catch {
                if error == .wouldWait { continue }
                break
            }
            if bytes.isEmpty { break }
            if isStopped { bytesLeft -= bytes.count }
            state.withLock { state in
                if let lines = Self.completeLines(bytes, &state.rest) { state.waiting.add(lines) }
            }
            bell.signal()
        }
        state.withLock { $0.waiting.end($0.rest) }
        bell.signal()
    }

    /// The complete lines so far, nil if there are none; `rest` keeps the remaining bytes.
    private static func completeLines(_ bytes: [UInt8], _ rest: inout [UInt8]) -> [UInt8]? {
        guard let end = bytes.lastIndex(of: UInt8(ascii: "\n")) else {
            rest += bytes
            // The capture reader refuses a line of this length, so collecting more is useless.
            guard rest.count > TranscriptFormat.maxLineBytes else { return nil }
            defer { rest = [] }
            return rest
        }
        var lines = rest
        if lines.isEmpty, end == bytes.count - 1 {
            lines = bytes
        } else {
            lines += bytes[...end]
        }
        rest = Array(bytes[(end + 1)...])
        return lines
    }

    // MARK: Files

    private func read() throws(SystemError) -> Piece? {
        let result: Result<Piece?, SystemError> = state.withLock { state in
            do throws(SystemError) { return .success(try read(&state)) } catch { return .failure(error) }
        }
        return try result.get()
    }

    private func read(_ state: inout State) throws(SystemError) -> Piece? {
        let bytes = try state.descriptor.read(Self.chunk, at: state.position)
        state.position += bytes.count
        if !bytes.isEmpty {
            state.idleChecks = 0
            return Self.completeLines(bytes, &state.rest).map { .lines($0) }
        }
        if let size = (try? FileStatus(of: state.descriptor))?.size, size < state.position {
            (state.position, state.rest) = (0, [])
            return .truncated
        }
        if state.isStopped {
            defer { state.rest = [] }
            return state.rest.isEmpty ? .end : .lines(state.rest)
        }
        // A missing file may reappear.
        guard let now = try? FileStatus(of: path), now.identity != state.identity else {
            state.idleChecks = 0
            return nil
        }
        state.idleChecks += 1
        guard state.idleChecks > Self.grace, let next = try? Descriptor(opening: path, for: .nonblockingReading) else {
            return nil
        }
        if !state.rest.isEmpty {
            defer { state.rest = [] }
            next.close()
            return .lines(state.rest + [UInt8(ascii: "\n")])
        }
        state.descriptor.close()
        state.descriptor = next
        (state.identity, state.position, state.idleChecks) = ((try? FileStatus(of: next))?.identity, 0, 0)
        return .rotated
    }
}
