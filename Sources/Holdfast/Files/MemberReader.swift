import Basics
import JSON

/// Collects what is wrong in one file, so that a person mends it in one go.
package final class ProblemCollector {
    /// What was noted, at most ``limit`` problems: a hostile file cannot buy memory with them.
    package private(set) var problems: [InputProblem] = []
    private let file: String
    private let text: [UInt8]?
    private static let limit = 100

    /// Collects the problems of a file; with its text, they name line and column.
    package init(file: String, text: [UInt8]? = nil) {
        self.file = file
        self.text = text
    }

    /// Adds a problem of the value at a pointer.
    package func note(_ pointer: JSONPointer, _ what: String, expected: String, fix: String) {
        guard problems.count < Self.limit else { return }
        problems.append(InputProblem(place: place(of: pointer), what: what, expected: expected, fix: fix))
    }

    /// Adds a flaw of the text: readers disagree on what it means, so nobody can have meant it.
    func note(_ flaw: JSONFlaw) {
        switch flaw.kind {
        case .duplicateKey(let key):
            note(flaw.pointer, "'\(clipped(key))' comes twice", expected: "each member once", fix: "remove one of them")
        case .loneSurrogate:
            note(
                flaw.pointer, "a surrogate escape without its other half", expected: #"a pair such as \ud83d\ude00"#,
                fix: "write the character itself")
        }
    }

    /// The line and column of the value at a pointer; nil where the text is not known.
    package func location(of pointer: JSONPointer) -> JSONLocation? {
        text.flatMap { JSONParser.location(of: pointer, in: $0) }
    }

    /// The file, the line and column where its text is known, and the pointer.
    package func place(of pointer: JSONPointer) -> String {
        let line = location(of: pointer).map { ":\($0)" } ?? ""
        return pointer.isRoot ? file + line : "\(file)\(line) \(pointer)"
    }
}

/// Reads the members of one object of a file, and notes those that are missing, wrong or unknown.
///
/// Every reading method returns nil both for an absent member and for a wrong one; a wrong one has then been noted.
package struct MemberReader {
    package let object: JSONObject
    package let pointer: JSONPointer
    package let collector: ProblemCollector

    /// Takes the members of a value; nil, and a note, when it is no object.
    package init?(_ value: JSONValue, at pointer: JSONPointer, into collector: ProblemCollector) {
        guard let object = value.objectValue else {
            collector.note(pointer, "found \(Self.shown(value))", expected: "an object", fix: "write an object here")
            return nil
        }
        self.object = object
        self.pointer = pointer
        self.collector = collector
    }

    /// Notes each member that is not among the known ones; `$schema` is always allowed at the top.
    package func refuseUnknown(besides known: [String]) {
        for key in object.keys where !known.contains(key) && !(pointer.isRoot && key == "$schema") {
            let near = nearestName(to: key, among: known)
            collector.note(
                pointer.appending(key), "unknown member '\(clipped(key))'",
                expected: known.sorted().joined(separator: ", "),
                fix: near.map { "did you mean '\($0)'?" } ?? "remove it")
        }
    }

    package func value(_ key: String) -> JSONValue? { object[key] }

    /// Notes a member that has to be there and is not.
    package func require(_ key: String) -> JSONValue? {
        if let value = object[key] { return value }
        collector.note(pointer, "'\(key)' is missing", expected: "a member '\(key)'", fix: "add it")
        return nil
    }

    package func string(_ key: String, required: Bool = false, isEmptyAllowed: Bool = false) -> String? {
        guard let value = required ? require(key) : object[key] else { return nil }
        guard let text = value.stringValue, isEmptyAllowed || !text.isEmpty else {
            return wrong(key, value, "a string" + (isEmptyAllowed ? "" : " that is not empty"))
        }
        return text
    }

    package func bool(_ key: String) -> Bool? {
        guard let value = object[key] else { return nil }
        return value.boolValue ?? wrong(key, value, "true or false")
    }

    package func integer(_ key: String, in range: ClosedRange<Int>, required: Bool = false) -> Int? {
        guard let value = required ? require(key) : object[key] else { return nil }
        guard let number = value.intValue, range.contains(number) else {
            return wrong(key, value, "an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    package func array(_ key: String, required: Bool = false) -> [(value: JSONValue, pointer: JSONPointer)]? {
        guard let value = required ? require(key) : object[key] else { return nil }
        guard let elements = value.arrayValue else { return wrong(key, value, "an array") }
        let place = pointer.appending(key)
        return elements.enumerated().map { ($0.element, place.appending($0.offset)) }
    }

    package func strings(_ key: String, required: Bool = false) -> [(text: String, pointer: JSONPointer)]? {
        array(key, required: required)?.compactMap { element in
            guard let text = element.value.stringValue else {
                collector.note(
                    element.pointer, "found \(Self.shown(element.value))", expected: "a string",
                    fix: "correct the value")
                return nil
            }
            return (text, element.pointer)
        }
    }

    /// One of the raw values of an enumeration, with the nearest one suggested.
    package func choice<Choice>(_ key: String, of type: Choice.Type, required: Bool = false) -> Choice?
    where Choice: CaseIterable & RawRepresentable<String> {
        guard let text = string(key, required: required) else { return nil }
        return choice(text, of: type, called: key, at: pointer.appending(key))
    }

    package func choice<Choice>(_ text: String, of type: Choice.Type, called name: String, at place: JSONPointer)
        -> Choice?
    where Choice: CaseIterable & RawRepresentable<String> {
        if let found = Choice(rawValue: text) { return found }
        let known = Choice.allCases.map(\.rawValue)
        let near = nearestName(to: text, among: known)
        collector.note(
            place, "unknown \(name) '\(clipped(text))'", expected: known.sorted().joined(separator: ", "),
            fix: near.map { "did you mean '\($0)'?" } ?? "choose one of these")
        return nil
    }

    /// A member that is an object.
    package func members(_ key: String, required: Bool = false) -> MemberReader? {
        guard let value = required ? require(key) : object[key] else { return nil }
        return MemberReader(value, at: pointer.appending(key), into: collector)
    }

    /// Notes a value of the wrong kind and returns nil.
    package func wrong<Value>(_ key: String, _ value: JSONValue, _ expected: String) -> Value? {
        collector.note(
            pointer.appending(key), "found \(Self.shown(value))", expected: expected, fix: "correct the value")
        return nil
    }

    package static func shown(_ value: JSONValue) -> String {
        switch value {
        case .object: "an object"
        case .array: "an array"
        case .string(let text): text.isEmpty ? "an empty string" : "'\(clipped(text))'"
        default: value.text()
        }
    }
}

/// Text for a message, cut at 120 characters with its length.
package func clipped(_ text: String) -> String {
    text.count > 120 ? "\(text.prefix(120))… (\(text.count) characters)" : text
}

extension InputProblem {
    /// A file that is no JSON at all.
    package init(_ problem: JSONProblem, in file: String, expected: String) {
        let whole = "\(problem)"
        let place = "\(problem.location): "
        self.init(
            place: "\(file):\(problem.location.line):\(problem.location.column)",
            what: "no JSON, \(whole.hasPrefix(place) ? String(whole.dropFirst(place.count)) : whole)",
            expected: expected,
            fix: "correct the syntax")
    }
}
