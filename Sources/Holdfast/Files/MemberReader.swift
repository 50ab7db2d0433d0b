import HoldfastBasics
import HoldfastJSON

/// Collects the problems of one file, so that all can be fixed at once.
package final class ProblemCollector {
    /// The order of problems within one object.
    package enum Order: Int {
        case flaw = -3
        case unknownMember, missingMember
        case value
    }

    private var notes: [(pointer: JSONPointer, order: Order, problem: InputProblem)] = []
    private let file: String
    private let text: [UInt8]?
    /// Whether the schema rejects something; then problems of the file as a whole are not noted.
    package var isRefused = false
    private static let limit = 100

    init(file: String, text: [UInt8]? = nil) { (self.file, self.text) = (file, text) }

    var isClean: Bool { !isRefused && notes.isEmpty }

    /// The noted problems, at most ``limit``, so that a hostile file cannot use up memory.
    package var problems: [InputProblem] { notes.map(\.problem) }

    var noted: [JSONPointer] { notes.map(\.pointer) }

    /// Notes an unknown name, suggesting the nearest known one.
    package func note(
        _ pointer: JSONPointer, _ what: String, insteadOf name: String, among known: some Sequence<String>,
        expected: String? = nil, otherwise fix: String
    ) {
        let nearest = nearestName(to: name, among: known)
        note(
            pointer, what, expected: expected ?? known.sorted().joined(separator: ", "),
            fix: nearest.map { "did you mean '\($0)'?" } ?? fix)
    }

    package func note(_ pointer: JSONPointer, _ what: String, expected: String, fix: String, order: Order = .value) {
        guard notes.count < Self.limit else { return }
        let problem = InputProblem(location: location(of: pointer), what: what, expected: expected, fix: fix)
        // If a reader and the schema find the same problem, note it once.
        if !notes.contains(where: { $0.problem == problem }) { notes.append((pointer, order, problem)) }
    }

    /// The problems in file order: flaws first; then for each object, its invalid and its missing members.
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

    /// Notes a flaw of the text that JSON parsers interpret differently.
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

    /// The line and column of the value at a pointer, if the text is known.
    package func location(of pointer: JSONPointer) -> JSONLocation? {
        text.flatMap { JSONParser.location(of: pointer, in: $0) }
    }

    /// The file, the line and column if known, and the pointer.
    package func location(of pointer: JSONPointer) -> String {
        let line = location(of: pointer).map { ":\($0)" } ?? ""
        return pointer.isRoot ? file + line : "\(file)\(line) \(pointer)"
    }
}

/// Reads the members of one object that a schema describes.
///
/// Reading methods return nil for an absent member and for an invalid one, which the schema rejects.
package struct MemberReader {
    package let object: JSONObject
    package let pointer: JSONPointer
    package let collector: ProblemCollector

    /// Reads the members of a value; nil if it is not an object.
    package init?(_ value: JSONValue, at pointer: JSONPointer, into collector: ProblemCollector) {
        guard let object = value.objectValue else { return nil }
        (self.object, self.pointer, self.collector) = (object, pointer, collector)
    }

    package func value(_ key: String) -> JSONValue? { object[key] }

    /// Notes a missing member, and returns nil.
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

    /// A text that the schema requires; empty if it is missing.
    package func text(_ key: String) -> String { object[key]?.stringValue ?? "" }

    package typealias Element = (value: JSONValue, pointer: JSONPointer)

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

    package func choice<Choice: RawRepresentable<String>>(_ key: String, of type: Choice.Type) -> Choice? {
        object[key]?.stringValue.flatMap { Choice(rawValue: $0) }
    }

    package func choices<Choice>(_ key: String, of type: Choice.Type) -> [(choice: Choice, pointer: JSONPointer)]
    where Choice: RawRepresentable<String> {
        (array(key) ?? []).compactMap { element in
            element.value.stringValue.flatMap { Choice(rawValue: $0) }.map { ($0, element.pointer) }
        }
    }

    package func members(_ key: String) -> MemberReader? {
        object[key].flatMap { MemberReader($0, at: pointer.appending(key), into: collector) }
    }

    /// Notes an invalid value, and returns nil.
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

/// Text for a message; beyond 120 characters it is cut, and its length is added.
package func clipped(_ text: String) -> String { excerpt(text) }

extension InputProblem {
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
