import HoldfastJSON

/// One difference between two schemas, at its place.
struct SchemaEdit: Sendable {
    /// The rules that apply, depending on what can be proved.
    struct Rules: Sendable, Hashable, ExpressibleByStringLiteral {
        /// The rule if old values are rejected.
        let narrow: String
        /// The rule if new values were rejected before.
        let widen: String
        /// The rule if both are true.
        let both: String

        init(narrow: String, widen: String, both: String? = nil) {
            (self.narrow, self.widen, self.both) = (narrow, widen, both ?? narrow)
        }

        init(_ rule: String) { self.init(narrow: rule, widen: rule) }

        init(stringLiteral rule: String) { self.init(rule) }
    }

    let rules: Rules
    let old: SchemaSite?
    let new: SchemaSite?
    let oldValue: JSONValue?
    let newValue: JSONValue?
    /// The ways in which an old value is rejected because of it; empty if it cannot reject any.
    var narrowing: [[Literal]] = []
    /// The ways in which a new value was rejected because of it.
    var widening: [[Literal]] = []
    var paths: [[PathStep]] = []
    /// Whether it is a finding, no matter what can be proved.
    var isFinding = false
    /// Whether it adds a member that may be present, which is reported even if readers ignore unknown members.
    var isNew = false

    /// The ways in which the reader rejects a value of the writer because of it.
    func breaks(_ direction: GateDirection) -> [[Literal]] { direction == .clientToServer ? narrowing : widening }

    func readerSite(_ direction: GateDirection) -> SchemaSite? { direction == .clientToServer ? new : old }

    /// The identity of an edit that several paths reach.
    struct Key: Hashable {
        let rules: Rules
        let sites: [SchemaSite?]
        let values: [String?]
    }

    var key: Key { Key(rules: rules, sites: [old, new], values: [oldValue?.text(), newValue?.text()]) }
}

/// One step from a message to the place of an edit, as far as it affects the value there.
enum PathStep: Sendable {
    case member(ExactString)
    case members(NameClass)
    case item
    /// The same value, with further demands on the old side and on the new side.
    case inPlace(old: [Literal], new: [Literal])

    /// Turns demands on the value after this step into demands on the value before it.
    func goal(_ inner: [Literal], writerIsOld: Bool = true) -> [Literal] {
        switch self {
        case .member(let name): [.kinds(.object), .present(name, inner)]
        case .members(let names): [.kinds(.object), .someMember(names, inner)]
        case .item: [.kinds(.array), .someItem(inner)]
        case .inPlace(let old, let new): (writerIsOld ? old : new) + inner
        }
    }
}
