/// One value or one key of a text, in sixteen bytes without references.
///
/// Tokens stand in the order of the text. A container is followed by what it holds, a key by its value.
package struct TapeToken: Sendable {
    /// The kinds of values; `true` and `false` are told apart.
    package enum Kind: UInt8, Sendable, CaseIterable {
        case null, no, yes, number, string, array, object
    }

    /// What a reader of the token has to know about its bytes.
    package struct Traits: OptionSet, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// A string in which escapes stand.
        package static let escaped = Traits(rawValue: 1)
        /// A string with bytes above 0x7F.
        package static let beyondASCII = Traits(rawValue: 2)
        /// A key that had escapes: its bytes, unescaped, stand in the annex.
        package static let inAnnex = Traits(rawValue: 4)
        /// A number with a fraction or an exponent.
        package static let fractional = Traits(rawValue: 8)
    }

    /// Where the bytes of the value start: behind the quote of a string, at the bracket of a container.
    package var start: UInt32
    /// The bytes of a string or number; the elements or members of a container.
    package var length: UInt32
    /// The token behind the value; for a key, its hash.
    package var link: UInt32
    package var kind: Kind
    package var traits: Traits
}
