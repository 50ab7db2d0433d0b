/// The checked formats of draft 2020-12; the standard allows the others to be mere annotations.
package enum Format: String, Sendable, CaseIterable, BitwiseCopyable {
    case dateTime = "date-time"
    case date
    case time
    case duration
    case ipv4
    case ipv6
    case uri
    case uriReference = "uri-reference"
    case uuid
    case jsonPointer = "json-pointer"

    /// Standard names that are not checked.
    static let uncheckedNames: Set<String> = [
        "email", "idn-email", "hostname", "idn-hostname", "iri", "iri-reference", "uri-template",
        "relative-json-pointer", "regex",
    ]

    func accepts(_ string: String) -> Bool {
        var string = string
        return string.withUTF8 { accepts($0) }
    }

    func accepts(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        switch self {
        case .dateTime: DateFormats.isDateTime(bytes)
        case .date: DateFormats.isDate(bytes)
        case .time: DateFormats.isTime(bytes)
        case .uuid: UUIDFormat.accepts(bytes)
        default: FormatGrammar.patterns[self]?.matches(String(decoding: bytes, as: UTF8.self)) ?? false
        }
    }

    /// The article before its name in a sentence.
    var article: String {
        switch self {
        case .ipv4, .ipv6: "an"
        default: "a"
        }
    }

    var expectation: String {
        switch self {
        case .dateTime: "a date-time such as 2026-03-01T09:30:00Z (RFC 3339)"
        case .date: "a date such as 2026-03-01 (RFC 3339)"
        case .time: "a time such as 09:30:00Z (RFC 3339)"
        case .duration: "a duration such as P3DT4H (RFC 3339, appendix A)"
        case .ipv4: "an IPv4 address such as 192.0.2.1"
        case .ipv6: "an IPv6 address such as 2001:db8::1 (RFC 4291)"
        case .uri: "a URI such as https://example.org/a?b#c (RFC 3986)"
        case .uriReference: "a URI reference such as ../a?b#c (RFC 3986)"
        case .uuid: "a UUID such as 123e4567-e89b-42d3-a456-426614174000 (RFC 4122)"
        case .jsonPointer: "a JSON pointer such as /messages/0 (RFC 6901)"
        }
    }
}
