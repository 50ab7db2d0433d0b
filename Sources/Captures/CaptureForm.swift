import Holdfast
import HoldfastBasics
import HoldfastTranscript

/// The formats of files that can contain a history.
public enum CaptureForm: String, Sendable, Hashable, CaseIterable {
    /// Transcripts of this program, one or many.
    case transcript
    case report
    /// One frame a line, bare or in an envelope.
    case frames
    /// An export of a browser: HTTP Archive 1.2 with WebSocket messages.
    case har
    /// Notes by hand: `A -> {…}`, `A <- {…}`, `HTTP GET /path -> 200 {…}`.
    case notes

    /// Its usual name.
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
    /// The bytes that are read to find out the format of a file.
    public static let openingBytes = 64 << 10

    /// Recognizes a format by the beginning of a file, at most ``openingBytes`` of it.
    /// - Throws: A problem if the file has no such format, for example because it is compressed or in UTF-16.
    public static func recognized(
        in opening: [UInt8], file: String, dialect: Dialect = .canonical
    ) throws(InputProblem) -> CaptureForm {
        try refuseOtherEncodings(opening, file: file)
        let text = String(
            decoding: opening.starts(with: byteOrderMark) ? opening.dropFirst(3) : opening[...], as: UTF8.self)
        let lines = text.split(whereSeparator: \.isNewline).filter { line in
            !line.allSatisfy(\.isWhitespace) && !line.hasPrefix("#")
        }
        guard let first = lines.first else {
            guard file != "standard input" else {
                throw InputProblem(
                    location: file, what: "it ended before anything came", expected: expected,
                    fix: "pipe a capture into it, or name a file")
            }
            throw InputProblem(
                location: "\(file):1 (byte 0)", what: "the file is empty", expected: expected,
                fix: "record the capture again")
        }
        let start = text.drop { $0.isWhitespace }
        if start.first == "{" {
            if first.contains("\"\(TranscriptFormat.name)\"") { return .transcript }
            if start.prefix(4096).contains("\"holdfast-report\"") { return .report }
            let beginning = start.prefix(4096).filter { !$0.isWhitespace }
            if beginning.hasPrefix("{\"log\":{") || beginning.hasPrefix("{\"log\":[") { return .har }
            return .frames
        }
        if start.first == "[", start.dropFirst().first(where: { !$0.isWhitespace }) == "{" { return .frames }
        if lines.contains(where: { NoteLine.event(String($0.drop { " \t".contains($0) })) != nil }) { return .notes }
        // A log may begin long before its first message.
        if opening.count >= openingBytes || CaptureOpening(opening, dialect: dialect).hasMessages { return .frames }
        throw InputProblem(
            location: "\(file):1 (byte 0)",
            what: "this is not a capture: it begins with '\(visible(first.prefix(40)))'",
            expected: expected, fix: fix(forText: text))
    }

    static func noFrames(in file: String, _ leftOut: CaptureOmissions) -> InputProblem {
        let first = leftOut.entries.first
        return InputProblem(
            location: (first?.first ?? CaptureLocation(line: 1, offset: 0)).problem(in: file),
            what: "no message in it" + (first.map { ": \($0.count)× \($0.reason)" } ?? ""), expected: expected,
            fix: fix(forText: ""))
    }

    static func fix(forCut line: String) -> String {
        line.contains(" TEXT '") || line.contains("websockets")
            ? "set WEBSOCKETS_MAX_LOG_SIZE=1000000 for the program, so that it does not shorten messages"
            : "delete the line if the capture was cut off, or make the logger print whole messages"
    }

    private static func fix(forText text: String) -> String {
        let envelope = "{\"at\":…,\"conn\":…,\"dir\":\">\",\"frame\":{…}}"
        for (mark, how) in prints where text.contains(mark) {
            return "log messages as JSON, not in the notation of a language: \(how), best as \(envelope)"
        }
        return "print one line per message, best \(envelope): the guide 'Record a capture' shows how in five languages"
    }

    /// The forms in which languages print objects, and their functions for JSON.
    private static let prints = [
        ("{'type': ", "print json.dumps(frame) in Python"), ("{ type: ", "print JSON.stringify(frame) in JavaScript"),
        ("{\"type\"=>", "print frame.to_json in Ruby"), ("{type=", "print its toJson() in Kotlin or Java"),
        ("map[type:", "print json.Marshal(frame) in Go"), ("[\"type\": ", "print it by JSONEncoder in Swift"),
    ]

    static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private static let expected =
        "a transcript, a report, one JSON frame per line, a HAR file, or notes such as 'A -> {…}'"

