import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastTranscript

/// Reads a capture of any format as its bytes arrive; only HAR files are held whole.
public struct CaptureReader: Sendable {
    /// Facts that a capture does not contain.
    public struct Options: Sendable {
        /// The declaration of the side under test.
        public var subject: History.Subject
        /// Whether connections without a token belong to one person; nil to decide by the format.
        public var isOnePerson: Bool?
        /// The parts that the capture contains, whatever its format.
        public var known: Set<History.Capture.Lack>
        /// The parts that it lacks.
        public var lacking: Set<History.Capture.Lack>
        /// The dialect of the system.
        public var dialect: Dialect

        /// Options for a subject; by default the canonical form.
        public init(
            subject: History.Subject, dialect: Dialect = .canonical, isOnePerson: Bool? = nil,
            known: Set<History.Capture.Lack> = [], lacking: Set<History.Capture.Lack> = []
        ) {
            (self.subject, self.dialect, self.isOnePerson) = (subject, dialect, isOnePerson)
            (self.known, self.lacking) = (known, lacking)
        }
    }

    private enum Reader: Sendable {
        case transcript(TranscriptLines)
        case frames(FrameReader)
        case notes(NoteReader)
        case har(HARReader, [UInt8])
        /// In place of a reader while it is changed: a second reference would copy its tables with every line.
        case taken
    }

    private let file: String
    private let options: Options
    private var reader: Reader
    private var lines: CaptureLines
    private var hasBegun = false
    /// Whether an unreadable line is a gap, instead of ending the reading.
    private let skipsWrongLines: Bool
    private var skipped = CaptureOmissions()
    private var orientation: String?

    /// A reader for any format except ``CaptureForm/report``, which is not a stream.
    public init(
        _ form: CaptureForm, file: String, options: Options, maxLineBytes: Int = TranscriptFormat.maxLineBytes,
        skipsWrongLines: Bool = false
    ) {
        (self.skipsWrongLines, self.file, self.options) = (skipsWrongLines, file, options)
        lines = CaptureLines(maxLineBytes: maxLineBytes)
        let people = CapturePrincipals(
            isOne: options.isOnePerson ?? (form != .frames), isStated: options.isOnePerson == true,
            dialect: options.dialect)
        switch form {
        case .transcript, .report: reader = .transcript(TranscriptLines(file: file))
        case .frames:
            reader = .frames(
                FrameReader(
                    file: file, people: people, direction: options.dialect.direction,
                    isOfProtocol: options.dialect.knows))
        case .notes: reader = .notes(NoteReader(people: people))
        case .har: reader = .har(HARReader(file: file, people: people, dialect: options.dialect), [])
        }
    }

    /// Uses the evidence in the beginning of the file about its directions and its people.
    public mutating func orient(by opening: CaptureOpening) {
        orientation = opening.remark
        let current = reader
        reader = .taken
        switch consume current {
        case .frames(var frames):
            (frames.isReversed, frames.nameWord) = (opening.isReversed, opening.nameWord)
            frames.people.take(opening.identities, ofForm: .frames)
            reader = .frames(frames)
        case .notes(var notes):
            notes.isReversed = opening.isReversed
            notes.people.take(opening.identities, ofForm: .notes)
            reader = .notes(notes)
        case let other: reader = other
        }
    }

    /// Remarks about the reading of the capture and its gaps.
    public var remarks: [String] {
        switch reader {
        case .transcript, .taken: []
        case .notes(let notes): [orientation, notes.people.remark].compactMap(\.self)
        case .har(let har, _): har.remarks
        case .frames(let frames):
            [orientation, frames.people.remark, frames.lacksRequestTimes ? CapturedParts.remark : nil].compactMap(
                \.self)
                + frames.members.filter { !["frame", "text", "data"].contains($0.key) }.sorted { $0.key < $1.key }
                .prefix(3).map { "\(counted($0.value, "message")) found in '\($0.key)'" }
        }
    }

    /// Whether the file should contain messages, but does not.
    public var lacksMessages: Bool { if case .har(let har, _) = reader { har.lacksMessages } else { false } }

    /// The parts skipped so far.
    public var leftOut: CaptureOmissions {
        let read =
            switch reader {
            case .transcript, .taken: CaptureOmissions()
            case .frames(let reader): reader.leftOut
            case .notes(let reader): reader.leftOut
            case .har(let reader, _): reader.leftOut
            }
        return skipped.entries.isEmpty ? read : read.adding(skipped)
    }

    /// Notes missing lines as a gap, with the reason.
    package mutating func skip(
        lines count: Int, bytes: Int, because reason: String, _ take: (CaptureItem) throws(InputProblem) -> Void
    ) throws(InputProblem) {
        try begin(take)
        skipped.note(reason, lines.next, count: max(1, count))
        lines.skip(lines: count, bytes: bytes)
        try take(.gap)
    }

