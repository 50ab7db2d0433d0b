/// A string compared and hashed by its bytes.
///
/// Swift's own string equality is canonical equivalence: `"é"` equals `"e\u{301}"`. In JSON these are two different keys.
package struct ExactString: Hashable, Comparable, Sendable {
    /// The string as it was given.
    package let string: String

    /// Wraps a string without copying it.
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

/// Whether two strings hold the same scalars in the same order.
package func exactlyEqual(_ left: String, _ right: String) -> Bool {
    guard left.utf8.count == right.utf8.count else { return false }
    return left.utf8.elementsEqual(right.utf8)
}
