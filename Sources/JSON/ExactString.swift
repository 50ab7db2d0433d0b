/// A string compared and hashed by its bytes.
///
/// Swift's string equality is canonical equivalence: `"é"` equals `"e\u{301}"`. In JSON these are two different keys.
package struct ExactString: Hashable, Comparable, Sendable {
    package let string: String

    package init(_ string: String) { self.string = string }

    package static func == (left: ExactString, right: ExactString) -> Bool {
        exactlyEqual(left.string, right.string)
    }

    package static func < (left: ExactString, right: ExactString) -> Bool {
        left.string.utf8.lexicographicallyPrecedes(right.string.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        let hashed: Void? = string.utf8.withContiguousStorageIfAvailable { bytes in
            hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
        }
        if hashed == nil {
            var copy = string
            copy.withUTF8 { bytes in hasher.combine(bytes: UnsafeRawBufferPointer(bytes)) }
        }
        hasher.combine(0xff as UInt8)
    }
}

/// Whether two strings have the same scalars in the same order.
package func exactlyEqual(_ left: String, _ right: String) -> Bool {
    // Equal bytes mean equal text; the standard library rules out most unequal strings here.
    guard left == right else { return false }
    let (left, right) = (left.utf8, right.utf8)
    let count = left.count
    guard count == right.count else { return false }
    let isSame = left.withContiguousStorageIfAvailable { left in
        right.withContiguousStorageIfAvailable { right in
            haveSameBytes(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right))
        }
    }
    if case .some(.some(let isSame)) = isSame { return isSame }
    return left.elementsEqual(right)
}

/// Whether bytes are equal; both buffers must have the same length.
func haveSameBytes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }
    let count = left.count
    var offset = 0
    guard count >= 8 else {
        while offset < count, left[offset] == right[offset] { offset += 1 }
        return offset == count
    }
    while offset + 8 <= count {
        if word(left, offset) != word(right, offset) { return false }
        offset += 8
    }
    // The last eight bytes may overlap earlier ones.
    return word(left, count - 8) == word(right, count - 8)
}
