/// The words of a Swift source without its comments, and what the source declares.
///
/// Reads what tests of the house's walls ask for, and no more: it knows strings, comments and braces, and no grammar.
public struct SourceScanner: Sendable {
    /// One declaration.
    public struct Declaration: Sendable {
        /// `struct`, `func`, `var` and so on.
        public let keyword: String
        /// Its name without labels.
        public let name: String
        /// `public`, `package` or nothing of the two.
        public let access: String?
        /// Whether it stands in no other declaration.
        public let isTopLevel: Bool
        /// Its line, from 1.
        public let line: Int
    }

    /// Every word outside comments and texts; what a text interpolates counts.
    public private(set) var words: Set<String> = []
    /// Every declaration outside function bodies that names something; locals are among them, without access.
    public private(set) var declarations: [Declaration] = []
    /// The modules it imports, with their lines.
    public private(set) var imports: [(module: String, line: Int)] = []

    private let bytes: [UInt8]
    private var index = 0
    private var line = 1
    private var depth = 0
    private var pending: [String] = []
    private var keyword: String?

    /// Reads a source.
    public init(_ text: String) {
        bytes = Array(text.utf8)
        code(untilParenthesis: false)
    }

    private static let keywords: Set<String> = [
        "struct", "enum", "class", "actor", "protocol", "typealias", "func", "var", "let", "case", "import",
    ]
    private static let modifiers: Set<String> = [
        "public", "package", "static", "final", "mutating", "nonisolated", "indirect", "private", "fileprivate", "set",
        "override", "lazy", "weak", "nonsending", "async",
    ]

    private func byte(_ offset: Int = 0) -> UInt8 { index + offset < bytes.count ? bytes[index + offset] : 0 }

    private mutating func code(untilParenthesis: Bool) {
        var open = 0
        while index < bytes.count {
            switch byte() {
            case UInt8(ascii: "\n"):
                line += 1
                index += 1
            case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "/"):
                while index < bytes.count, byte() != UInt8(ascii: "\n") { index += 1 }
            case UInt8(ascii: "\""): string(hashes: 0)
            case UInt8(ascii: "#"):
                var hashes = 0
                while byte(hashes) == UInt8(ascii: "#") { hashes += 1 }
                index += hashes
                if byte() == UInt8(ascii: "\"") { string(hashes: hashes) }
            case let first where Self.isWord(first): word(declares: !untilParenthesis)
            case let other:
                index += 1
                if other == UInt8(ascii: "{") { depth += 1 }
                if other == UInt8(ascii: "}") { depth -= 1 }
                if other == UInt8(ascii: "(") { open += 1 }
                if other == UInt8(ascii: ")") { open -= 1 }
                if untilParenthesis, open < 0 { return }
                let isNeutral = [" ", "(", ")", "@", "`"].contains { other == UInt8(ascii: $0) }
                if !isNeutral { (pending, keyword) = ([], nil) }
            }
        }
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
            true
        default: false
        }
    }

    private mutating func word(declares: Bool) {
        let start = index
        while Self.isWord(byte()) { index += 1 }
        let word = String(decoding: bytes[start..<index], as: UTF8.self)
        words.insert(word)
        guard declares else { return }
        if Self.keywords.contains(word) {
            keyword = word
        } else if Self.modifiers.contains(word) {
            pending.append(word)
        } else if let declared = keyword {
            if declared == "import" {
                imports.append((word, line))
            } else {
                declarations.append(
                    Declaration(
                        keyword: declared, name: word, access: pending.first { ["public", "package"].contains($0) },
                        isTopLevel: depth == 0, line: line))
            }
            (pending, keyword) = ([], nil)
        } else {
            pending = []
        }
    }

    private mutating func string(hashes: Int) {
        let isLong = byte(1) == UInt8(ascii: "\"") && byte(2) == UInt8(ascii: "\"")
        let quotes = isLong ? 3 : 1
        index += quotes
        while index < bytes.count {
            let marks = (0..<hashes).allSatisfy { byte(1 + $0) == UInt8(ascii: "#") }
            if byte() == UInt8(ascii: "\\"), marks {
                index += 1 + hashes
                let isInterpolation = byte() == UInt8(ascii: "(")
                index += 1
                if isInterpolation { code(untilParenthesis: true) }
            } else if (0..<quotes).allSatisfy({ byte($0) == UInt8(ascii: "\"") }),
                (0..<hashes).allSatisfy({ byte(quotes + $0) == UInt8(ascii: "#") })
            {
                index += quotes + hashes
                return
            } else {
                if byte() == UInt8(ascii: "\n") { line += 1 }
                index += 1
            }
        }
    }
}