    private static func refuseOtherEncodings(_ opening: [UInt8], file: String) throws(InputProblem) {
        func refuse(_ what: String, at offset: Int = 0, fix: String) -> InputProblem {
            InputProblem(location: "\(file):1 (byte \(offset))", what: what, expected: "text in UTF-8", fix: fix)
        }
        func refuse(_ what: String, at offset: Int = 0, by command: String) -> InputProblem {
            refuse(what, at: offset, fix: "\(command) | conformance judge -")
        }
        func begins(_ text: String) -> Bool { opening.starts(with: text.utf8) }
        let packed: [([UInt8], String, String)] = [
            ([0x1F, 0x8B], "gzip", "gunzip -c"), ([0x28, 0xB5, 0x2F, 0xFD], "zstd", "zstd -dc"),
            ([0x42, 0x5A, 0x68], "bzip2", "bunzip2 -c"), ([0xFD, 0x37, 0x7A, 0x58, 0x5A], "xz", "xz -dc"),
        ]
        if let (_, name, command) = packed.first(where: { opening.starts(with: $0.0) }) {
            throw refuse("the file is compressed (\(name))", by: "\(command) \(file)")
        }
        if PacketCapture.isOne(opening) {
            throw refuse("this is a packet capture", by: PacketCapture.command(for: file))
        }
        if opening.starts(with: [0x50, 0x4B, 0x03, 0x04]) {
            let isOf = { (ending: String) in file.lowercased().hasSuffix(ending) }
            if isOf(".saz") {
                throw refuse(
                    "this is a Fiddler archive (zip)",
                    fix: "in Fiddler: File > Export Sessions > All Sessions > HTTPArchive v1.2, then judge that file")
            }
            if isOf(".chlsx") || isOf(".chls") { throw charles() }
            if file.lowercased().contains(".proxymanlog") {
                throw refuse(
                    "this is a Proxyman log", fix: "in Proxyman: File > Export > HAR, then judge that file")
            }
            throw refuse("the file is compressed (zip)", by: "unzip -p \(file)")
        }
        func charles() -> InputProblem {
            refuse(
                "this is a Charles session, which holds no WebSocket messages in a form that others read",
                fix: "record with 'conformance proxy --upstream URL --out capture.ndjson' in place of Charles, "
                    + "or export a HAR file from Chrome")
        }
        if begins("<?xml"), String(decoding: opening.prefix(400), as: UTF8.self).contains("charles-session") {
            throw charles()
        }
        if file.lowercased().hasSuffix(".chls") { throw charles() }
        let start = String(decoding: opening.prefix(400), as: UTF8.self)
        // A netstring of a netstring dictionary, as mitmproxy writes flows.
        if start.prefixMatch(of: #/[0-9]+:[0-9]+:(websocket|version|type|backup|error|request|client_conn)/#) != nil {
            throw refuse(
                "these are flows of mitmproxy",
                fix: "mitmdump -nr \(file) --set hardump=\(file).har && conformance judge \(file).har")
        }
        if begins("LPKSHHRH") { throw refuse("this is a journal of systemd", by: "journalctl --file \(file) -o cat") }
        if begins("SQLite format 3\u{0}") {
            throw refuse(
                "this is an SQLite database",
                fix: "select the column of the messages: sqlite3 \(file) 'SELECT …' | conformance judge -")
        }
        if begins("{\"constants\":{") {
            throw refuse(
                "this is a net log of Chrome, which holds no WebSocket messages",
                fix: "in the network panel of the browser: Export HAR (with sensitive data), then judge that file")
        }
        if opening.starts(with: [0xFF, 0xFE]) || opening.starts(with: [0xFE, 0xFF]) {
            throw refuse("the file is in UTF-16", by: "iconv -f UTF-16 -t UTF-8 \(file)")
        }
        if let offset = opening.firstIndex(of: 0) {
            throw refuse(
                "the file is not text: it contains a NUL byte", at: offset,
                fix:
                    "export it as text, one JSON object per message; for a packet capture: \(PacketCapture.command(for: file))"
            )
        }
    }
}

/// Packet captures, which another program converts.
public enum PacketCapture {
    /// Whether a file begins like one: pcap in either byte order, with micro- or nanoseconds, or pcapng.
    public static func isOne(_ opening: [UInt8]) -> Bool {
        let marks: [[UInt8]] = [
            [0xD4, 0xC3, 0xB2, 0xA1], [0xA1, 0xB2, 0xC3, 0xD4], [0x4D, 0x3C, 0xB2, 0xA1], [0xA1, 0xB2, 0x3C, 0x4D],
            [0x0A, 0x0D, 0x0D, 0x0A],
        ]
        return marks.contains { opening.starts(with: $0) }
    }

    /// The arguments with which `tshark` prints the format that ``CaptureReader`` reads.
    public static func arguments(for file: String) -> [String] {
        ["-r", file, "-Y", "websocket.payload.text", "-T", "json", "-e", "frame.time_epoch", "-e", "tcp.stream"]
            + ["-e", "websocket.mask", "-e", "websocket.payload.text"]
    }

    static func command(for file: String) -> String { "tshark " + arguments(for: file).joined(separator: " ") }
}
