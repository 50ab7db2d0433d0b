import Holdfast
import HoldfastBasics
import HoldfastTranscript

/// The forms of a file in which a history can be kept.
public enum CaptureForm: String, Sendable, Hashable, CaseIterable {
    /// Transcripts of this program, one or many.
    case transcript
    /// A report of this program.
    case report
    /// One frame a line, bare or in an envelope.
    case frames
    /// What browsers export: HTTP Archive 1.2 with WebSocket messages.
    case har
    /// Notes by hand: `A -> {…}`, `A <- {…}`, `HTTP GET /path -> 200 {…}`.
    case notes

    /// What people call it.
    public var name: String {
        switch self {
        case .transcript: "a transcript"
        case .report: "a report"
        case .frames: "frames, one a line"
        case .har: "a HAR file"
        case .notes: "notes"
        }
    }
}

extension CaptureForm {
    /// How many bytes are looked at to tell what a file is.
    public static let openingBytes = 64 << 10

    /// Tells a form by the beginning of a file, at most ``openingBytes`` of it.
    /// - Throws: A problem when the file is none of them, such as compressed or in UTF-16.
    public static func recognised(in opening: [UInt8], file: String) throws(InputProblem) -> CaptureForm {
        try refuseOtherEncodings(opening, file: file)
        let text = String(
            decoding: opening.starts(with: byteOrderMark) ? opening.dropFirst(3) : opening[...], as: UTF8.self)
        let lines = text.split(whereSeparator: \.isNewline).filter { line in
            !line.allSatisfy(\.isWhitespace) && !line.hasPrefix("#")
        }
        guard let first = lines.first else {
            throw InputProblem(
                location: "\(file):1 (byte 0)", what: "the file is empty", expected: expected,
                fix: "record the capture again")
        }
        let start = text.drop { $0.isWhitespace }
        if start.first == "{" {
            if first.contains("\"\(TranscriptFormat.name)\"") { return .transcript }
            if start.prefix(4096).contains("\"holdfast-report\"") { return .report }
            if start.filter({ !$0.isWhitespace }).prefix(7) == "{\"log\":" { return .har }
            return .frames
        }
        if lines.contains(where: { NoteLine.isEvent($0) }) { return .notes }
        throw InputProblem(
            location: "\(file):1 (byte 0)",
            what: "this is not a capture: it begins with '\(visible(first.prefix(40)))'",
            expected: expected, fix: "name its format with --as, or export it in one of these formats")
    }

    static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private static let expected =
        "a transcript, a report, one JSON frame per line, a HAR file, or notes such as 'A -> {…}'"

    private static func refuseOtherEncodings(_ opening: [UInt8], file: String) throws(InputProblem) {
        func refuse(_ what: String, at offset: Int = 0, fix: String) -> InputProblem {
            InputProblem(location: "\(file):1 (byte \(offset))", what: what, expected: "text in UTF-8", fix: fix)
        }
        let packed: [([UInt8], String, String)] = [
            ([0x1F, 0x8B], "gzip", "gunzip -c"), ([0x28, 0xB5, 0x2F, 0xFD], "zstd", "zstd -dc"),
            ([0x42, 0x5A, 0x68], "bzip2", "bunzip2 -c"), ([0xFD, 0x37, 0x7A, 0x58, 0x5A], "xz", "xz -dc"),
            ([0x50, 0x4B, 0x03, 0x04], "zip", "unzip -p"),
        ]
        if let (_, name, command) = packed.first(where: { opening.starts(with: $0.0) }) {
            throw refuse("the file is compressed (\(name))", fix: "\(command) \(file) | conformance judge -")
        }
        if opening.starts(with: [0xFF, 0xFE]) || opening.starts(with: [0xFE, 0xFF]) {
            throw refuse("the file is in UTF-16", fix: "iconv -f UTF-16 -t UTF-8 \(file) | conformance judge -")
        }
        if let offset = opening.firstIndex(of: 0) {
            throw refuse(
                "the file is not text: it contains a NUL byte", at: offset,
                fix: "choose a capture, not a program or an image")
        }
    }
}
