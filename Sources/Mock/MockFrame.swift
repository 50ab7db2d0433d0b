/// One thing that passed between a mock server and its clients, for people.
package struct MockFrame: Sendable, Equatable {
    /// From 1, without holes.
    package let number: Int
    /// The time of day.
    package let time: String
    /// The connection, `A` and on, or the number of a request.
    package let lane: String
    /// `>` to the server, `<` from the server, `!` for what was done on request.
    package let mark: String
    /// The frame in short: type, names, position, the beginning of its text.
    package let brief: String
    /// What was on the wire, without credentials and cut when it is very long; nil for what is no message.
    package let verbatim: String?

    /// The beginning of a text; counted in scalars, because a stranger can make one character of any length.
    static func beginning(of text: String, _ count: Int) -> String {
        let scalars = text.unicodeScalars
        let end = scalars.index(scalars.startIndex, offsetBy: count, limitedBy: scalars.endIndex) ?? scalars.endIndex
        return end == scalars.endIndex ? text : String(scalars[..<end]) + "…"
    }
}
