import HoldfastBasics
import HoldfastJSON

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
    /// Whether the schema refuses something: what follows from the whole of a file is then not worth saying.
    package var isRefused = false
    private static let limit = 100

    /// Collects the problems of a file; with its text, they name line and column.
    init(file: String, text: [UInt8]? = nil) { (self.file, self.text) = (file, text) }

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
        let problem = InputProblem(location: location(of: pointer), what: what, expected: expected, fix: fix)
        // What a reader and a schema say alike is said once.
        if !notes.contains(where: { $0.problem == problem }) { notes.append((pointer, order, problem)) }
    }

    /// The problems in the order of the file: flaws first, and of each object what it should not have and what it lacks.
    func sortedProblems(in root: JSONValue) -> [InputProblem] {
        let placed = notes.enumerated().map { index, note in
            var order: [Int] = note.order == .flaw ? [note.order.rawValue] : []
            var value: JSONValue? = root
            for token in note.order == .flaw ? [] : note.pointer.tokens {
                order.append(Int(token) ?? value?.objectValue?.keys.firstIndex(of: token) ?? 0)
                value = value?[JSONPointer(tokens: [token])]
            }
            if note.order == .unknownMember { order.removeLast() }
            if note.order != .value { order.append(note.order.rawValue) }
            return (order: order + (note.order == .flaw ? [index] : []), index: index, problem: note.problem)
        }
        return placed.sorted { left, right in
            left.order == right.order ? left.index < right.index : left.order.lexicographicallyPrecedes(right.order)
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
                flaw.pointer, "an unpaired surrogate escape", expected: #"a pair such as \ud83d\ude00"#,
                fix: "write the character itself", order: .flaw)
        }
    }

    /// The line and column of the value at a pointer; nil where the text is not known.
    package func location(of pointer: JSONPointer) -> JSONLocation? {
        text.flatMap { JSONParser.location(of: pointer, in: $0) }
    }

    /// The file, the line and column where its text is known, and the pointer.
    package func location(of pointer: JSONPointer) -> String {
        let line = location(of: pointer).map { ":\($0)" } ?? ""
        return pointer.isRoot ? file + line : "\(file)\(line) \(pointer)"
    }
}

/// Reads the members of one object of a file, which its schema describes.
///
/// Every reading method returns nil both for an absent member and for a wrong one, which the schema refuses.
package struct MemberReader {
    package let object: JSONObject
    package let pointer: JSONPointer
    package let collector: ProblemCollector

    /// Takes the members of a value; nil when it is no object.
    package init?(_ value: JSONValue, at pointer: JSONPointer, into collector: ProblemCollector) {
        guard let object = value.objectValue else { return nil }
        (self.object, self.pointer, self.collector) = (object, pointer, collector)
    }

    package func value(_ key: String) -> JSONValue? { object[key] }

    /// Notes that a member is missing, and returns nil.
    package func lacking<Value>(_ key: String) -> Value? {
        collector.note(
            pointer, "'\(key)' is missing", expected: "a member '\(key)'", fix: "add it", order: .missingMember)
        return nil
    }

    package func string(_ key: String, isEmptyAllowed: Bool = false) -> String? {
        object[key]?.stringValue.flatMap { isEmptyAllowed || !$0.isEmpty ? $0 : nil }
    }

    package func bool(_ key: String) -> Bool? { object[key]?.boolValue }

    package func integer(_ key: String) -> Int? { object[key]?.intValue }

    /// A text that a schema asks for; an empty one where the file has none.
    package func text(_ key: String) -> String { object[key]?.stringValue ?? "" }

    /// An element of an array and where it stands.
    package typealias Element = (value: JSONValue, pointer: JSONPointer)

    /// The elements of an array; none when it is no array.
    static func elements(_ array: Element) -> [Element] {
        (array.value.arrayValue ?? []).enumerated().map { ($0.element, array.pointer.appending($0.offset)) }
    }

    package func objects(_ key: String) -> [MemberReader] {
        (array(key) ?? []).compactMap { MemberReader($0.value, at: $0.pointer, into: collector) }
    }

    package func array(_ key: String) -> [Element]? {
        object[key].flatMap { $0.arrayValue == nil ? nil : Self.elements(($0, pointer.appending(key))) }
    }

    package func strings(_ key: String) -> [(text: String, pointer: JSONPointer)]? {
        array(key)?.compactMap { element in element.value.stringValue.map { ($0, element.pointer) } }
    }

    /// One of the raw values of an enumeration.
    package func choice<Choice: RawRepresentable<String>>(_ key: String, of type: Choice.Type) -> Choice? {
        object[key]?.stringValue.flatMap { Choice(rawValue: $0) }
    }

    /// Those elements of an array that are raw values of an enumeration, each with where it stands.
    package func choices<Choice>(_ key: String, of type: Choice.Type) -> [(choice: Choice, pointer: JSONPointer)]
    where Choice: RawRepresentable<String> {
        (array(key) ?? []).compactMap { element in
            element.value.stringValue.flatMap { Choice(rawValue: $0) }.map { ($0, element.pointer) }
        }
    }

    /// A member that is an object.
    package func members(_ key: String) -> MemberReader? {
        object[key].flatMap { MemberReader($0, at: pointer.appending(key), into: collector) }
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
        let prefix = "\(problem.location): "
        self.init(
            location: "\(file):\(problem.location.line):\(problem.location.column)",
            what: "no JSON, \(whole.hasPrefix(prefix) ? String(whole.dropFirst(prefix.count)) : whole)",
            expected: expected,
            fix: "correct the syntax")
    }
}
