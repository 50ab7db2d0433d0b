import JSON

/// Collects what is wrong in one file, so that a person mends it in one go.
final class ProblemCollector {
    private(set) var problems: [InputProblem] = []
    private let file: String

    init(file: String) {
        self.file = file
    }

    func note(_ pointer: JSONPointer, _ what: String, expected: String, fix: String) {
        let place = pointer.isRoot ? file : "\(file) \(pointer)"
        problems.append(InputProblem(place: place, what: what, expected: expected, fix: fix))
    }
}

/// Reads the members of one object of a file, and notes those that are missing, wrong or unknown.
///
/// Every reading method returns nil both for an absent member and for a wrong one; a wrong one has then been noted.
struct MemberReader {
    let object: JSONObject
    let pointer: JSONPointer
    let collector: ProblemCollector

    /// Takes the members of a value; nil, and a note, when it is no object.
    init?(_ value: JSONValue, at pointer: JSONPointer, into collector: ProblemCollector) {
        guard let object = value.objectValue else {
            collector.note(pointer, "found \(Self.shown(value))", expected: "an object", fix: "write an object here")
            return nil
        }
        self.object = object
        self.pointer = pointer
        self.collector = collector
    }

    /// Notes each member that is not among the known ones; `$schema` is always allowed at the top.
    func refuseUnknown(besides known: [String]) {
        for key in object.keys where !known.contains(key) && !(pointer.isRoot && key == "$schema") {
            let near = nearestName(to: key, among: known)
            collector.note(
                pointer.appending(key), "unknown member '\(clipped(key))'",
                expected: known.sorted().joined(separator: ", "),
                fix: near.map { "did you mean '\($0)'?" } ?? "remove it")
        }
    }

    func value(_ key: String) -> JSONValue? { object[key] }

    /// Notes a member that has to be there and is not.
    func require(_ key: String) -> JSONValue? {
        if let value = object[key] { return value }
        collector.note(pointer, "'\(key)' is missing", expected: "a member '\(key)'", fix: "add it")
        return nil
    }

    func string(_ key: String, required: Bool = false, isEmptyAllowed: Bool = false) -> String? {
        guard let value = required ? require(key) : object[key] else { return nil }
        guard let text = value.stringValue, isEmptyAllowed || !text.isEmpty else {
            return wrong(key, value, "a string" + (isEmptyAllowed ? "" : " that is not empty"))
        }
        return text
    }

    func bool(_ key: String) -> Bool? {
        guard let value = object[key] else { return nil }
        return value.boolValue ?? wrong(key, value, "true or false")
    }

    func integer(_ key: String, in range: ClosedRange<Int>, required: Bool = false) -> Int? {
        guard let value = required ? require(key) : object[key] else { return nil }
        guard let number = value.intValue, range.contains(number) else {
            return wrong(key, value, "an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func array(_ key: String, required: Bool = false) -> [(value: JSONValue, pointer: JSONPointer)]? {
        guard let value = required ? require(key) : object[key] else { return nil }
        guard let elements = value.arrayValue else { return wrong(key, value, "an array") }
        let place = pointer.appending(key)
        return elements.enumerated().map { ($0.element, place.appending($0.offset)) }
    }

    func strings(_ key: String, required: Bool = false) -> [(text: String, pointer: JSONPointer)]? {
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
    func choice<Choice>(_ key: String, of type: Choice.Type, required: Bool = false) -> Choice?
    where Choice: CaseIterable & RawRepresentable<String> {
        guard let text = string(key, required: required) else { return nil }
        return choice(text, of: type, called: key, at: pointer.appending(key))
    }

    func choice<Choice>(_ text: String, of type: Choice.Type, called name: String, at place: JSONPointer) -> Choice?
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
    func members(_ key: String, required: Bool = false) -> MemberReader? {
        guard let value = required ? require(key) : object[key] else { return nil }
        return MemberReader(value, at: pointer.appending(key), into: collector)
    }

    /// Notes a value of the wrong kind and returns nil.
    func wrong<Value>(_ key: String, _ value: JSONValue, _ expected: String) -> Value? {
        collector.note(
            pointer.appending(key), "found \(Self.shown(value))", expected: expected, fix: "correct the value")
        return nil
    }

    static func shown(_ value: JSONValue) -> String {
        switch value {
        case .object: "an object"
        case .array: "an array"
        case .string(let text): text.isEmpty ? "an empty string" : "'\(clipped(text))'"
        default: value.text()
        }
    }
}

/// Text for a message, cut at 120 characters with its length.
func clipped(_ text: String) -> String {
    text.count > 120 ? "\(text.prefix(120))… (\(text.count) characters)" : text
}

extension InputProblem {
    /// A file that is no JSON at all.
    init(_ problem: JSONProblem, in file: String, expected: String) {
        let whole = "\(problem)"
        let place = "\(problem.location): "
        self.init(
            place: "\(file):\(problem.location.line):\(problem.location.column)",
            what: "no JSON, \(whole.hasPrefix(place) ? String(whole.dropFirst(place.count)) : whole)",
            expected: expected,
            fix: "correct the syntax")
    }
}
