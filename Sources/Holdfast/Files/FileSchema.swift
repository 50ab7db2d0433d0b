import HoldfastBasics
import HoldfastJSON
import HoldfastJSONSchema
import HoldfastPlatform

/// The JSON Schema for one kind of file, and the messages for its violations.
///
/// It covers everything a schema can express; the reader of the file notes other problems.
package struct FileSchema: Hashable, Sendable {
    static let scenario = FileSchema(name: "scenario")
    static let clientScenario = FileSchema(name: "client-scenario")
    static let subject = FileSchema(name: "subject")
    static let dialect = FileSchema(name: "dialect")
    static let replies = FileSchema(name: "replies")
    static let mix = FileSchema(name: "mix")
    package static let report = FileSchema(name: "report")
    package static let baseline = FileSchema(name: "baseline")
    package static let gateWaivers = FileSchema(name: "gate-waivers")
    package static let gateSeverities = FileSchema(name: "gate-severities")
    package static let driverCommand = FileSchema(name: "driver-command")
    package static let driverReply = FileSchema(name: "driver-reply")
    /// The body of a mock server's action.
    package static func control(_ action: String) -> FileSchema { FileSchema(name: "control", part: action) }

    /// `Spec/schemas/files/NAME.json`.
    fileprivate let name: String
    /// A definition inside the schema; nil for the whole.
    fileprivate var part: String?

    private static let base = "https://holdfast.example/spec/1/schemas/files/"
    private static let compiled = Mutex<[FileSchema: Schema]>([:])
    /// All embedded schemas, because they refer to each other.
    private static let registry = {
        var registry = SchemaRegistry()
        for (path, text) in SpecificationFiles.embedded.texts where path.hasPrefix("schemas/") {
            guard let schema = try? JSONParser.value(text) else { continue }
            try? registry.add(schema, at: schema["$id"]?.stringValue ?? path)
        }
        return registry
    }()

    package var description: String {
        let pointer = JSONPointer(tokens: part.map { ["$defs", $0] } ?? [])
        return schema?.schemaValue(at: "\(Self.base)\(name).json", pointer)?["description"]?.stringValue ?? ""
    }

    /// The embedded schema; a test compiles each of them.
    private var schema: Schema? {
        Self.compiled.withLock { known in
            if let schema = known[self] { return schema }
            let fragment = part.map { "#/$defs/\($0)" } ?? ""
            known[self] = try? Schema(uri: "\(Self.base)\(name).json\(fragment)", registry: Self.registry)
            return known[self]
        }
    }

    func findings(in root: JSONValue) -> [SchemaFinding] { schema?.findings(in: root) ?? [] }

    /// The first violations in words.
    package func reasons(in root: JSONValue) -> [String] {
        let violations = schema?.violations(in: root) ?? []
        let shown = violations.prefix(3).map(\.description)
        return violations.count > shown.count ? shown + ["and \(violations.count - shown.count) more"] : shown
    }

    /// Notes the violations that the reader has not already explained better.
    func note(_ findings: [SchemaFinding], in root: JSONValue, into collector: ProblemCollector) {
        guard let schema else { return }
        let noted = collector.noted
        let specific = findings.filter { $0.unmatchedValue(in: schema) == nil }.map(\.violation.instanceLocation)
        for finding in findings where !noted.contains(where: { finding.isCovered(by: $0) }) {
            // Skip "no alternative matches" if the value has a more specific problem.
            if let vague = finding.unmatchedValue(in: schema), specific.contains(where: { $0.starts(with: vague) }) {
                continue
            }
            note(finding, in: root, schema, into: collector)
        }
    }

    private func note(
        _ finding: SchemaFinding, in root: JSONValue, _ schema: Schema, into collector: ProblemCollector
    ) {
        let pointer = finding.violation.instanceLocation
        let value = root[pointer] ?? .null
        switch finding.fault {
        case .unknownProperty(let name, let nearest, let known):
            collector.note(
                pointer, "unknown member '\(excerpt(name))'",
                expected: known.filter { $0 != "$schema" }.sorted().joined(separator: ", "),
                fix: nearest.map { "did you mean '\($0)'?" } ?? "remove it", order: .unknownMember)
        case .missing(let name, _), .missingDiscriminator(let name, _):
            collector.note(
                pointer, "'\(excerpt(name))' is missing", expected: "a member '\(name)'", fix: "add it",
                order: .missingMember)
        case .notUnique(_, let second):
            let element = pointer.appending(second)
            collector.note(
                element, "\(MemberReader.shown(root[element] ?? .null)) is listed twice",
                expected: "each of them once",
                fix: "remove one")
        case .enumeration(let values, let nearest) where value.stringValue?.isEmpty == false:
            collector.note(
                pointer, "unknown \(Self.noun(pointer)) '\(excerpt(value.stringValue ?? ""))'",
                expected: values.compactMap(\.stringValue).sorted().joined(separator: ", "),
                fix: nearest.map { "did you mean '\($0)'?" } ?? "choose one of these")
        default:
            if let names = finding.alternatives(in: schema), let object = value.objectValue {
                let (what, fix) = Self.choiceProblem(names, in: object)
                let expected = names.count == 2 ? "one of them" : "one of \(names.joined(separator: ", "))"
                return collector.note(pointer, what, expected: expected, fix: fix)
            }
            collector.note(
                pointer, finding.isSpecific ? finding.violation.message : "found \(MemberReader.shown(value))",
                expected: finding.expectation(in: schema),
                fix: finding.fix(of: value))
        }
    }

    /// The problem and fix for an object that must have exactly one of some members.
    private static func choiceProblem(_ names: [String], in object: JSONObject) -> (what: String, fix: String) {
        let given = names.filter { object[$0] != nil }
        return given.isEmpty
            ? ("none of \(names.joined(separator: ", "))", "add one")
            : ("\(given.joined(separator: " and ")) at once", "keep one")
    }

    /// The singular noun for the value at a pointer, such as `step` for an element of `do`.
    private static func noun(_ pointer: JSONPointer) -> String {
        guard let key = pointer.tokens.last(where: { Int($0) == nil }) else { return "value" }
        if let noun = ["do": "step", "within": "bound", "for": "bound"][key] { return noun }
        return Int(pointer.tokens.last ?? "") != nil && key.hasSuffix("s") ? String(key.dropLast()) : key
    }
}

