/// Text made safe for HTML.
enum HTMLText {
    /// With the five signs that mean something to HTML written as names.
    static func escaped(_ text: some StringProtocol) -> String {
        var safe: [UInt8] = []
        safe.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): safe += "&amp;".utf8
            case UInt8(ascii: "<"): safe += "&lt;".utf8
            case UInt8(ascii: ">"): safe += "&gt;".utf8
            case UInt8(ascii: "\""): safe += "&quot;".utf8
            case UInt8(ascii: "'"): safe += "&#39;".utf8
            default: safe.append(byte)
            }
        }
        return String(decoding: safe, as: UTF8.self)
    }
}
