/// A text as a QR code, for a camera that is to take an address from a terminal.
///
/// Byte mode and error correction level M: a seventh of it may be unreadable. Sizes 1 to 9, which hold up to 180 bytes.
package struct QRCode: Sendable, Equatable {
    /// The modules without the light margin, row by row; true is dark.
    let modules: [[Bool]]
    /// The mask that was taken, from 0 to 7.
    package let mask: Int

    /// The code of a text in UTF-8; nil when it is longer than 180 bytes.
    /// - Parameters:
    ///   - text: What a camera reads.
    ///   - mask: The mask to take; the one that is easiest to read when nil.
    package init?(_ text: String, mask: Int? = nil) {
        let bytes = Array(text.utf8)
        guard let version = QRVersion.all.first(where: { $0.capacity >= bytes.count }) else { return nil }
        var plain = QRGrid(version)
        plain.index(QRBits.codewords(of: bytes, in: version))
        let candidates = (mask.map { [$0 & 7] } ?? Array(0...7)).map { mask in
            var grid = plain
            grid.apply(mask: mask)
            return (mask: mask, modules: grid.dark)
        }
        guard let best = candidates.min(by: { QRPenalty.points($0.modules) < QRPenalty.points($1.modules) }) else {
            return nil
        }
        modules = best.modules
        self.mask = best.mask
    }
}
