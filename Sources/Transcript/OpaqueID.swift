import HoldfastJSON

/// The form of an id in which two ids are equal only if their bytes are, even as dictionary keys.
///
/// Swift treats `"é"` and `"e\u{301}"` as equal, and they look alike, but ids are compared exactly. Each scalar beyond
/// ASCII becomes an escape, so that a finding shows the difference.
package func opaqueID(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: "\\") }) { return text }
    let scalars = Array(text.unicodeScalars)
    var spelled = ""
    for (index, scalar) in scalars.enumerated() {
        // Escapes the backslash of a literal escape, so that two ids never get the same form.
        let isEscape = scalar == "\\" && scalars[(index + 1)...].starts(with: ["u", "{"])
        if scalar.isASCII, !isEscape {
            spelled.unicodeScalars.append(scalar)
        } else {
            spelled += "\\u{\(String(scalar.value, radix: 16))}"
        }
    }
    return spelled
}

extension JSONObject {
    /// The id in a member, in the form of ``opaqueID(_:)``; nil if it is absent or not a string.
    package func id(_ name: String) -> String? { self[name]?.stringValue.map(opaqueID) }
}

extension JSONValue {
    package func id(_ name: String) -> String? { self[name]?.stringValue.map(opaqueID) }
}

extension Frame {
    package func id(_ name: String) -> String? { self[name]?.stringValue.map(opaqueID) }
}
