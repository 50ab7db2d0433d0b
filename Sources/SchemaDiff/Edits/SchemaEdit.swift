import HoldfastJSON

/// One difference between two schemas, at the place where it was made.
struct SchemaEdit: Sendable {
    /// The rules it falls under, by what can be proved.
    struct Rules: Sendable, Hashable, ExpressibleByStringLiteral {
        /// The rule when old values are refused.
        let narrow: String
        /// The rule when new values were refused before.
        let widen: String
        /// The rule when it is both.
        let both: String

        init(narrow: String, widen: String, both: String? = nil) {
            (self.narrow, self.widen, self.both) = (narrow, widen, both ?? narrow)
        }

        /// One rule, whatever can be proved.
        init(_ rule: String) { self.init(narrow: rule, widen: rule) }

        init(stringLiteral rule: String) { self.init(rule) }
    }

    let rules: Rules
    let old: SchemaSite?
    let new: SchemaSite?
    let oldValue: JSONValue?
    let newValue: JSONValue?
    /// Ways in which an old value is refused because of it; empty when it cannot refuse one.
    var narrowing: [[Literal]] = []
    /// Ways in which a new value was refused because of it.
    var widening: [[Literal]] = []
    /// The ways down to it.
    var paths: [[PathStep]] = []
    /// Whether it weighs whatever can be proved.
    var isDecreed = false
    /// Whether it is worth telling where readers take anything.
    var isNews = false

    /// Ways in which the reader refuses a value of the writer because of it.
    func breaks(_ direction: GateDirection) -> [[Literal]] { direction == .clientToServer ? narrowing : widening }

    /// The place of it on the reader's side.
    func readerSite(_ direction: GateDirection) -> SchemaSite? { direction == .clientToServer ? new : old }

    /// The identity of an edit that is reached in different ways.
    struct Key: Hashable {
        let rules: Rules
        let sites: [SchemaSite?]
        let values: [String?]
    }

    var key: Key { Key(rules: rules, sites: [old, new], values: [oldValue?.text(), newValue?.text()]) }
}

/// One step from a message down to the place of an edit, as far as it matters to the value there.
enum PathStep: Sendable {
    case member(ExactString)
    case members(NameClass)
    case item
    /// The same value, where further demands hold on the old side and on the new side.
    case inPlace(old: [Literal], new: [Literal])

    /// Demands on a value that lead this step down to demands on what is there.
    func goal(_ inner: [Literal], writerIsOld: Bool = true) -> [Literal] {
        switch self {
        case .member(let name): [.kinds(.object), .present(name, inner)]
        case .members(let names): [.kinds(.object), .someMember(names, inner)]
        case .item: [.kinds(.array), .someItem(inner)]
        case .inPlace(let old, let new): (writerIsOld ? old : new) + inner
        }
    }
}
