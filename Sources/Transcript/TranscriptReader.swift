import Holdfast
import HoldfastBasics
import HoldfastJSON

/// Reads NDJSON incrementally, holding only the current line and the events so far.
public struct TranscriptReader {
    private let file: String
    private let maxLineBytes: Int
    private var pending: [UInt8] = []
    private var line = 0
    private var header: History.Header?
    private var events: [Event] = []
    private var lines = PackedEvents()

    /// A reader for a file with this name in problems.
    public init(file: String, maxLineBytes: Int = TranscriptFormat.maxLineBytes) {
        self.file = file
        self.maxLineBytes = maxLineBytes
    }

    /// The history in a whole text.
    /// - Throws: The first problem, with file and line.
    public static func history(in text: String, file: String) throws(InputProblem) -> History {
        var reader = TranscriptReader(file: file)
        try reader.append(Array(text.utf8))
        return try reader.finish()
    }

    /// Adds the next bytes, cut at any place.
    /// - Throws: The first problem of a complete line, or of a line over the limit.
    public mutating func append(_ bytes: [UInt8]) throws(InputProblem) {
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            try grow(rest[..<end])
            try takeLine()
            rest = rest[(end + 1)...]
        }
        try grow(rest)
    }

    /// The history, after all bytes were added.
    /// - Throws: A problem if the last line is incomplete or there is no header.
    public mutating func finish() throws(InputProblem) -> History {
        if !pending.isEmpty { try takeLine() }
        guard let header else {
            throw InputProblem(
                location: "\(file):1", what: "the transcript is empty", expected: expectedHeader,
                fix: "record the transcript again")
        }
        return History(header: header, events: events)
    }

    private mutating func grow(_ bytes: ArraySlice<UInt8>) throws(InputProblem) {
        guard pending.count + bytes.count <= maxLineBytes else {
            throw InputProblem(
                location: "\(file):\(line + 1)", what: "the line is longer than \(maxLineBytes) bytes",
                expected: "at most \(maxLineBytes) bytes per line", fix: "shorten the message it holds")
        }
        pending += bytes
    }

    private mutating func takeLine() throws(InputProblem) {
        line += 1
        defer { pending.removeAll(keepingCapacity: true) }
        if pending.last == UInt8(ascii: "\r") { pending.removeLast() }
        guard !pending.isEmpty else { return }
        guard let text = String(utf8: pending) else {
            throw InputProblem(
                location: "\(file):\(line)", what: "the line is not UTF-8", expected: "UTF-8 throughout",
                fix: "record the transcript again")
        }
        try take(LineReader(text, file: file, line: line))
    }

    /// Adds a line as an object, for reports that contain transcripts.
    /// - Throws: A problem at the given place.
    package mutating func append(_ object: JSONObject, at location: String) throws(InputProblem) {
        try take(LineReader(location: location, object: object))
    }

    private mutating func take(_ reader: LineReader) throws(InputProblem) {
        if header == nil {
            header = try reader.header()
            lines = PackedEvents(below: reader)
        } else {
            let event = try lines.event(reader)
            if let before = events.last, event.at < before.at {
                throw reader.problem(
                    "time goes backward, from \(before.at) to \(event.at) microseconds",
                    expected: "'at' of at least \(before.at)")
            }
            events.append(event)
        }
    }
}

private let expectedHeader = "a first line with \"format\": \"\(TranscriptFormat.name)\""

extension LineReader {
    package func header() throws(InputProblem) -> History.Header {
        guard object["format"]?.stringValue == TranscriptFormat.name else {
            throw problem("this is not a transcript", expected: expectedHeader)
        }
        let version = try integer("version")
        guard version == TranscriptFormat.version else {
            throw problem("transcript version \(version) is unknown", expected: "version \(TranscriptFormat.version)")
        }
        var header = History.Header(
            specification: try string("specification"), scenario: try optionalString("scenario"),
            subject: try members("subject").subject(), timeouts: try timeouts(),
            timeScale: try timeScale(), lateness: try lateness(), startedAt: try optionalString("startedAt"),
            dialect: try dialect(),
            capture: object["capture"] == nil ? nil : try members("capture").capture())
        header.slowAnswers = try slowAnswers()
        return header
    }

    private func dialect() throws(InputProblem) -> Dialect {
        guard let source = object["dialect"] else { return .canonical }
        do {
            return try Dialect(source, at: "\(location) /dialect")
        } catch {
            throw error.problems.first ?? problem("'dialect' is \(shown(source))", expected: "a dialect file")
        }
    }

