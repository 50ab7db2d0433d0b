import Holdfast

/// Cuts bytes into lines as they arrive, and never holds more than one line.
struct CaptureLines {
    /// A line and where it stands.
    struct Line {
        let bytes: ArraySlice<UInt8>
        let location: CaptureLocation

        /// The text of a line in a file.
        func text(in file: String) throws(InputProblem) -> String {
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw InputProblem(
                    location: location.problem(in: file), what: "the line is not UTF-8", expected: "UTF-8 throughout",
                    fix: "record the capture again, or convert it with iconv")
            }
            return text
        }
    }

    private let file: String
    private let maxLineBytes: Int
    private var pending: ArraySlice<UInt8> = []
    private var line = 0
    /// The bytes before the pending line.
    private var offset = 0
    /// Where the next byte stands.
    private var position = 0

    init(file: String, maxLineBytes: Int) {
        self.file = file
        self.maxLineBytes = maxLineBytes
    }

    /// The lines that these bytes complete, without their line ends, and what is wrong with the next one.
    mutating func append(_ bytes: [UInt8]) -> (lines: [Line], problem: InputProblem?) {
        var complete: [Line] = []
        do throws(InputProblem) {
            var rest = bytes[...]
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                try grow(rest[..<end])
                position += 1
                complete.append(takeLine())
                rest = rest[(end + 1)...]
            }
            try grow(rest)
            return (complete, nil)
        } catch {
            return (complete, error)
        }
    }

    /// The last line, when it had no line end.
    mutating func finish() -> Line? { pending.isEmpty ? nil : takeLine() }

    private mutating func grow(_ bytes: ArraySlice<UInt8>) throws(InputProblem) {
        guard pending.count + bytes.count <= maxLineBytes else {
            throw InputProblem(
                location: CaptureLocation(line: line + 1, offset: offset).problem(in: file),
                what: "the line has more than \(maxLineBytes) bytes",
                expected: "one event a line, of \(maxLineBytes) bytes at most",
                fix: "leave the line out, or put a line end behind every event")
        }
        if pending.isEmpty { pending = bytes } else { pending += bytes }
        position += bytes.count
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
