/// Replaces credentials by the name of their owner, so that no transcript holds one.
struct Redaction: Sendable {
    private let secrets: [(token: [UInt8], shown: [UInt8])]

    /// Credentials and their owners; empty ones hide nothing.
    init(_ owners: [(name: String, token: String?)]) {
        secrets = owners.compactMap { owner in
            guard let token = owner.token, !token.isEmpty else { return nil }
            return (Array(token.utf8), Array("‹token of \(owner.name)›".utf8))
        }
        // Longest first: one credential may begin another.
        .sorted { $0.token.count > $1.token.count }
    }

    func applied(to text: String) -> String {
        var text = text
        for secret in secrets {
            let places = text.withUTF8 { Self.places(of: secret.token, in: $0) }
            guard !places.isEmpty else { continue }
            text = String(decoding: Self.replacing(secret, at: places, in: Array(text.utf8)), as: UTF8.self)
        }
        return text
    }

    func applied(to bytes: [UInt8]) -> [UInt8] {
        secrets.reduce(bytes) { bytes, secret in
            let places = bytes.withUnsafeBufferPointer { Self.places(of: secret.token, in: $0) }
            return places.isEmpty ? bytes : Self.replacing(secret, at: places, in: bytes)
        }
    }

    private static func replacing(
        _ secret: (token: [UInt8], shown: [UInt8]), at places: [Int], in bytes: [UInt8]
    ) -> [UInt8] {
        var result: [UInt8] = []
        var start = 0
        for place in places {
            result += bytes[start..<place]
            result += secret.shown
            start = place + secret.token.count
        }
        return result + bytes[start...]
    }

    /// Where a credential begins, without overlaps; texts of a megabyte are looked through often, so bytes are compared.
    private static func places(of token: [UInt8], in bytes: UnsafeBufferPointer<UInt8>) -> [Int] {
        var places: [Int] = []
        var index = 0
        let last = bytes.count - token.count
        let first = token[0]
        while index <= last {
            if bytes[index] == first, token.indices.allSatisfy({ bytes[index + $0] == token[$0] }) {
                places.append(index)
                index += token.count
            } else {
                index += 1
            }
        }
        return places
    }
}
