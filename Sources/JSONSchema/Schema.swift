import HoldfastJSON

/// Whether `format` is checked or only an annotation.
public enum FormatMode: Sendable, Hashable {
    /// A value without the format is invalid.
    case assert
    /// Formats are not checked, unless the dialect of a schema requires it.
    case annotate
}

/// How to treat keywords and formats outside draft 2020-12.
public enum UnknownKeywordMode: Sendable, Hashable {
    /// They are compilation errors, unless they start with `x-`: most of them are typos.
    case refuse
    /// They are ignored, as the specification says.
    case ignore
}

/// A compiled JSON Schema, draft 2020-12.
public struct Schema: Sendable {
    package let program: Program
    /// The flat form for tapes; absent if there are dynamic references or patterns for names.
    let flat: FlatProgram?
    private let registry: SchemaRegistry

    /// Compiles a schema.
    ///
    /// - Parameters:
    ///   - schema: An object or a boolean.
    ///   - baseURI: The base of relative references, if the schema has no `$id`.
    ///   - registry: The schemas that may be referenced.
    ///   - formats: Whether `format` is checked.
    ///   - unknownKeywords: How to treat keywords outside the dialect.
    /// - Throws: ``SchemaProblem`` if a keyword is unknown or has the wrong shape, a reference is unresolved or
    ///   endless, or a pattern cannot be compiled.
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

    /// Compiles a registered schema or a part of one; `uri#/$defs/name` and `uri#anchor` work too.
    ///
    /// - Parameters:
    ///   - uri: Where the schema is registered, or its `$id`.
    ///   - registry: The schemas that may be referenced, including this one.
    ///   - formats: Whether `format` is checked.
    ///   - unknownKeywords: How to treat keywords outside the dialect.
    /// - Throws: ``SchemaProblem``, as for a schema that is passed directly.
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

    /// Compiles a registered schema for a few validations, without the tables that speed up many.
    /// - Throws: ``SchemaProblem``, as for a schema that is passed directly.
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

    package func isValid(_ view: TapeView) -> Bool {
        flat?.accepts(view) ?? program.accepts(view.value(), at: program.root)
    }

    /// The faults of a value, one violation each; empty exactly if it is valid.
    ///
    /// - Parameters:
    ///   - value: The value to validate.
    ///   - limit: The maximum number of violations to return, at least 1; a hostile value cannot use up memory.
    /// - Returns: The violations, outermost first in schema order.
    public func violations(in value: JSONValue, limit: Int = 100) -> [SchemaViolation] {
        // Most values are valid, and checking that first is cheap.
        guard !isValid(value) else { return [] }
        var evaluation = Evaluation(program, violationLimit: max(1, limit))
        _ = evaluation.run(value)
        return evaluation.reportedViolations()
    }

    /// The faults of a value as data, for callers with messages of their own.
    package func findings(in value: JSONValue) -> [SchemaFinding] {
        guard !isValid(value) else { return [] }
        var evaluation = Evaluation(program, violationLimit: 100)
        _ = evaluation.run(value)
        return evaluation.findings()
    }

    /// The value at a place inside the schema resource with a URI, such as the one a violation names.
    public func schemaValue(at uri: String, _ location: JSONPointer) -> JSONValue? {
        guard let index = registry.resource(at: uri) else { return nil }
        let resource = registry.resources[index]
        return registry.documents[resource.document][resource.root.appending(location)]
    }

    /// The value of an extension keyword such as `x-clause`, from the innermost schema that has it around the violated
    /// keyword.
    public func value(of keyword: String, near violation: SchemaViolation) -> JSONValue? {
        var location: JSONPointer? = violation.schemaLocation
        while let pointer = location {
            if let found = schemaValue(at: violation.schemaURI, pointer)?[keyword] { return found }
            location = pointer.parent
        }
        return nil
    }
}
