/// Hashes a name by its length, its first and its last eight bytes: fast, and good enough for real names.
///
/// Names chosen to collide only make a search longer; nothing becomes quadratic.
package enum NameHash {
    /// The first and the last eight bytes, which cover a name of up to sixteen bytes.
    @inlinable
    @inline(__always)
    static func ends(
        _ name: UnsafePointer<UInt8>, _ count: Int, limit: UnsafePointer<UInt8>
    ) -> (first: UInt64, last: UInt64) {
        let raw = UnsafeRawPointer(name)
        if count >= 8 {
            // Both loads are inside the name.
            return (
                raw.loadUnaligned(as: UInt64.self).littleEndian,
                (raw + (count - 8)).loadUnaligned(as: UInt64.self).littleEndian
            )
        }
        let first: UInt64
        if limit - name >= 8 {
            first = raw.loadUnaligned(as: UInt64.self).littleEndian & ((1 << UInt64(count * 8)) &- 1)
        } else {
            var gathered: UInt64 = 0
            for index in 0..<count { gathered |= UInt64(name[index]) << UInt64(index * 8) }
            first = gathered
        }
        return (first, first)
    }

    /// The hash of the `count` bytes at `name`; `limit` is the end of readable memory.
    @inlinable
    @inline(__always)
    package static func hash(_ name: UnsafePointer<UInt8>, _ count: Int, limit: UnsafePointer<UInt8>) -> UInt32 {
        let ends = ends(name, count, limit: limit)
        let mixed = (ends.first ^ UInt64(count)) &* 0x9E37_79B9_7F4A_7C15 ^ ends.last &* 0xC2B2_AE3D_27D4_EB4F
        return UInt32(truncatingIfNeeded: (mixed ^ mixed >> 29) &* 0x1656_67B1_9E37_79F9 >> 32)
    }

    package static func hash(of name: [UInt8]) -> UInt32 {
        name.withUnsafeBufferPointer { bytes in
            bytes.baseAddress.map { hash($0, name.count, limit: $0 + name.count) } ?? 0
        }
    }
}