    /// Notes that the next lines are in another file, which continues this one.
    package mutating func beginAgain() { lines.beginAgain() }

    /// The parts that the capture lacks, as far as it was read; nil for transcripts, whose headers list them.
    public var capture: History.Capture? {
        var lacks: Set<History.Capture.Lack>
        let people: CapturePrincipals
        switch reader {
        case .transcript, .taken: return nil
        case .frames(let reader):
            (lacks, people) = ([.principals, .credentials, .network, .headers], reader.people)
            if !reader.knowsTimes { lacks.insert(.times) }
            if reader.lacksRequestTimes { lacks.insert(.requestTimes) }
            if reader.lacksBodies { lacks.insert(.requestBodies) }
        case .notes(let reader):
            (lacks, people) = ([.times, .principals, .credentials, .headers], reader.people)
            if reader.lacksBodies { lacks.insert(.requestBodies) }
        case .har(let har, _):
            (lacks, people) = ([.principals, .credentials, .network], har.people)
            if !har.knowsTimes { lacks.insert(.times) }
        }
        if people.areKnown { lacks.remove(.principals) }
        return History.Capture(lacks: lacks.union(options.lacking).subtracting(options.known))
    }

    /// Takes the next bytes, wherever they were cut, and passes their items to `take`.
    /// - Throws: The first problem, with line and byte.
    public mutating func append(
        _ bytes: [UInt8], _ take: (CaptureItem) throws(InputProblem) -> Void
    ) throws(InputProblem) {
        try begin(take)
        if case .har(let har, var held) = reader {
            reader = .har(har, [])
            guard held.count + bytes.count <= HARReader.maxBytes else {
                throw InputProblem(
                    location: "\(file) (byte \(HARReader.maxBytes))",
                    what: "the HAR file has more than \(HARReader.maxBytes) bytes",
                    expected: "at most \(HARReader.maxBytes) bytes: a HAR file is read as a whole",
                    fix: "export less of it, or convert it to one frame per line")
            }
            held += bytes
            reader = .har(har, held)
            return
        }
        try self.take(lines.append(bytes), take)
    }

    /// Passes on the remaining items, after all bytes.
    /// - Throws: A problem of the last line, or of an incomplete document.
    public mutating func finish(_ take: (CaptureItem) throws(InputProblem) -> Void) throws(InputProblem) {
        try begin(take)
        if case .har(var har, let held) = reader {
            reader = .har(har, [])
            let items = try har.items(in: held)
            reader = .har(har, [])
            for item in items { try take(item) }
            return
        }
        if let last = lines.finish() { try self.take([last], take) }
        var items: [CaptureItem] = []
        if case .notes(var notes) = reader {
            items = notes.finish()
            reader = .notes(notes)
        }
        if case .frames(var frames) = reader {
            defer { reader = .frames(frames) }
            do throws(InputProblem) { items = try frames.finish() } catch { if !skipsWrongLines { throw error } }
        }
        for item in items { try take(item) }
    }

    private mutating func begin(_ take: (CaptureItem) throws(InputProblem) -> Void) throws(InputProblem) {
        guard !hasBegun else { return }
        hasBegun = true
        guard let capture else { return }
        try take(.header(History.Header(subject: options.subject, dialect: options.dialect, capture: capture)))
    }

    private mutating func take(
        _ lines: [CaptureLines.Line], _ take: (CaptureItem) throws(InputProblem) -> Void
    ) throws(InputProblem) {
        let file = file
        let current = reader
        reader = .taken
        switch consume current {
        case .transcript(var transcript):
            defer { reader = .transcript(transcript) }
            var tape = JSONTape(limits: JSONLimits(maxBytes: .max))
            try each(lines, take) { line throws(InputProblem) in
                if let item = try transcript.take(line, &tape) { try take(item) }
            }
        case .frames(var frames):
            defer { reader = .frames(frames) }
            try each(lines, take) { line throws(InputProblem) in
                for item in frames.take(try line.text(in: file), line.location) { try take(item) }
            }
        case .notes(var notes):
            defer { reader = .notes(notes) }
            try each(lines, take) { line throws(InputProblem) in
                for item in notes.take(try line.text(in: file), line.location) { try take(item) }
            }
        case .har, .taken: break
        }
    }

    private mutating func each(
        _ lines: [CaptureLines.Line], _ take: (CaptureItem) throws(InputProblem) -> Void,
        _ read: (CaptureLines.Line) throws(InputProblem) -> Void
    ) throws(InputProblem) {
        for line in lines {
            do throws(InputProblem) {
                try read(line)
            } catch {
                guard skipsWrongLines else { throw error }
                skipped.note(error.what, line.location)
                try take(.gap)
            }
        }
    }
}
