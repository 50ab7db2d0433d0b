import HoldfastBasics

/// Compresses the texts of a transcript: a long one can omit parts that occurred earlier.
///
/// A suite sends long questions and receives them again. As in LZ77, a copy stands for omitted bytes: it gives their
/// offset in the written text, the distance back to an earlier occurrence, and their number.
struct CopiedTexts {
    struct Copy: Equatable {
        /// The offset in the written text where it is inserted.
        var offset: Int
        /// The distance back to its start, in bytes; less than its length if it repeats itself.
        var distance: Int
        var length: Int
    }

    /// The shortest text to compress; shorter ones stay readable.
    static let shortest = 1024
    /// The maximum number of bytes in all texts that copies refer to.
    static let maxBytes = 256 << 20
    /// The shortest worthwhile copy, in bytes.
    private static let minLength = 32
    /// The number of bytes that are hashed to find an earlier occurrence.
    private static let hashLength = 16

    private var bytes: [UInt8] = []
    /// The last offset of bytes with each hash, plus 1; 0 for none.
    private var offsets: [Int32] = []

    // MARK: writing

    /// The compressed text and its copies; nil if it is written whole.
    mutating func packed(_ text: String) -> (text: String, copies: [Copy])? {
        let start = bytes.count
        guard start + text.utf8.count < Self.maxBytes else { return nil }
        bytes += Array(text.utf8)
        if offsets.isEmpty { offsets = Array(repeating: 0, count: 1 << 18) }
        guard bytes.count - start >= Self.shortest else {
            index(from: start)
            return nil
        }
        let (written, copies) = offsets.withUnsafeMutableBufferPointer { offsets in
            bytes.withUnsafeBytes { Self.pack($0, from: start, &offsets) }
        }
        return copies.isEmpty ? nil : (String(decoding: written, as: UTF8.self), copies)
    }

    /// Indexes a short text, so that later ones find it.
    private mutating func index(from start: Int) {
        offsets.withUnsafeMutableBufferPointer { offsets in
            bytes.withUnsafeBytes { bytes in
                for offset in stride(from: start, to: max(start, bytes.count - Self.hashLength), by: 8) {
                    offsets[Self.hash(bytes, offset)] = Int32(offset + 1)
                }
            }
        }
    }

    private static func pack(
        _ bytes: UnsafeRawBufferPointer, from start: Int, _ offsets: inout UnsafeMutableBufferPointer<Int32>
    ) -> (written: [UInt8], copies: [Copy]) {
        var written: [UInt8] = []
        var copies: [Copy] = []
        var taken = start
        var offset = start
        while offset + hashLength <= bytes.count {
            let slot = hash(bytes, offset)
            let before = Int(offsets[slot]) - 1
            offsets[slot] = Int32(offset + 1)
            guard before >= 0, var (from, end) = match(bytes, before, offset, downTo: taken) else {
                offset += 1
                continue
            }
            // A copy consists of whole characters, because the written part must be text.
            while from < end, bytes[from] & 0xC0 == 0x80 { from += 1 }
            while end < bytes.count, end > from, bytes[end] & 0xC0 == 0x80 { end -= 1 }
            guard end - from >= minLength else {
                offset += 1
                continue
            }
            written += bytes[taken..<from]
            copies.append(Copy(offset: written.count, distance: offset - before, length: end - from))
            (taken, offset) = (end, end)
        }
        written += bytes[taken...]
        return (written, copies)
    }

    private static func match(
        _ bytes: UnsafeRawBufferPointer, _ before: Int, _ offset: Int, downTo taken: Int
    ) -> (from: Int, end: Int)? {
        var (left, right) = (before, offset)
        while right + 8 <= bytes.count,
            bytes.loadUnaligned(fromByteOffset: left, as: UInt64.self)
                == bytes.loadUnaligned(fromByteOffset: right, as: UInt64.self)
        {
            left += 8
            right += 8
        }
        while right < bytes.count, bytes[left] == bytes[right] {
            left += 1
            right += 1
        }
        var (first, from) = (before, offset)
        while from > taken, first > 0, bytes[first - 1] == bytes[from - 1] {
            first -= 1
            from -= 1
        }
        return right - from >= minLength ? (from, right) : nil
    }

    private static func hash(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> Int {
        let low = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self) &* 0x9E37_79B9_7F4A_7C15
        let high = bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self) &* 0xC2B2_AE3D_27D4_EB4F
        return Int((low ^ high &+ low >> 31) >> 46)
    }

    // MARK: reading

    enum Problem: Error, Equatable {
        /// The copy with this number, from 0, refers to nothing.
        case misplaced(Int)
        case tooLong
        case noText
    }

    mutating func unpacked(_ text: String, _ copies: [Copy]) throws(Problem) -> String {
        let written = Array(text.utf8)
        let start = bytes.count
        guard start + written.count < Self.maxBytes else {
            // It was written whole, and later copies do not refer to it.
            guard copies.isEmpty else { throw .tooLong }
            return text
        }
        var taken = 0
        for (number, copy) in copies.enumerated() {
            guard (taken...written.count).contains(copy.offset), copy.length > 0, copy.distance > 0 else {
                throw .misplaced(number)
            }
            bytes += written[taken..<copy.offset]
            taken = copy.offset
            guard copy.distance <= bytes.count else { throw .misplaced(number) }
            guard copy.length <= Self.maxBytes - bytes.count else { throw .tooLong }
            let from = bytes.count - copy.distance
            let end = bytes.count + copy.length
            // Copied bytes can be copied again, twice as many each time.
            while bytes.count < end { bytes += Array(bytes[from..<min(bytes.count, from + end - bytes.count)]) }
        }
        bytes += written[taken...]
        if copies.isEmpty { return text }
        guard let whole = String(utf8: bytes[start...]) else { throw .noText }
        return whole
    }
}
