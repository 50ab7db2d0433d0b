/// One call of a traced process, as `strace -f -yy` wrote it down.
struct SystemCall: Sendable, Equatable {
    /// Its name, such as `pwrite64`.
    var name: String
    /// The arguments.
    var arguments: [UInt8]
    /// The result; an error begins with a minus sign.
    var result: [UInt8]
    /// The line on which it began.
    ///
    /// Another process that does something meanwhile takes lines between this one and the end.
    var began: Int
    /// The line on which it ended.
    var ended: Int

    /// Whether it did what it was asked to.
    var hasSucceeded: Bool { result.first.map { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "?") } ?? false }

    /// The target of the first argument: the path of a file, or a name such as `TCP:[127.0.0.1:80->127.0.0.1:4711]`.
    var target: String? { Self.target(arguments[...])?.name }

    /// The target of the returned descriptor.
    var opened: String? { Self.target(result[...])?.name }

    /// The bytes of all texts of its arguments, one after the other.
    var bytes: [UInt8] { texts.flatMap { $0 } }

    /// The texts among its arguments, without their escapes.
    var texts: [[UInt8]] {
        var rest = Self.target(arguments[...])?.rest ?? arguments[...]
        var texts: [[UInt8]] = []
        while let quote = rest.firstIndex(of: UInt8(ascii: "\"")) {
            rest = rest[(quote + 1)...]
            texts.append(Self.unescaped(&rest))
        }
        return texts
    }

    /// Whether a word such as `O_DSYNC` is among the arguments; not used for calls whose data comes first.
    func names(_ flag: String) -> Bool { arguments.contains(Array(flag.utf8)) }

    /// The name behind a descriptor, `5</a/b>`; it may hold a `>` itself.
    private static func target(_ text: ArraySlice<UInt8>) -> (name: String, rest: ArraySlice<UInt8>)? {
        let digits = text.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard !digits.isEmpty, digits.endIndex < text.endIndex, text[digits.endIndex] == UInt8(ascii: "<") else {
            return nil
        }
        let name = text[(digits.endIndex + 1)...]
        let end = name.indices.first { index in
            name[index] == UInt8(ascii: ">")
                && (index + 1 == name.endIndex || Array(",(".utf8).contains(name[index + 1]))
        }
        guard let end else { return nil }
        return (String(decoding: name[..<end], as: UTF8.self), name[(end + 1)...])
    }

    /// Takes a text up to its closing quote.
    private static func unescaped(_ rest: inout ArraySlice<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            guard byte == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
                bytes.append(byte)
                continue
            }
            if let known = escapes[escape] {
                bytes.append(known)
            } else if escape == UInt8(ascii: "x") {
                bytes.append(number(&rest, from: 0, digits: 2, radix: 16))
            } else if let digit = digit(escape, radix: 8) {
                bytes.append(number(&rest, from: digit, digits: 2, radix: 8))
            } else {
                bytes.append(escape)
            }
        }
        return bytes
    }

    /// Takes up to so many digits more.
    private static func number(_ rest: inout ArraySlice<UInt8>, from start: Int, digits: Int, radix: Int) -> UInt8 {
        var value = start
        for _ in 0..<digits {
            guard let byte = rest.first, let digit = digit(byte, radix: radix) else { break }
            value = value * radix + digit
            rest = rest.dropFirst()
        }
        return UInt8(truncatingIfNeeded: value)
    }

    private static func digit(_ byte: UInt8, radix: Int) -> Int? {
        Int(String(decoding: [byte], as: UTF8.self), radix: radix)
    }

    private static let escapes: [UInt8: UInt8] = [
        UInt8(ascii: "n"): 10, UInt8(ascii: "t"): 9, UInt8(ascii: "r"): 13, UInt8(ascii: "v"): 11,
        UInt8(ascii: "f"): 12,
    ]
}
