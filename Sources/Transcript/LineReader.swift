import Holdfast
import HoldfastBasics
import HoldfastJSON

/// The members of one transcript line, with problems that name file and line.
package struct LineReader {
    private let file: String
    private let line: Int?
    private let offset: Int?
    package let object: JSONObject

    /// The place of the line, formatted only for a problem.
    var location: String { Self.location(file, line) + (offset.map { " (byte \($0))" } ?? "") }

    private static func location(_ file: String, _ line: Int?) -> String { line.map { "\(file):\($0)" } ?? file }

    /// Reads a line; `offset` is the number of bytes before it, if known.
    package init(_ text: String, file: String, line: Int, offset: Int? = nil) throws(InputProblem) {
        (self.file, self.line, self.offset) = (file, line, offset)
        let value: JSONValue
        do {
            value = try JSONParser.value(text, limits: JSONLimits(maxBytes: .max))
        } catch {
            throw InputProblem(
                location: "\(Self.location(file, line)):\(error.location.column)"
                    + (offset.map { " (byte \($0 + error.location.byteOffset))" } ?? ""),
                what: "the line is not JSON: \(error)",
                expected: "one JSON object per line", fix: "delete the line, or record the transcript again")
        }
        guard let object = value.objectValue else {
            throw InputProblem(
                location: Self.location(file, line), what: "the line contains a JSON \(value.typeName)",
                expected: "a JSON object",
                fix: "delete the line, or record the transcript again")
        }
        self.object = object
    }

    /// A line of a report, or a member of a line, at a known place.
    init(location: String, object: JSONObject) {
        (file, line, offset) = (location, nil, nil)
        self.object = object
    }

    package func problem(_ what: String, expected: String) -> InputProblem {
        InputProblem(
            location: location, what: what, expected: expected, fix: "correct the line, or record the transcript again")
    }

    func member<Value>(
        _ name: String, _ kind: String, _ convert: (JSONValue) -> Value?
    ) throws(InputProblem) -> Value {
        guard let value = try optional(name, kind, convert) else {
            throw problem("'\(name)' is missing", expected: "'\(name)', \(kind)")
        }
        return value
    }

    func optional<Value>(
        _ name: String, _ kind: String, _ convert: (JSONValue) -> Value?
    ) throws(InputProblem) -> Value? {
        guard let value = object[name] else { return nil }
        guard let converted = convert(value) else { throw problem("'\(name)' is \(shown(value))", expected: kind) }
        return converted
    }

    func string(_ name: String) throws(InputProblem) -> String { try member(name, "a string", \.stringValue) }
    func optionalString(_ name: String) throws(InputProblem) -> String? {
        try optional(name, "a string", \.stringValue)
    }
    /// A string, or nil for null.
    func nullableString(_ name: String) throws(InputProblem) -> String? {
        object[name]?.isNull == true ? nil : try optionalString(name)
    }
    func integer(_ name: String) throws(InputProblem) -> Int { try member(name, "an integer", \.intValue) }
    func optionalInteger(_ name: String) throws(InputProblem) -> Int? {
        try optional(name, "an integer", \.intValue)
    }
    func bool(_ name: String) throws(InputProblem) -> Bool { try member(name, "true or false", \.boolValue) }
    func members(_ name: String) throws(InputProblem) -> LineReader {
        LineReader(of: self, object: try member(name, "an object", \.objectValue))
    }

    private init(of whole: LineReader, object: JSONObject) {
        (file, line, offset) = (whole.file, whole.line, whole.offset)
        self.object = object
    }

    func shown(_ value: JSONValue) -> String { quoted(value.text()) }
}
