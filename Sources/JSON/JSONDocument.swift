/// A parsed text: its value, and the flaws that did not stop the parser.
public struct JSONDocument: Sendable {
    /// The value of the whole text.
    public let root: JSONValue
    /// Duplicate keys and lone surrogates, in text order, at most ``JSONLimits/maxFlaws``.
    public let flaws: [JSONFlaw]

    package init(root: JSONValue, flaws: [JSONFlaw]) { (self.root, self.flaws) = (root, flaws) }
}

/// Something that RFC 8259 allows but warns about, because readers interpret it differently.
public struct JSONFlaw: Sendable, Hashable {
    /// The kind of flaw.
    public enum Kind: Sendable, Hashable {
        /// A repeated key in an object; the last value wins here, but some readers take the first.
        case duplicateKey(String)
        /// An escape such as `\ud800` without its other half, replaced by U+FFFD.
        case loneSurrogate
    }

    /// The kind of flaw.
    public let kind: Kind
    /// The place of the flaw: the second key, or the escape.
    public let location: JSONLocation
    /// The affected member; for a surrogate in a key, the object.
    public let pointer: JSONPointer
}

extension JSONFlaw: CustomStringConvertible {
    /// Place and flaw in one line.
    public var description: String { "\(location): \(sentence)" }

    /// The flaw, without its place.
    package var sentence: String { JSONProblem(.flaw(kind), at: location).sentence }
}
