/// A hash of a name by its length, its first and its last eight bytes: quick, and good enough for names people choose.
///
/// Names that somebody chose in order to collide only make a search longer; nothing grows with their square.
package enum NameHash {
    /// The first and the last eight bytes, which for up to sixteen bytes is all of a name.
    package struct Ends {
        package var first: UInt64
        package var last: UInt64

        @inlinable
        package init(first: UInt64, last: UInt64) {
            self.first = first
            self.last = last
        }
    }

    /// The ends of the `count` bytes at `name`; `limit` is the end of readable memory.
    @inlinable
    @inline(__always)
    package static func ends(
        _ name: UnsafePointer<UInt8>, _ count: Int, limit: UnsafePointer<UInt8>
    ) -> Ends {
        let raw = UnsafeRawPointer(name)
        if count >= 8 {
            // Both loads lie inside the name.
            return Ends(
                first: raw.loadUnaligned(as: UInt64.self), last: (raw + (count - 8)).loadUnaligned(as: UInt64.self))
        }
        let first: UInt64
        if limit - name >= 8 {
            first = raw.loadUnaligned(as: UInt64.self).littleEndian & ((1 << UInt64(count * 8)) &- 1)
        } else {
            var gathered: UInt64 = 0
            for index in 0..<count { gathered |= UInt64(name[index]) << UInt64(index * 8) }
            first = gathered
        }
        return Ends(first: first, last: first)
    }

    /// The hash of a name with these ends.
    @inlinable
    @inline(__always)
    package static func hash(_ ends: Ends, _ count: Int) -> UInt32 {
        let mixed = (ends.first ^ UInt64(count)) &* 0x9E37_79B9_7F4A_7C15 ^ ends.last &* 0xC2B2_AE3D_27D4_EB4F
        return UInt32(truncatingIfNeeded: (mixed ^ mixed >> 29) &* 0x1656_67B1_9E37_79F9 >> 32)
    }

    /// The hash of a name that stands alone.
    package static func hash(of name: UnsafeBufferPointer<UInt8>) -> UInt32 {
        guard let base = name.baseAddress else { return hash(Ends(first: 0, last: 0), 0) }
        return hash(ends(base, name.count, limit: base + name.count), name.count)
    }
}
