import HoldfastBasics

/// The format of a record log: one line per record, preceded by its checksum.
enum LogFormat {
    struct Content: Sendable {
        /// The lines without their checksums, in order.
        var lines: [[UInt8]]
        /// The length of the sound part; a crash cut short the rest.
        var soundBytes: Int
    }

    /// Includes the checksum and the line end.
    static func bytes(of line: String) -> [UInt8] {
        let bytes = Array(line.utf8)
        return Array("\(Checksum.text(of: bytes[...])) ".utf8) + bytes + [0x0A]
    }

    /// Reads a whole file.
    ///
    /// A bad line at the very end is a torn write: it was never acknowledged and is dropped. A bad line before a good
    /// one is damage to an acknowledged record, and the server must not guess its contents.
    /// - Throws: The number of the damaged line, from 1.
    static func read(_ bytes: [UInt8]) throws(Damage) -> Content {
        var content = Content(lines: [], soundBytes: 0)
        var start = 0
        var number = 0
        var bad: Int?
        while start < bytes.count {
            number += 1
            let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
            if end < bytes.count, let line = line(bytes[start..<end]) {
                if let bad { throw Damage(line: bad) }
                content.lines.append(line)
                content.soundBytes = end + 1
            } else {
                bad = bad ?? number
            }
            start = end + 1
        }
        return content
    }

    struct Damage: Error, Equatable {
        let line: Int
    }

    private static func line(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        guard bytes.count > 9, bytes[bytes.startIndex + 8] == 0x20 else { return nil }
        let body = bytes.dropFirst(9)
        return Array(Checksum.text(of: body).utf8) == Array(bytes.prefix(8)) ? Array(body) : nil
    }
}

/// CRC-32 as in IEEE 802.3: detects a record that a crash cut short.
enum Checksum {
    private static let table: [UInt32] = (0..<256).map { start in
        (0..<8).reduce(UInt32(start)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
    }

    static func text(of bytes: ArraySlice<UInt8>) -> String {
        var sum = ~UInt32(0)
        // Every record passes here, so this must be fast even without optimization.
        bytes.withUnsafeBufferPointer { bytes in
            table.withUnsafeBufferPointer { table in
                var index = 0
                while index < bytes.count {
                    sum = table[Int((sum ^ UInt32(bytes[index])) & 0xFF)] ^ (sum >> 8)
                    index &+= 1
                }
            }
        }
        return hexDigits(withUnsafeBytes(of: (~sum).bigEndian, Array.init))
    }
}
