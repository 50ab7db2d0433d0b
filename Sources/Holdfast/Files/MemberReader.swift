import Basics
import JSON

/// Collects what is wrong in one file, so that a person mends it in one go.
package final class ProblemCollector {
    /// Where a problem stands among those of one object.
    enum Order: Int {
        case flaw = -3
        case unknownMember, missingMember
        case value
    }

    private var notes: [(pointer: JSONPointer, order: Order, problem: InputProblem)] = []
    private let file: String
    private let text: [UInt8]?
    /// Whether a schema says what the members have to be, so that a reader need not.
    fileprivate let hasSchema: Bool
    /// Whether the schema refuses something: what follows from the whole of a file is then not worth saying.
    package var isRefused = false
    private static let limit = 100

    /// Collects the problems of a file; with its text, they name line and column.
    package init(file: String, text: [UInt8]? = nil, hasSchema: Bool = false) {
        self.file = file
        self.text = text
        self.hasSchema = hasSchema
    }

    /// Whether nothing is wrong so far.
    var isClean: Bool { !isRefused && notes.isEmpty }

    /// What was noted, at most ``limit`` problems: a hostile file cannot buy memory with them.
    package var problems: [InputProblem] { notes.map(\.problem) }

    /// The values of which something was noted.
    var noted: [JSONPointer] { notes.map(\.pointer) }

    /// Adds a problem of the value at a pointer.
    package func note(_ pointer: JSONPointer, _ what: String, expected: String, fix: String) {
        note(pointer, what, expected: expected, fix: fix, order: .value)
    }

    func note(_ pointer: JSONPointer, _ what: String, expected: String, fix: String, order: Order) {
        guard notes.count < Self.limit else { return }
        let problem = InputProblem(place: place(of: pointer), what: what, expected: expected, fix: fix)
        // What a reader and a schema say alike is said once.
        if !notes.contains(where: { $0.problem == problem }) { notes.append((pointer, order, problem)) }
    }

    /// The problems in the order of the file: flaws first, and of each object what it should not have and what it lacks.
    func sortedProblems(in root: JSONValue) -> [InputProblem] {
        let placed = notes.enumerated().map { index, note in
            var place: [Int] = note.order == .flaw ? [note.order.rawValue] : []
            var value: JSONValue? = root
            for token in note.order == .flaw ? [] : note.pointer.tokens {
                place.append(Int(token) ?? value?.objectValue?.keys.firstIndex(of: token) ?? 0)
                value = value?[JSONPointer(tokens: [token])]
            }
            if note.order == .unknownMember { place.removeLast() }
            if note.order != .value { place.append(note.order.rawValue) }
            return (place: place + (note.order == .flaw ? [index] : []), index: index, problem: note.problem)
        }
        return placed.sorted { left, right in
            left.place == right.place ? left.index < right.index : left.place.lexicographicallyPrecedes(right.place)
        }.map(\.problem)
    }

    /// Adds a flaw of the text: readers disagree on what it means, so nobody can have meant it.
    func note(_ flaw: JSONFlaw) {
        switch flaw.kind {
        case .duplicateKey(let key):
            note(
                flaw.pointer, "'\(excerpt(key))' comes twice", expected: "each member once", fix: "remove one of them",
                order: .flaw)
        case .loneSurrogate:
            note(
                flaw.pointer, "a surrogate escape without its other half", expected: #"a pair such as \ud83d\ude00"#,
                fix: "write the character itself", order: .flaw)
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
/// Every reading method returns nil both for an absent member and for a wrong one; a wrong one has then been noted, here or
/// by the schema of the file.
package struct MemberReader {
    package let object: JSONObject
    package let pointer: JSONPointer
    package let collector: ProblemCollector

    /// Takes the members of a value; nil, and a note, when it is no object.
    package init?(_ value: JSONValue, at pointer: JSONPointer, into collector: ProblemCollector) {
        guard let object = value.objectValue else {
            if !collector.hasSchema {
                collector.note(
                    pointer, "found \(Self.shown(value))", expected: "an object", fix: "write an object here")
            }
            return nil
        }
        self.object = object
        self.pointer = pointer
        self.collector = collector
    }

    /// Notes each member that is not among the known ones; `$schema` is always allowed at the top.
    package func refuseUnknown(besides known: [String]) {
        guard !collector.hasSchema else { return }
        for key in object.keys where !known.contains(key) && !(pointer.isRoot && key == "$schema") {
            let near = nearestName(to: key, among: known)
            collector.note(
                pointer.appending(key), "unknown member '\(excerpt(key))'",
                expected: known.sorted().joined(separator: ", "),
                fix: near.map { "did you mean '\($0)'?" } ?? "remove it")
        }
    }

    package func value(_ key: String) -> JSONValue? { object[key] }

    /// Notes a member that has to be there and is not.
    package func require(_ key: String) -> JSONValue? {
        if let value = object[key] { return value }
        return collector.hasSchema ? nil : lacking(key)
    }

    /// Notes that a member is missing, and returns nil.
    package func lacking<Value>(_ key: String) -> Value? {
        collector.note(
            pointer, "'\(key)' is missing", expected: "a member '\(key)'", fix: "add it", order: .missingMember)
        return nil
    }

    package func string(_ key: String, required: Bool = false, isEmptyAllowed: Bool = false) -> String? {
        guard let value = required ? require(key) : object[key] else { return nil }
        guard let text = value.stringValue, isEmptyAllowed || !text.isEmpty else {
            return refused(key, value, "a string" + (isEmptyAllowed ? "" : " that is not empty"))
        }
        return text
    }

    package func bool(_ key: String) -> Bool? {
        guard let value = object[key] else { return nil }
        return value.boolValue ?? refused(key, value, "true or false")
    }

    package func integer(
        _ key: String, in range: ClosedRange<Int> = Int.min...Int.max, required: Bool = false
    ) -> Int? {
        guard let value = required ? require(key) : object[key] else { return nil }
        guard let number = value.intValue, range.contains(number) else {
            return refused(key, value, "an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// A text that a schema asks for; an empty one where the file has none.
    package func text(_ key: String) -> String { object[key]?.stringValue ?? "" }

    /// An element of an array and where it stands.
    package typealias Element = (value: JSONValue, pointer: JSONPointer)

    /// The elements of an array; none when it is no array.
    static func elements(_ array: Element) -> [Element] {
        (array.value.arrayValue ?? []).enumerated().map { ($0.element, array.pointer.appending($0.offset)) }
    }

    /// The objects of an array.
    package func objects(_ key: String) -> [MemberReader] {
        (array(key) ?? []).compactMap { MemberReader($0.value, at: $0.pointer, into: collector) }
    }

    package func array(_ key: String, required: Bool = false) -> [Element]? {
        guard let value = required ? require(key) : object[key] else { return nil }
        guard value.arrayValue != nil else { return refused(key, value, "an array") }
        return Self.elements((value, pointer.appending(key)))
    }

    package func strings(_ key: String, required: Bool = false) -> [(text: String, pointer: JSONPointer)]? {
        array(key, required: required)?.compactMap { element in
            guard let text = element.value.stringValue else {
                if !collector.hasSchema {
                    collector.note(
                        element.pointer, "found \(Self.shown(element.value))", expected: "a string",
                        fix: "correct the value")
                }
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

    /// Those elements of an array that are raw values of an enumeration, each with where it stands.
    package func choices<Choice>(_ key: String, of type: Choice.Type) -> [(choice: Choice, pointer: JSONPointer)]
    where Choice: RawRepresentable<String> {
        (array(key) ?? []).compactMap { element in
            element.value.stringValue.flatMap { Choice(rawValue: $0) }.map { ($0, element.pointer) }
        }
    }

    package func choice<Choice>(_ text: String, of type: Choice.Type, called name: String, at place: JSONPointer)
        -> Choice?
    where Choice: CaseIterable & RawRepresentable<String> {
        if let found = Choice(rawValue: text) { return found }
        if collector.hasSchema { return nil }
        let known = Choice.allCases.map(\.rawValue)
        let near = nearestName(to: text, among: known)
        collector.note(
            place, "unknown \(name) '\(excerpt(text))'", expected: known.sorted().joined(separator: ", "),
            fix: near.map { "did you mean '\($0)'?" } ?? "choose one of these")
        return nil
    }

    /// A member that is an object.
    package func members(_ key: String, required: Bool = false) -> MemberReader? {
        guard let value = required ? require(key) : object[key] else { return nil }
        return MemberReader(value, at: pointer.appending(key), into: collector)
    }

    /// Notes a value of the wrong kind, unless a schema does, and returns nil.
    private func refused<Value>(_ key: String, _ value: JSONValue, _ expected: String) -> Value? {
        collector.hasSchema ? nil : wrong(key, value, expected)
    }

    /// Notes a value that cannot be used and returns nil.
    package func wrong<Value>(_ key: String, _ value: JSONValue, _ expected: String) -> Value? {
        collector.note(
            pointer.appending(key), "found \(Self.shown(value))", expected: expected, fix: "correct the value")
        return nil
    }

    package static func shown(_ value: JSONValue) -> String {
        switch value {
        case .object: "an object"
        case .array(let elements): elements.isEmpty ? "an empty array" : "an array"
        case .string(let text): text.isEmpty ? "an empty string" : "'\(excerpt(text))'"
        default: value.text()
        }
    }
}

/// Text for a message, cut at 120 characters with its length.
package func clipped(_ text: String) -> String { excerpt(text) }

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