extension SchemaFinding {
    /// Whether a problem noted by a reader already covers this.
    fileprivate func isCovered(by noted: JSONPointer) -> Bool {
        let pointer = violation.instanceLocation
        switch fault {
        case .missing: return false
        case .notUnique(_, let second): return pointer.appending(second) == noted
        case _ where pointer == noted: return true
        case .noneMatches, .severalMatch: return noted.tokens.starts(with: pointer.tokens)
        case .const, .propertyName: return pointer.parent == noted
        default: return false
        }
    }

    /// Whether the violation's message says more than the value does.
    fileprivate var isSpecific: Bool {
        switch fault {
        case .count(_, let found, _): found > 0
        case .contains, .unwantedItem, .notTogether, .tooDeep, .multipleOf: true
        default: false
        }
    }

    fileprivate func fix(of value: JSONValue) -> String {
        switch fault {
        case .type(_, let types) where types.names == ["object"]: return "write an object"
        case .const(.string(let text)):
            let near = value.stringValue.flatMap { nearestName(to: $0, among: [text]) }
            return near.map { "did you mean '\($0)'?" } ?? "correct the value"
        default: return "correct the value"
        }
    }

    /// The value that matches no alternative; nil if this violation says anything else.
    fileprivate func unmatchedValue(in schema: Schema) -> JSONPointer? {
        switch fault {
        case .noneMatches, .severalMatch: alternatives(in: schema) == nil ? violation.instanceLocation : nil
        case .propertyName where violation.keywordLocation.tokens.contains("oneOf"): violation.instanceLocation.parent
        default: nil
        }
    }

    /// The members of which exactly one is required; nil if the alternatives say anything else.
    fileprivate func alternatives(in schema: Schema) -> [String]? {
        switch fault {
        case .noneMatches, .severalMatch: break
        default: return nil
        }
        let branches = schema.schemaValue(at: violation.schemaURI, violation.schemaLocation)?.arrayValue ?? []
        let names = branches.compactMap { branch -> String? in
            guard branch.objectValue?.count == 1, let required = branch["required"]?.arrayValue, required.count == 1
            else { return nil }
            return required[0].stringValue
        }
        return names.isEmpty || names.count < branches.count ? nil : names
    }

    /// The valid values, from the schema around the violated keyword.
    fileprivate func expectation(in schema: Schema) -> String {
        if case .const(.string(let text)) = fault { return text }
        if case .enumeration(let values, _) = fault {
            return values.map { $0.stringValue ?? $0.text() }.sorted().joined(separator: ", ")
        }
        let surrounding = violation.schemaLocation.parent.flatMap { schema.schemaValue(at: violation.schemaURI, $0) }
        let (least, most) = (surrounding?["minimum"]?.text(), surrounding?["maximum"]?.text())
        switch (fault, surrounding?["type"]?.stringValue) {
        case (.type, "string"), (.count, "string"):
            if case .count(_, let found, _) = fault, found > 0 { return violation.expected }
            return surrounding?["minLength"] == nil ? "a string" : "a string that is not empty"
        case (.type, "boolean"): return "true or false"
        case (.type, "array"): return "an array"
        case (.type, "object"): return "an object"
        case (.type, "integer"), (.range, "integer"), (.type, "number"), (.range, "number"):
            let kind = surrounding?["type"] == "integer" ? "an integer" : "a number"
            if let least, let most { return "\(kind) from \(least) to \(most)" }
            return least.map { "\(kind) of at least \($0)" } ?? kind
        case (.count, "array"):
            return violation.expected + (description(in: schema).map { ": \($0)" } ?? "")
        case (.pattern, _), (.noneMatches, _), (.type, _), (.propertyName, _), (.severalMatch, _):
            guard let words = description(in: schema) else { return violation.expected }
            if case .pattern(let pattern) = fault { return "\(words): text that matches \(pattern)" }
            return words
        default: return violation.expected
        }
    }

    /// The schema's description of the value, for the middle of a sentence.
    private func description(in schema: Schema) -> String? {
        schema.value(of: "description", near: violation)?.stringValue.map { text in
            text.prefix(1).lowercased() + (text.last == "." ? text.dropFirst().dropLast() : text.dropFirst())
        }
    }
}
