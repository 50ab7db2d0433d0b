import HoldfastBasics
import HoldfastPlatform

/// The end of the output of a process; the rest is dropped.
final class OutputTail: Sendable {
    /// The number of bytes kept; the last words of a failed process help most.
    static let kept = 16 << 10

    private struct Words {
        var bytes: [UInt8] = []
        var sawReady = false

        mutating func take(_ chunk: [UInt8], awaiting ready: [UInt8]) {
            if !ready.isEmpty, !sawReady { sawReady = (bytes.suffix(ready.count - 1) + chunk).contains(ready) }
            bytes += chunk
            if bytes.count > OutputTail.kept { bytes.removeFirst(bytes.count - OutputTail.kept) }
        }
    }

    private let words = Shared(Words())
    private let reader: PipeReader

    /// Reads from a pipe, which it then owns.
    init(reading descriptor: Descriptor, ready: String?) {
        let ready = Array((ready ?? "").utf8)
        reader = PipeReader(descriptor) { [words] chunk in
            words.withLock { $0.take(chunk, awaiting: ready) }
            return true
        }
    }

    var sawReady: Bool { words.withLock { $0.sawReady } }

    /// The last lines without credentials, each at most 200 characters long.
    func lines(_ count: Int = 10, without redaction: Redaction = Redaction([])) -> [String] {
        let text = words.withLock { String(decoding: $0.bytes, as: UTF8.self) }
        return text.split(whereSeparator: \.isNewline).suffix(count).map { line in
            // A cut in the middle of a credential would leave half of it.
            let line = redaction.applied(toWords: String(line))
            return line.count > 200 ? "\(line.prefix(199))…" : line
        }
    }

    /// The line with the reason why a process ended: the last that begins with an error, such as `TypeError: …`, else
    /// the last that mentions one and is not a stack frame, else the last line.
    static func complaint(in lines: [String]) -> String? {
        let signs = ["error", "exception", "panic", "fatal", "assertion", "out of memory"]
        let said = lines.map { String($0.drop(while: \.isWhitespace)) }.filter { !$0.isEmpty }
        let reported = said.last { line in
            let words = line.lowercased()
            return !words.hasPrefix("at ") && signs.contains { words.contains($0) }
        }
        let kinds = ["error", "exception", "panic"]
        let thrown = said.last { line in
            // `TypeError: …`, `panic: …`, `Main.swift:3: Fatal error: …`; a member such as `errstr: …` names no error.
            guard let head = line.split(separator: ": ", maxSplits: 1).first, head.count < line.count else {
                return false
            }
            return kinds.contains { head.lowercased().hasSuffix($0) }
        }
        return thrown ?? reported ?? said.last
    }

    func finish() { reader.finish() }
}
