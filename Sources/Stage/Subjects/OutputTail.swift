import Platform
import Synchronization

/// What a process prints, of which only the end is kept.
final class OutputTail: Sendable {
    /// How much is kept; the last words of a process that failed are what helps.
    static let kept = 16 << 10

    private let words: Words
    private let reader: PipeReader

    /// Takes over the reading end of a pipe.
    init(reading descriptor: Descriptor, ready: String?) {
        let words = Words(ready: Array((ready ?? "").utf8))
        self.words = words
        reader = PipeReader(descriptor) { chunk in
            words.take(chunk)
            return true
        }
    }

    /// Whether the text that tells readiness was printed.
    var sawReady: Bool { words.state.withLock { $0.sawReady } }

    /// The last lines without credentials, each at most 200 characters long.
    func lines(_ count: Int = 10, without redaction: Redaction = Redaction([])) -> [String] {
        let text = words.state.withLock { String(decoding: $0.bytes, as: UTF8.self) }
        return text.split(whereSeparator: \.isNewline).suffix(count).map { line in
            // A cut in the middle of a credential would leave half of it.
            let line = redaction.applied(toWords: String(line))
            return line.count > 200 ? "\(line.prefix(200))…" : line
        }
    }

    /// Takes what is still in the pipe and reads no more.
    func finish() { reader.finish() }
}

/// The end of what was printed.
private final class Words: Sendable {
    struct State {
        var bytes: [UInt8] = []
        var sawReady = false
    }

    let state = Mutex(State())
    private let ready: [UInt8]

    init(ready: [UInt8]) {
        self.ready = ready
    }

    func take(_ chunk: [UInt8]) {
        state.withLock { state in
            if !ready.isEmpty, !state.sawReady {
                let window = state.bytes.suffix(ready.count - 1) + chunk
                state.sawReady = window.contains(ready)
            }
            state.bytes += chunk
            if state.bytes.count > OutputTail.kept { state.bytes.removeFirst(state.bytes.count - OutputTail.kept) }
        }
    }
}
