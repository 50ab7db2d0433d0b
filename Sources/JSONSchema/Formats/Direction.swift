/// The writing direction of a scalar, as far as the Bidi rule of RFC 5893 asks for it in labels.
enum Direction {
    case left, right, arabic, europeanDigit, arabicDigit, mark, neutral

    /// Only scalars that labels may hold are told apart; blocks of right-to-left scripts stand for their letters.
    init(_ scalar: Unicode.Scalar) {
        let value = scalar.value
        switch value {
        case 0x30...0x39, 0x6F0...0x6F9: self = .europeanDigit
        case 0x660...0x669, 0x10D30...0x10D39: self = .arabicDigit
        case 0x2D: self = .neutral
        default:
            switch scalar.properties.generalCategory {
            // Joiners and other format characters are as weightless as marks.
            case .nonspacingMark, .enclosingMark, .format: self = .mark
            default:
                switch value {
                case 0x590...0x5FF, 0x7C0...0x85F, 0xFB1D...0xFB4F, 0x10800...0x10CFF, 0x10D40...0x10EBF,
                    0x10F00...0x10F2F, 0x10F70...0x10FFF, 0x1E800...0x1EC6F, 0x1ECC0...0x1ECFF, 0x1ED50...0x1EDFF,
                    0x1EF00...0x1EFFF:
                    self = .right
                case 0x600...0x7BF, 0x860...0x8FF, 0xFB50...0xFDFF, 0xFE70...0xFEFF, 0x10D00...0x10D2F,
                    0x10EC0...0x10EFF, 0x10F30...0x10F6F, 0x1EC70...0x1ECBF, 0x1ED00...0x1ED4F, 0x1EE00...0x1EEFF:
                    self = .arabic
                default: self = .left
                }
            }
        }
    }

    var isRightToLeft: Bool {
        switch self {
        case .right, .arabic, .arabicDigit: true
        default: false
        }
    }

    /// RFC 5893, section 2.
    static func isOrdered(_ label: [Unicode.Scalar]) -> Bool {
        let directions = label.map { Direction($0) }
        let end = directions.last { $0 != .mark }
        switch directions.first {
        case .right, .arabic:
            let hasBothDigits = directions.contains(.europeanDigit) && directions.contains(.arabicDigit)
            return !directions.contains(.left) && !hasBothDigits && end != .neutral
        case .left:
            return !directions.contains { $0.isRightToLeft } && (end == .left || end == .europeanDigit)
        default: return false
        }
    }
}
