import Holdfast
import HoldfastBasics
import HoldfastPlatform

/// Splits bytes into lines as they arrive, and never holds more than one line.
struct CaptureLines {
    struct Line {
        let bytes: ArraySlice<UInt8>
        let location: CaptureLocation
        /// The limit that the line exceeds; its bytes are not kept then.
        var limit: Int?

        func text(in file: String) throws(InputProblem) -> String {
            if let limit {
                throw InputProblem(
                    location: location.problem(in: file), what: "the line has more than \(limit) bytes",
                    expected: "one event per line, at most \(limit) bytes",
                    fix: "remove the line, or end every event with a line break")
            }
            guard let text = String(utf8: bytes) else {
                throw InputProblem(
                    location: location.problem(in: file), what: "the line is not UTF-8", expected: "UTF-8 throughout",
                    fix: "record the capture again, or convert it with iconv")
            }
            return text
        }
    }

    private let maxLineBytes: Int
    private var pending: ArraySlice<UInt8> = []
    /// Whether the pending line was too long, so that its rest is skipped.
    private var isSkipping = false
    private var line = 0
    private var offset = 0
    private var position = 0

    init(maxLineBytes: Int) { self.maxLineBytes = maxLineBytes }

    /// The lines that these bytes complete, without line ends.
    ///
    /// A line that is too long is returned as soon as it exceeds the limit.
    mutating func append(_ bytes: [UInt8]) -> [Line] {
        var complete: [Line] = []
        var rest = bytes[...]
        while let length = rest.withUnsafeBytes({ index(of: UInt8(ascii: "\n"), in: $0) }) {
            let end = rest.startIndex + length
            grow(rest[..<end], &complete)
            position += 1
            let wasSkipped = isSkipping
            isSkipping = false
            let line = takeLine()
            if !wasSkipped { complete.append(line) }
            rest = rest[(end + 1)...]
        }
        grow(rest, &complete)
        return complete
    }

    var next: CaptureLocation { CaptureLocation(line: line + 1, offset: offset) }

    mutating func skip(lines: Int, bytes: Int) {
        line += lines
        position += bytes
        offset = position
        (pending, isSkipping) = ([], false)
    }

    mutating func beginAgain() { self = CaptureLines(maxLineBytes: maxLineBytes) }

    mutating func finish() -> Line? { pending.isEmpty ? nil : takeLine() }

    private mutating func grow(_ bytes: ArraySlice<UInt8>, _ complete: inout [Line]) {
        position += bytes.count
        guard !isSkipping else { return }
        if pending.count + bytes.count > maxLineBytes {
            (pending, isSkipping) = ([], true)
            complete.append(Line(bytes: [], location: next, limit: maxLineBytes))
        } else if pending.isEmpty {
            pending = bytes
        } else {
            pending += bytes
        }
    }

    private mutating func takeLine() -> Line {
        line += 1
        let location = CaptureLocation(line: line, offset: offset)
        offset = position
        defer { pending = [] }
        if pending.last == UInt8(ascii: "\r") { pending.removeLast() }
        if line == 1, pending.starts(with: CaptureForm.byteOrderMark) { pending.removeFirst(3) }
        return Line(bytes: pending, location: location)
    }
}
