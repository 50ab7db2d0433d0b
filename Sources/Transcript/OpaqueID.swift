import HoldfastJSON

/// A text spelled so that two of them are equal, also as keys of a dictionary, only when their bytes are.
///
/// Swift calls `"é"` and `"e\u{301}"` equal, and they look alike; ids are compared as they are. Here each scalar outside ASCII
/// stands as an escape, so that a finding shows where two differ.
package func opaqueID(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: "\\") }) { return text }
    let scalars = Array(text.unicodeScalars)
    var spelled = ""
    for (index, scalar) in scalars.enumerated() {
        // What looks like an escape is one, so that no id is spelled like another.
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
    /// The id in a member, as ``opaqueID(_:)`` spells it; nil when it is absent or no string.
    package func id(_ name: String) -> String? { self[name]?.stringValue.map(opaqueID) }
}

extension JSONValue {
    /// The id in a member, as ``opaqueID(_:)`` spells it; nil when it is absent or no string.
    package func id(_ name: String) -> String? { self[name]?.stringValue.map(opaqueID) }
}

extension Frame {
    /// The id in a field, as ``opaqueID(_:)`` spells it; nil when it is absent or no string.
    package func id(_ name: String) -> String? { self[name]?.stringValue.map(opaqueID) }
}
