/// Formats on bytes, where messages have many of them.
extension Format {
    /// Whether UTF-8 bytes have the format.
    func accepts(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        switch self {
        case .dateTime: DateFormats.isDateTime(bytes)
        case .date: DateFormats.isDate(bytes)
        case .time: DateFormats.isTime(bytes)
        case .uuid: UUIDFormat.accepts(bytes)
        case .uri where URIFormats.isPlainlyURI(bytes): true
        default: accepts(String(decoding: bytes, as: UTF8.self))
        }
    }
}