    private func capture() throws(InputProblem) -> History.Capture {
        let known = History.Capture.Lack.allCases.map(\.rawValue).sorted()
        let lacks = try entries("lacks", "an array of names", known.joined(separator: ", ")) {
            $0.stringValue.flatMap(History.Capture.Lack.init(rawValue:))
        }
        let carried = try optionalInteger("carried") ?? 0
        guard carried >= 0 else { throw problem("'carried' is \(carried)", expected: "a count of events") }
        let endsInGap = try optional("endsInGap", "true or false", \.boolValue) ?? false
        return History.Capture(lacks: Set(lacks), carried: carried, endsInGap: endsInGap)
    }

    /// The entries of an array; none if it is absent.
    private func entries<Entry>(
        _ name: String, _ kind: String, _ expected: String, _ convert: (JSONValue) -> Entry?
    ) throws(InputProblem) -> [Entry] {
        var entries: [Entry] = []
        for value in try optional(name, kind, \.arrayValue) ?? [] {
            guard let entry = convert(value) else {
                throw problem("'\(name)' holds \(shown(value))", expected: expected)
            }
            entries.append(entry)
        }
        return entries
    }

    private func timeScale() throws(InputProblem) -> Double {
        guard let value = object["timeScale"] else { return 1 }
        guard let scale = value.doubleValue, (1...1000).contains(scale) else {
            throw problem("'timeScale' is \(shown(value))", expected: "a number from 1 to 1000")
        }
        return scale
    }

    private func lateness() throws(InputProblem) -> [History.Lateness] {
        let expected = "from and to in microseconds, and slowness from 2 to \(History.Lateness.maxSlowness)"
        return try entries("lateness", "an array of objects", expected) { value in
            guard let from = value["from"]?.intValue, let to = value["to"]?.intValue, 0 <= from, from < to,
                let slowness = value["slowness"]?.intValue, (2...History.Lateness.maxSlowness).contains(slowness)
            else { return nil }
            return History.Lateness(from: from, to: to, slowness: slowness)
        }
    }

    private func slowAnswers() throws(InputProblem) -> [History.SlowAnswer] {
        var last = 0
        return try entries("slowAnswers", "an array of objects", "from and to in microseconds, in order") { value in
            guard let from = value["from"]?.intValue, let to = value["to"]?.intValue, 0 <= from, from < to,
                to <= 1 << 53, to >= last
            else { return nil }
            last = to
            return History.SlowAnswer(from: from, to: to)
        }
    }

    private func timeouts() throws(InputProblem) -> Timeouts {
        var timeouts = Timeouts()
        guard object["timeouts"] != nil else { return timeouts }
        let bounds = try members("timeouts")
        let paths = Timeouts.paths
        for name in bounds.object.keys {
            guard let path = paths[name] else {
                let near = nearestName(to: name, among: paths.keys).map { ", such as '\($0)'" } ?? ""
                throw problem("unknown timeout '\(name)'", expected: "a name from the specification" + near)
            }
            timeouts[keyPath: path] = .milliseconds(try bounds.integer(name))
        }
        return timeouts
    }

    private func subject() throws(InputProblem) -> History.Subject {
        let role = try member("role", "'server' or 'client'") { $0.stringValue.flatMap(Role.init(rawValue:)) }
        var profiles: Set<Profile> = []
        for value in try member("profiles", "an array of profiles", \.arrayValue) {
            guard let profile = value.stringValue.flatMap(Profile.init(rawValue:)) else {
                let known = Profile.allCases.map(\.rawValue)
                let near = value.stringValue.flatMap { nearestName(to: $0, among: known) }
                throw problem(
                    "unknown profile \(shown(value))",
                    expected: near.map { "'\($0)'" } ?? known.sorted().joined(separator: ", "))
            }
            profiles.insert(profile)
        }
        let agent = try optionalString("agent") ?? "plain"
        return History.Subject(
            name: try string("name"), role: role, profiles: profiles, hasScriptedAgent: agent != "plain",
            limits: try limits())
    }

    private func limits() throws(InputProblem) -> [String: Int] {
        guard object["limits"] != nil else { return [:] }
        let members = try members("limits")
        var limits: [String: Int] = [:]
        for name in members.object.keys { limits[name] = try members.integer(name) }
        return limits
    }
}
