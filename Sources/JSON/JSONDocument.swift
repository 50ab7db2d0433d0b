/// A parsed text: its value, and what was wrong with it that did not stop the parser.
public struct JSONDocument: Sendable {
    /// The value of the whole text.
    public let root: JSONValue
    /// Duplicate keys and lone surrogates, in the order of the text, at most ``JSONLimits/maxFlaws``.
    public let flaws: [JSONFlaw]

    package init(root: JSONValue, flaws: [JSONFlaw]) { (self.root, self.flaws) = (root, flaws) }
}

/// Something RFC 8259 allows in a text and warns about, because readers disagree on what it means.
public struct JSONFlaw: Sendable, Hashable {
    /// What is wrong.
    public enum Kind: Sendable, Hashable {
        /// A key that came before in the same object; the last value wins here, other readers take the first.
        case duplicateKey(String)
        /// An escape such as `\ud800` without its other half, replaced by U+FFFD.
        case loneSurrogate
    }

    /// What is wrong.
    public let kind: Kind
    /// Where it is: the second key, or the escape.
    public let location: JSONLocation
    /// The member it concerns; for a surrogate in a key, the object.
    public let pointer: JSONPointer
}

extension JSONFlaw: CustomStringConvertible {
    /// Place and flaw in one line.
    public var description: String { "\(location): \(sentence)" }

    /// The flaw, without its place.
    package var sentence: String { JSONProblem(.flaw(kind), at: location).sentence }
}
