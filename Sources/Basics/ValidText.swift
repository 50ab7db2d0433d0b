import HoldfastPlatform

extension String {
    /// The text of bytes in UTF-8; nil where they are not: `String(validating:as:)`, which macOS has from 15 on and iOS from 18.
    package init?(utf8 bytes: some Collection<UInt8>) {
        var text = String(decoding: bytes, as: UTF8.self)
        // What is no UTF-8 is mended there: other bytes come out.
        let isWhole = text.withUTF8 { text in
            bytes.withContiguousStorageIfAvailable { isSame(UnsafeRawBufferPointer($0), UnsafeRawBufferPointer(text)) }
                ?? text.elementsEqual(bytes)
        }
        guard isWhole else { return nil }
        self = text
    }
}
