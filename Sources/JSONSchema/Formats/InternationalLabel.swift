/// The rules of IDNA 2008 for one label: allowed code points (RFC 5892), context rules, and directions (RFC 5893).
enum InternationalLabel {
    static func isValid(_ label: [Unicode.Scalar]) -> Bool {
        guard let first = label.first, first != "-", label.last != "-" else { return false }
        if label.count > 3, label[2] == "-", label[3] == "-" { return false }
        switch first.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: return false
        default: break
        }
        return label.indices.allSatisfy { isAllowed(label[$0]) && ContextRules.accept(label, at: $0) }
    }

    /// Whether the labels of one name are in order as to direction: once one is right-to-left, all must obey the Bidi rule.
    static func agree(_ labels: [[Unicode.Scalar]]) -> Bool {
        guard labels.contains(where: { $0.contains { Direction($0).isRightToLeft } }) else { return true }
        return labels.allSatisfy { Direction.isOrdered($0) }
    }

    /// PVALID, CONTEXTJ or CONTEXTO, derived as RFC 5892 says.
    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        if let exception = exceptions[scalar.value] { return exception }
        // A joiner folds to nothing, and yet is allowed where the context rules say so.
        if scalar.properties.isJoinControl { return true }
        if isUnstable(scalar) { return false }
        let properties = scalar.properties
        if properties.isDefaultIgnorableCodePoint || properties.isNoncharacterCodePoint { return false }
        switch scalar.value {
        case 0x1100...0x11FF, 0xA960...0xA97C, 0xD7B0...0xD7FB: return false
        case 0x2D, 0x30...0x39, 0x61...0x7A: return true
        default: break
        }
        switch properties.generalCategory {
        case .lowercaseLetter, .otherLetter, .modifierLetter, .nonspacingMark, .spacingMark, .decimalNumber: return true
        default: return false
        }
    }

    /// Capital letters and compatibility forms fold to something else and are not stable.
    private static func isUnstable(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.changesWhenCaseFolded || scalar.properties.changesWhenNFKCCaseFolded
    }

    /// RFC 5892, section 2.6: true is allowed, perhaps in context; false is never allowed.
    private static let exceptions: [UInt32: Bool] = {
        var table: [UInt32: Bool] = [:]
        let allowed: [UInt32] = [
            0xDF, 0x3C2, 0x6FD, 0x6FE, 0xF0B, 0x3007, 0xB7, 0x375, 0x5F3, 0x5F4, 0x30FB,
        ]
        for value in allowed + Array(0x660...0x669) + Array(0x6F0...0x6F9) { table[value] = true }
        for value in [0x640, 0x7FA, 0x302E, 0x302F, 0x3031, 0x3032, 0x3033, 0x3034, 0x3035, 0x303B] as [UInt32] {
            table[value] = false
        }
        return table
    }()
}

/// The context rules of RFC 5892, appendix A.
private enum ContextRules {
    static func accept(_ label: [Unicode.Scalar], at index: Int) -> Bool {
        let before = index > 0 ? label[index - 1] : nil
        let after = index + 1 < label.count ? label[index + 1] : nil
        switch label[index].value {
        case 0xB7: return before == "l" && after == "l"
        case 0x375: return after.map { Scripts.isGreek($0.value) } ?? false
        case 0x5F3, 0x5F4: return before.map { Scripts.isHebrew($0.value) } ?? false
        case 0x30FB: return label.contains { Scripts.isJapanese($0.value) }
        case 0x660...0x669: return !label.contains { (0x6F0...0x6F9).contains($0.value) }
        case 0x6F0...0x6F9: return !label.contains { (0x660...0x669).contains($0.value) }
        case 0x200D: return isVirama(before)
        case 0x200C: return isVirama(before) || joins(label, around: index)
        default: return true
        }
    }

    private static func isVirama(_ scalar: Unicode.Scalar?) -> Bool {
        scalar?.properties.canonicalCombiningClass == .virama
    }

    /// Letters that join on both sides of a non-joiner, with marks in between.
    private static func joins(_ label: [Unicode.Scalar], around index: Int) -> Bool {
        let before = label[..<index].last { !isTransparent($0) }
        let after = label[(index + 1)...].first { !isTransparent($0) }
        guard let before, let after else { return false }
        return Scripts.joinsForward(before.value) && Scripts.joinsBackward(after.value)
    }

    private static func isTransparent(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: true
        case .format: scalar.value != 0x200C && scalar.value != 0x200D
        default: false
        }
    }
}
