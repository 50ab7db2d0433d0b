/// The formats of draft 2020-12.
package enum Format: String, Sendable, CaseIterable, BitwiseCopyable {
    case dateTime = "date-time"
    case date
    case time
    case duration
    case email
    case idnEmail = "idn-email"
    case hostname
    case idnHostname = "idn-hostname"
    case ipv4
    case ipv6
    case uri
    case uriReference = "uri-reference"
    case iri
    case iriReference = "iri-reference"
    case uuid
    case uriTemplate = "uri-template"
    case jsonPointer = "json-pointer"
    case relativeJSONPointer = "relative-json-pointer"
    case regex

    package func accepts(_ string: String) -> Bool {
        switch self {
        case .dateTime, .date, .time, .uuid:
            var string = string
            return string.withUTF8 { accepts($0) }
        case .email: return EmailFormats.accepts(string, isInternational: false)
        case .idnEmail: return EmailFormats.accepts(string, isInternational: true)
        case .hostname: return HostnameFormats.isHostname(string)
        case .idnHostname: return HostnameFormats.isInternationalHostname(string)
        case .regex: return Pattern.isWellFormed(string)
        default: return FormatGrammar.patterns[self]?.matches(string) ?? false
        }
    }

    func accepts(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        switch self {
        case .dateTime: DateFormats.isDateTime(bytes)
        case .date: DateFormats.isDate(bytes)
        case .time: DateFormats.isTime(bytes)
        case .uuid: UUIDFormat.accepts(bytes)
        default: accepts(String(decoding: bytes, as: UTF8.self))
        }
    }

    /// The article its name takes in a sentence.
    var article: String {
        switch self {
        case .email, .idnEmail, .idnHostname, .ipv4, .ipv6, .iri, .iriReference: "an"
        default: "a"
        }
    }

    /// What a value of the format looks like.
    var expectation: String {
        switch self {
        case .dateTime: "a date-time such as 2026-03-01T09:30:00Z (RFC 3339)"
        case .date: "a date such as 2026-03-01 (RFC 3339)"
        case .time: "a time such as 09:30:00Z (RFC 3339)"
        case .duration: "a duration such as P3DT4H (RFC 3339, appendix A)"
        case .email: "an email address such as ada@example.org (RFC 5321)"
        case .idnEmail: "an email address such as ada@exämple.org (RFC 6531)"
        case .hostname: "a host name such as chat.example.org (RFC 1123)"
        case .idnHostname: "a host name such as bücher.example (RFC 5890)"
        case .ipv4: "an IPv4 address such as 192.0.2.1"
        case .ipv6: "an IPv6 address such as 2001:db8::1 (RFC 4291)"
        case .uri: "a URI such as https://example.org/a?b#c (RFC 3986)"
        case .uriReference: "a URI reference such as ../a?b#c (RFC 3986)"
        case .iri: "an IRI such as https://exämple.org/ä (RFC 3987)"
        case .iriReference: "an IRI reference such as ../ä?b#c (RFC 3987)"
        case .uuid: "a UUID such as 123e4567-e89b-42d3-a456-426614174000 (RFC 4122)"
        case .uriTemplate: "a URI template such as /sessions/{id}{?limit} (RFC 6570)"
        case .jsonPointer: "a JSON pointer such as /messages/0 (RFC 6901)"
        case .relativeJSONPointer: "a relative JSON pointer such as 1/name"
        case .regex: "a regular expression of ECMA-262"
        }
    }
}
