import JSON

/// One difference between two schemas, at the place where it was made.
struct SchemaEdit: Sendable {
    /// A keyword, or a part of one, of one schema.
    struct Site: Sendable, Hashable {
        let node: Int
        let tokens: [String]
    }

    /// The rule when old values are refused.
    let narrowRule: String
    /// The rule when new values were refused before.
    let widenRule: String
    /// The rule when it is both.
    let bothRule: String
    var old: Site?
    var new: Site?
    var oldValue: JSONValue?
    var newValue: JSONValue?
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
    /// Whether readers were told to expect values that they do not know.
    var isExtensible = false

    /// An edit that falls under one rule.
    init(_ rule: String, old: Site?, new: Site?, oldValue: JSONValue? = nil, newValue: JSONValue? = nil) {
        self.init(narrow: rule, widen: rule, both: rule, old: old, new: new, oldValue: oldValue, newValue: newValue)
    }

    /// An edit whose rule depends on what can be proved.
    init(
        narrow: String, widen: String, both: String? = nil, old: Site?, new: Site?, oldValue: JSONValue? = nil,
        newValue: JSONValue? = nil
    ) {
        narrowRule = narrow
        widenRule = widen
        bothRule = both ?? narrow
        self.old = old
        self.new = new
        self.oldValue = oldValue
        self.newValue = newValue
    }

    /// What makes two edits the same one, reached by different ways.
    var key: [String] {
        [
            narrowRule, widenRule, bothRule, old.map { "\($0.node) \($0.tokens)" } ?? "",
            new.map { "\($0.node) \($0.tokens)" } ?? "",
            oldValue?.text() ?? "", newValue?.text() ?? "",
        ]
    }
}
