/// A place in a text.
public struct JSONLocation: Sendable, Hashable {
    /// The number of bytes before it.
    public let byteOffset: Int
    /// The line, from 1; only a line feed ends a line.
    public let line: Int
    /// The column, from 1, in Unicode scalars.
    public let column: Int

    /// Names a place by all three counts.
    public init(byteOffset: Int, line: Int, column: Int) {
        (self.byteOffset, self.line, self.column) = (byteOffset, line, column)
    }

    /// The start of a text.
    static let start = JSONLocation(byteOffset: 0, line: 1, column: 1)
}

extension JSONLocation: CustomStringConvertible {
    /// `line:column`, as compilers write it.
    public var description: String { "\(line):\(column)" }
}
