/// One value or one key of a text, in sixteen bytes without references.
///
/// Tokens stand in the order of the text. A container is followed by what it holds, a key by its value. Other modules read the stored
/// fields only: those cost no call.
package struct TapeToken: BitwiseCopyable, Sendable {
    /// The kinds of values; `true` and `false` are told apart.
    package enum Kind: BitwiseCopyable, Sendable, CaseIterable {
        case null, no, yes, number, string, array, object
    }

    /// Where the bytes of the value start: behind the quote of a string, at the bracket of a container.
    package var start: UInt32
    /// The bytes of a string without its escapes, or of a number; the elements or members of a container.
    package var length: UInt32
    /// The token behind the value; for a key, its hash.
    package var link: UInt32
    package var kind: Kind
    /// A string of ASCII; a number without fraction and exponent.
    package var isPlain: Bool
    /// A string that had escapes: its bytes stand in the annex.
    package var isInAnnex: Bool
}
