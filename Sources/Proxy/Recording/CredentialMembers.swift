import Holdfast
import HoldfastJSON

/// The members of a text in JSON whose names are those of credentials, at any depth.
///
/// Nothing is parsed: one pass over the bytes finds the strings, so that a text of any size, and one that is not quite JSON,
/// hides nothing.
struct CredentialMembers {
    struct Member {
        let name: String
        let value: String
        /// Where the value stands, between its quotation marks.
        let location: Range<Int>
    }

    /// Every one whose value is a string that is not empty, in order.
    private(set) var members: [Member] = []
    /// The values of members that are called `type`.
    private(set) var types: [String] = []

    init(_ bytes: [UInt8]) {
        bytes.withUnsafeBufferPointer { bytes in
            var index = 0
            while let string = Self.string(in: bytes, from: index) {
                index = string.end
                guard let colon = Self.word(in: bytes, from: string.end), bytes[colon] == UInt8(ascii: ":"),
                    let start = Self.word(in: bytes, from: colon + 1), bytes[start] == UInt8(ascii: "\""),
                    let value = Self.string(in: bytes, from: start)
                else { continue }
                index = value.end
                // No name of a credential is longer, even with each letter spelled by its number.
                guard string.inner.count <= 128, !value.inner.isEmpty else { continue }
                let name = Self.text(bytes[string.inner])
                if name == "type", types.count < 64 {
                    types.append(Self.text(bytes[value.inner]))
                } else if CredentialNames.holds(name) {
                    members.append(Member(name: name, value: Self.text(bytes[value.inner]), location: value.inner))
                }
            }
        }
    }

    /// The next string at or behind a place, without its quotation marks, and the place behind it.
    private static func string(
        in bytes: UnsafeBufferPointer<UInt8>, from index: Int
    ) -> (inner: Range<Int>, end: Int)? {
        var start = index
        while start < bytes.count, bytes[start] != UInt8(ascii: "\"") { start += 1 }
        guard start < bytes.count else { return nil }
        var end = start + 1
        while end < bytes.count, bytes[end] != UInt8(ascii: "\"") {
            end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        end = min(end, bytes.count)
        return (start + 1..<end, min(end + 1, bytes.count))
    }

    /// The next byte that is no space.
    private static func word(in bytes: UnsafeBufferPointer<UInt8>, from index: Int) -> Int? {
        var index = index
        while index < bytes.count, bytes[index] <= 0x20 { index += 1 }
        return index < bytes.count ? index : nil
    }

    private static func text(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
        let plain = String(decoding: bytes, as: UTF8.self)
        guard bytes.contains(UInt8(ascii: "\\")) else { return plain }
        return (try? JSONParser.document("\"\(plain)\"").root)?.stringValue ?? plain
    }
}
