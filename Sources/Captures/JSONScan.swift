import HoldfastJSON

/// Finds the ends of JSON values in bytes, without parsing them.
enum JSONScan {
    /// The index after the object or array that begins at an index; nil if it is incomplete.
    static func end(ofBrackets start: Int, in bytes: ArraySlice<UInt8>) -> Int? {
        var index = start
        var depth = 0
        while index < bytes.endIndex {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                guard let end = end(ofString: index, in: bytes) else { return nil }
                index = end
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth == 0 { return index + 1 }
            default: break
            }
            index += 1
        }
        return nil
    }

    /// The index after a string whose opening quote is at an index; a string ends at the next quote of its kind.
    static func end(ofString start: Int, in bytes: ArraySlice<UInt8>) -> Int? {
        let quote = bytes[start]
        var index = start + 1
        while index < bytes.endIndex {
            if bytes[index] == quote { return index + 1 }
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return nil
    }

    /// The texts of the objects and arrays in an array, unchanged.
    static func elements(of array: String) -> [String] {
        let bytes = Array(array.utf8)[...]
        var found: [String] = []
        var index = (bytes.firstIndex(of: UInt8(ascii: "[")) ?? bytes.endIndex) + 1
        while index < bytes.endIndex {
            switch bytes[index] {
            case UInt8(ascii: "\""): index = end(ofString: index, in: bytes) ?? bytes.endIndex
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                let end = end(ofBrackets: index, in: bytes) ?? bytes.endIndex
                found.append(String(decoding: bytes[index..<end], as: UTF8.self))
                index = end
            default: index += 1
            }
        }
        return found
    }

    /// The text of the first member of an object with a name of plain ASCII, unchanged; nil if there is none.
    static func member(_ name: String, of object: String) -> String? {
        let bytes = Array(object.utf8)[...]
        var index = (bytes.firstIndex(of: UInt8(ascii: "{")) ?? bytes.endIndex) + 1
        while index < bytes.endIndex, let quote = bytes[index...].firstIndex(of: UInt8(ascii: "\"")),
            let end = end(ofString: quote, in: bytes), let colon = bytes[end...].firstIndex(of: UInt8(ascii: ":")),
            let start = bytes[(colon + 1)...].firstIndex(where: { $0 > 0x20 })
        {
            let stop: Int?
            switch bytes[start] {
            case UInt8(ascii: "\""): stop = self.end(ofString: start, in: bytes)
            case UInt8(ascii: "{"), UInt8(ascii: "["): stop = self.end(ofBrackets: start, in: bytes)
            default:
                stop = bytes[start...].firstIndex { $0 <= 0x20 || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "}") }
            }
            guard let stop else { return nil }
            if bytes[(quote + 1)..<(end - 1)].elementsEqual(name.utf8) {
                return String(decoding: bytes[start..<stop], as: UTF8.self)
            }
            index = stop
        }
        return nil
    }

    /// Decodes the escapes of a quotation in a program's log: `\"`, `\'`, `\\`, `\n`, `\x1b`; the last is one byte if
    /// the program quotes bytes.
    static func unescaped(_ bytes: ArraySlice<UInt8>, isBytes: Bool = false) -> [UInt8] {
        var plain: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() else {
                plain.append(byte)
                continue
            }
            switch escaped {
            case UInt8(ascii: "n"): plain.append(0x0A)
            case UInt8(ascii: "r"): plain.append(0x0D)
            case UInt8(ascii: "t"): plain.append(0x09)
            case UInt8(ascii: "x"):
                guard let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else { break }
                rest = rest.dropFirst(2)
                plain += isBytes ? [value] : Array(String(Unicode.Scalar(value)).utf8)
            case UInt8(ascii: "u"):
                // JSON reads such an escape itself, and pairs of them too.
                plain += [byte, escaped]
            default: plain.append(escaped)
            }
        }
        return plain
    }
}
