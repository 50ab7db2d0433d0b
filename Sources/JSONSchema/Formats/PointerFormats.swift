import JSON

/// JSON pointers, absolute and relative.
enum PointerFormats {
    static func isPointer(_ string: String) -> Bool {
        JSONPointer(string) != nil
    }

    /// Up so many levels, perhaps along a list, and then a pointer or `#`.
    static func isRelativePointer(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var reader = TextReader(bytes)
        let levels = reader.digits()
        guard !levels.isEmpty, levels.count == 1 || levels[0] != UInt8(ascii: "0") else { return false }
        if reader.take("+-") != nil {
            let steps = reader.digits()
            guard !steps.isEmpty, steps[0] != UInt8(ascii: "0") else { return false }
        }
        let rest = String(decoding: bytes[reader.position...], as: UTF8.self)
        return rest == "#" || isPointer(rest)
    }
}
