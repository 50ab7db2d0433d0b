import HoldfastJSON

/// Whether `format` decides validity, or only says something to people.
public enum FormatMode: Sendable, Hashable {
    /// A value that does not have the format is invalid.
    case assert
    /// Formats are not looked at, unless the dialect of a schema demands it.
    case annotate
}

/// What becomes of keywords and formats that draft 2020-12 does not have.
public enum UnknownKeywordMode: Sendable, Hashable {
    /// They stop the compilation, unless they start with `x-`: most of them are typing errors.
    case refuse
    /// They are ignored, as the specification says.
    case ignore
}

/// A compiled JSON Schema, draft 2020-12.
public struct Schema: Sendable {
    package let program: Program
    /// The same for tapes; absent when references are dynamic.
    let flat: FlatProgram?
    private let registry: SchemaRegistry

    /// Compiles a schema.
    ///
    /// - Parameters:
    ///   - schema: An object or a boolean.
    ///   - baseURI: What relative references start from, if the schema has no `$id`.
    ///   - registry: The schemas that references may lead to.
    ///   - formats: Whether `format` decides validity.
    ///   - unknownKeywords: What becomes of keywords the dialect does not have.
    /// - Throws: ``SchemaProblem`` when a keyword is unknown or has the wrong shape, a reference leads nowhere or round in a
    ///   circle, or a pattern cannot be compiled.
    public init(
        _ schema: JSONValue,
        baseURI: String = "",
        registry: SchemaRegistry = SchemaRegistry(),
        formats: FormatMode = .assert,
        unknownKeywords: UnknownKeywordMode = .refuse
    ) throws(SchemaProblem) {
        var registry = registry
        let root = try registry.include(schema, at: baseURI)
        try self.init(
            uri: registry.resources[root].uri, registry: registry, formats: formats, unknownKeywords: unknownKeywords)
    }

    /// Compiles a registered schema, or a part of one: `uri#/$defs/name` and `uri#anchor` work too.
    ///
    /// - Parameters:
    ///   - uri: Where the schema is registered, or the `$id` it has.
    ///   - registry: The schemas that references may lead to, this one among them.
    ///   - formats: Whether `format` decides validity.
    ///   - unknownKeywords: What becomes of keywords the dialect does not have.
    /// - Throws: ``SchemaProblem``, as for a schema that is given directly.
    public init(
        uri: String,
        registry: SchemaRegistry,
        formats: FormatMode = .assert,
        unknownKeywords: UnknownKeywordMode = .refuse
    ) throws(SchemaProblem) {
        var compiler = SchemaCompiler(registry: registry, formats: formats, unknownKeywords: unknownKeywords)
        program = try compiler.compile(uri)
        flat = FlatCompiler.compile(program)
        self.registry = registry
    }

    /// Compiles a registered schema for those who ask of few values: what would decide quickly of many is left out.
    /// - Throws: ``SchemaProblem``, as for a schema that is given directly.
    package init(
        ofFewValues uri: String, registry: SchemaRegistry, unknownKeywords: UnknownKeywordMode
    ) throws(SchemaProblem) {
        var compiler = SchemaCompiler(registry: registry, formats: .assert, unknownKeywords: unknownKeywords)
        program = try compiler.compile(uri)
        flat = nil
        self.registry = registry
    }

    /// Whether a value is valid.
    public func isValid(_ value: JSONValue) -> Bool {
        guard let flat else { return program.accepts(value, at: program.root) }
        var tape = JSONTape()
        return tape.withTokens(of: value) { flat.accepts($0) }
    }

    /// Whether the value of a text that was read before is valid.
    package func isValid(_ view: TapeView) -> Bool {
        flat?.accepts(view) ?? program.accepts(view.value(), at: program.root)
    }

    /// What is wrong with a value, one violation for each fault; empty exactly when it is valid.
    ///
    /// - Parameters:
    ///   - value: The value to look at.
    ///   - limit: The most violations listed, so that a hostile value cannot buy memory with faults.
    /// - Returns: The violations, outermost first as the schema is read.
    public func violations(in value: JSONValue, limit: Int = 100) -> [SchemaViolation] {
        // Most values are valid, and to say so costs no bookkeeping.
        guard !isValid(value) else { return [] }
        var evaluation = Evaluation(program, violationLimit: max(1, limit))
        _ = evaluation.run(value)
        return evaluation.told()
    }

    /// What is wrong with a value, with the facts behind the words; for those who have words of their own.
    package func findings(in value: JSONValue) -> [SchemaFinding] {
        guard !isValid(value) else { return [] }
        var evaluation = Evaluation(program, violationLimit: 100)
        _ = evaluation.run(value)
        return evaluation.findings()
    }

    /// The part of a schema a violation speaks of: the value at a place inside the resource of that URI.
    public func schemaValue(at uri: String, _ location: JSONPointer) -> JSONValue? {
        guard let index = registry.resource(at: uri) else { return nil }
        let resource = registry.resources[index]
        return registry.documents[resource.document][resource.root.appending(location)]
    }

    /// The value of an extension keyword such as `x-clause`, from the innermost schema around the violated keyword that has it.
    public func value(of keyword: String, near violation: SchemaViolation) -> JSONValue? {
        var location: JSONPointer? = violation.schemaLocation
        while let pointer = location {
            if let found = schemaValue(at: violation.schemaURI, pointer)?[keyword] { return found }
            location = pointer.parent
        }
        return nil
    }
}
