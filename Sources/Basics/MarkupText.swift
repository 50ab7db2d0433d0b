/// A text for the content of HTML or XML and for attributes in double quotes; for content alone the quotes may stay.
package func escapedForMarkup(_ text: some StringProtocol, quotes: Bool = true) -> String {
    var safe: [UInt8] = []
    safe.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
        switch byte {
        case UInt8(ascii: "&"): safe += "&amp;".utf8
        case UInt8(ascii: "<"): safe += "&lt;".utf8
        case UInt8(ascii: ">"): safe += "&gt;".utf8
        case UInt8(ascii: "\"") where quotes: safe += "&quot;".utf8
        case UInt8(ascii: "'") where quotes: safe += "&#39;".utf8
        default: safe.append(byte)
        }
    }
    return String(decoding: safe, as: UTF8.self)
}
