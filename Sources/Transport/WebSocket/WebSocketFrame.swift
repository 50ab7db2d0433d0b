/// One WebSocket frame, legal or not.
package struct WebSocketFrame: Sendable, Equatable {
    package struct Opcode: Sendable, Hashable {
        /// From 0 to 15; higher bits are dropped on the wire.
        package var rawValue: UInt8

        /// Accepts any value, so that reserved ones can be sent.
        package init(_ rawValue: UInt8) { self.rawValue = rawValue }

        package static let continuation = Opcode(0)
        package static let text = Opcode(1)
        package static let binary = Opcode(2)
        package static let close = Opcode(8)
        package static let ping = Opcode(9)
        package static let pong = Opcode(10)

        var isControl: Bool { rawValue & 8 != 0 }
    }

    package var opcode: Opcode
    package var isFinal: Bool
    /// RSV1 to RSV3 as a number from 0 to 7; without an extension, only 0 is legal.
    var reservedBits: UInt8
    package var payload: [UInt8]
    /// A false length for the header; nil for the true one.
    var claimedLength: Int?

    package init(
        _ opcode: Opcode,
        _ payload: [UInt8] = [],
        isFinal: Bool = true,
        reservedBits: UInt8 = 0,
        claimedLength: Int? = nil
    ) {
        self.opcode = opcode
        self.payload = payload
        self.isFinal = isFinal
        self.reservedBits = reservedBits
        self.claimedLength = claimedLength
    }

    /// The frame as bytes; clients must mask (RFC 6455 section 5.3), servers must not.
    package func bytes(mask: UInt32?) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(payload.count + 14)
        out.append((isFinal ? 0x80 : 0) | (reservedBits & 7) << 4 | (opcode.rawValue & 15))
        let maskBit: UInt8 = mask == nil ? 0 : 0x80
        let length = max(0, claimedLength ?? payload.count)
        switch length {
        case ..<126:
            out.append(maskBit | UInt8(length))
        case ..<65536:
            out.append(maskBit | 126)
            out.append(UInt8(length >> 8))
            out.append(UInt8(length & 255))
        default:
            out.append(maskBit | 127)
            for shift in stride(from: 56, through: 0, by: -8) { out.append(UInt8(truncatingIfNeeded: length >> shift)) }
        }
        guard let mask else { return out + payload }
        for shift in stride(from: 24, through: 0, by: -8) {
            out.append(UInt8(truncatingIfNeeded: mask >> UInt32(shift)))
        }
        let start = out.count
        out.append(contentsOf: payload)
        out.withUnsafeMutableBytes { bytes in
            Self.unmask(UnsafeMutableRawBufferPointer(rebasing: bytes[start...]), with: mask, from: 0)
        }
        return out
    }

    /// A close frame; the reason is cut so that the payload stays within 125 bytes.
    package static func close(code: UInt16?, reason: String = "") -> WebSocketFrame {
        guard let code else { return WebSocketFrame(.close) }
        var kept = ""
        var size = 2
        for character in reason {
            size += character.utf8.count
            if size > 125 { break }
            kept.append(character)
        }
        return WebSocketFrame(.close, [UInt8(code >> 8), UInt8(code & 255)] + Array(kept.utf8))
    }

    /// Masks or unmasks in place, which is the same operation; `offset` is the first byte's position in the payload.
    static func unmask(_ bytes: UnsafeMutableRawBufferPointer, with mask: UInt32, from offset: Int) {
        let bits = (offset & 3) * 8
        let rotated = mask << bits | mask >> (32 - bits)
        let word = UInt64(bigEndian: UInt64(rotated) << 32 | UInt64(rotated))
        let words = bytes.count / 8
        for index in 0..<words {
            let at = index * 8
            let value = bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)
            bytes.storeBytes(of: value ^ word, toByteOffset: at, as: UInt64.self)
        }
        for at in (words * 8)..<bytes.count {
            bytes[at] ^= UInt8(truncatingIfNeeded: rotated >> UInt32(24 - (at & 3) * 8))
        }
    }
}
