import Holdfast
import HoldfastJSON
import HoldfastPlatform

/// The members of a JSON text whose names denote credentials, at any depth.
///
/// It scans the bytes for strings without parsing, so that neither a huge text nor malformed JSON hides anything.
struct CredentialMembers {
    struct Member {
        let name: String
        let value: String
        /// The position of the value, without its quotation marks.
        let location: Range<Int>
    }

    /// The members with nonempty values, in order.
    private(set) var members: [Member] = []
    /// The values of members named `type`.
    private(set) var types: [String] = []

    init(_ text: String) {
        var text = text
        text.withUTF8 { find(in: UnsafeRawBufferPointer($0)) }
    }

    init(_ bytes: [UInt8]) { bytes.withUnsafeBytes { find(in: $0) } }

    private mutating func find(in bytes: UnsafeRawBufferPointer) {
        var index = 0
        while let string = Self.string(in: bytes, from: index) {
            index = string.end
            guard let colon = Self.nextNonSpace(in: bytes, from: string.end), bytes[colon] == UInt8(ascii: ":"),
                let start = Self.nextNonSpace(in: bytes, from: colon + 1), bytes[start] == UInt8(ascii: "\""),
                let value = Self.string(in: bytes, from: start)
            else { continue }
            index = value.end
            // No credential's name is longer, even with every letter escaped.
            guard string.inner.count <= 128, !value.inner.isEmpty else { continue }
            let name = UnsafeRawBufferPointer(rebasing: bytes[string.inner])
            guard CredentialNames.mayHold(name) || name.elementsEqual("type".utf8) else { continue }
            let spelled = Self.text(bytes[string.inner])
            if spelled == "type", types.count < 64 {
                types.append(Self.text(bytes[value.inner]))
            } else if CredentialNames.holds(spelled) {
                members.append(Member(name: spelled, value: Self.text(bytes[value.inner]), location: value.inner))
            }
        }
    }

    /// The next string from an index, without its quotation marks, and the index after it.
    private static func string(in bytes: UnsafeRawBufferPointer, from first: Int) -> (inner: Range<Int>, end: Int)? {
        guard let start = quote(in: bytes, from: first).map({ $0 + 1 }) else { return nil }
        var end = start
        while let quote = quote(in: bytes, from: end) {
            var backslashes = 0
            while quote - backslashes > start, bytes[quote - backslashes - 1] == UInt8(ascii: "\\") {
                backslashes += 1
            }
            if backslashes.isMultiple(of: 2) { return (start..<quote, quote + 1) }
            end = quote + 1
        }
        return (start..<bytes.count, bytes.count)
    }

    private static func quote(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard start < bytes.count else { return nil }
        return index(of: UInt8(ascii: "\""), in: UnsafeRawBufferPointer(rebasing: bytes[start...])).map { start + $0 }
    }

    /// The next byte that is not white space.
    private static func nextNonSpace(in bytes: UnsafeRawBufferPointer, from index: Int) -> Int? {
        var index = index
        while index < bytes.count, bytes[index] <= 0x20 { index += 1 }
        return index < bytes.count ? index : nil
    }

    private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        let plain = String(decoding: bytes, as: UTF8.self)
        guard bytes.contains(UInt8(ascii: "\\")) else { return plain }
        return (try? JSONParser.document("\"\(plain)\"").root)?.stringValue ?? plain
    }
}
