/// Reusable memory for bytes, which grows without initializing the unused part.
struct TapeBytes: ~Copyable {
    private(set) var start = UnsafeMutablePointer<UInt8>.allocate(capacity: 64)
    var count = 0
    private var capacity = 64

    var end: UnsafePointer<UInt8> { UnsafePointer(start + count) }

    deinit {
        start.deallocate()
    }

    mutating func removeAll() { count = 0 }

    @inline(__always)
    mutating func reserve(_ added: Int) {
        if capacity - count < added { grow(count + added) }
    }

    @inline(never)
    private mutating func grow(_ least: Int) {
        capacity = max(least, capacity * 2, 1024)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        larger.update(from: start, count: count)
        start.deallocate()
        start = larger
    }

    /// Appends bytes; room must be reserved.
    @inline(__always)
    mutating func append(_ bytes: UnsafePointer<UInt8>, _ added: Int) {
        (start + count).update(from: bytes, count: added)
        count += added
    }

    /// Appends an offset in four bytes; room must be reserved.
    @inline(__always)
    mutating func append(offset: Int) {
        UnsafeMutableRawPointer(start + count).storeBytes(of: UInt32(truncatingIfNeeded: offset), as: UInt32.self)
        count += 4
    }

    func isASCII(from first: Int) -> Bool {
        let bytes = UnsafeRawPointer(start)
        var position = first
        while position + 8 <= count {
            let word = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            if word & 0x8080_8080_8080_8080 != 0 { return false }
            position += 8
        }
        while position < count {
            if start[position] >= 0x80 { return false }
            position += 1
        }
        return true
    }
}
