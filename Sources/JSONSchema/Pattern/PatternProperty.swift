/// A Unicode property, as named in `\p{…}`.
package enum PatternProperty: Sendable {
    case category(Set<Unicode.GeneralCategory>)
    case binary(Binary)
    /// In ECMA-262, but not in the standard library.
    case unavailable(String)

    /// The binary properties in the standard library.
    package enum Binary: String, Sendable {
        case any = "Any"
        case assigned = "Assigned"
        case ascii = "ASCII"
        case alphabetic = "Alphabetic"
        case lowercase = "Lowercase"
        case uppercase = "Uppercase"
        case whiteSpace = "White_Space"
        case emoji = "Emoji"
        case emojiPresentation = "Emoji_Presentation"
        case emojiModifier = "Emoji_Modifier"
        case math = "Math"
        case idStart = "ID_Start"
        case idContinue = "ID_Continue"
        case xidStart = "XID_Start"
        case xidContinue = "XID_Continue"
        case ideographic = "Ideographic"
        case dash = "Dash"
        case diacritic = "Diacritic"
        case hexDigit = "Hex_Digit"
        case asciiHexDigit = "ASCII_Hex_Digit"
        case noncharacter = "Noncharacter_Code_Point"
        case joinControl = "Join_Control"
        case variationSelector = "Variation_Selector"
    }

    private static let shortNames: [String: Binary] = [
        "Alpha": .alphabetic, "Lower": .lowercase, "Upper": .uppercase, "space": .whiteSpace, "IDS": .idStart,
        "IDC": .idContinue, "XIDS": .xidStart, "XIDC": .xidContinue, "Ideo": .ideographic, "Dia": .diacritic,
        "Hex": .hexDigit, "AHex": .asciiHexDigit, "NChar": .noncharacter, "Join_C": .joinControl,
        "VS": .variationSelector, "EPres": .emojiPresentation, "EMod": .emojiModifier,
    ]

    /// The property with a name and an optional value; nil if ECMA-262 has none.
    init?(name: String, value: String?) {
        if let value {
            switch name {
            case "General_Category", "gc":
                guard let categories = Self.categories[value] else { return nil }
                self = .category(categories)
            case "Script", "sc", "Script_Extensions", "scx": self = .unavailable("\(name)=\(value)")
            default: return nil
            }
        } else if let categories = Self.categories[name] {
            self = .category(categories)
        } else if let binary = Binary(rawValue: name) ?? Self.shortNames[name] {
            self = .binary(binary)
        } else {
            return nil
        }
    }

    func contains(_ value: UInt32) -> Bool {
        guard let scalar = Unicode.Scalar(value) else { return false }
        switch self {
        case .category(let categories): return categories.contains(scalar.properties.generalCategory)
        case .binary(let binary): return binary.contains(scalar)
        case .unavailable: return false
        }
    }

    private static let categories: [String: Set<Unicode.GeneralCategory>] = {
        var table: [String: Set<Unicode.GeneralCategory>] = [:]
        for (names, category) in singles {
            for name in names { table[name] = [category] }
            // The first letter of the short name is the group.
            table[String(names[0].prefix(1)), default: []].insert(category)
        }
        for (group, names) in groups {
            for name in names { table[name] = table[group] }
        }
        let cased: Set<Unicode.GeneralCategory> = [.uppercaseLetter, .lowercaseLetter, .titlecaseLetter]
        table["LC"] = cased
        table["Cased_Letter"] = cased
        return table
    }()

    private static let groups = [
        "L": ["Letter"], "M": ["Mark", "Combining_Mark"], "N": ["Number"], "P": ["Punctuation", "punct"],
        "S": ["Symbol"], "Z": ["Separator"], "C": ["Other"],
    ]

    private static let singles: [([String], Unicode.GeneralCategory)] = [
        (["Lu", "Uppercase_Letter"], .uppercaseLetter), (["Ll", "Lowercase_Letter"], .lowercaseLetter),
        (["Lt", "Titlecase_Letter"], .titlecaseLetter), (["Lm", "Modifier_Letter"], .modifierLetter),
        (["Lo", "Other_Letter"], .otherLetter), (["Mn", "Nonspacing_Mark"], .nonspacingMark),
        (["Mc", "Spacing_Mark"], .spacingMark), (["Me", "Enclosing_Mark"], .enclosingMark),
        (["Nd", "Decimal_Number", "digit"], .decimalNumber), (["Nl", "Letter_Number"], .letterNumber),
        (["No", "Other_Number"], .otherNumber), (["Pc", "Connector_Punctuation"], .connectorPunctuation),
        (["Pd", "Dash_Punctuation"], .dashPunctuation), (["Ps", "Open_Punctuation"], .openPunctuation),
        (["Pe", "Close_Punctuation"], .closePunctuation), (["Pi", "Initial_Punctuation"], .initialPunctuation),
        (["Pf", "Final_Punctuation"], .finalPunctuation), (["Po", "Other_Punctuation"], .otherPunctuation),
        (["Sm", "Math_Symbol"], .mathSymbol), (["Sc", "Currency_Symbol"], .currencySymbol),
        (["Sk", "Modifier_Symbol"], .modifierSymbol), (["So", "Other_Symbol"], .otherSymbol),
        (["Zs", "Space_Separator"], .spaceSeparator), (["Zl", "Line_Separator"], .lineSeparator),
        (["Zp", "Paragraph_Separator"], .paragraphSeparator), (["Cc", "Control", "cntrl"], .control),
        (["Cf", "Format"], .format), (["Cs", "Surrogate"], .surrogate), (["Co", "Private_Use"], .privateUse),
        (["Cn", "Unassigned"], .unassigned),
    ]
}

extension PatternProperty.Binary {
    func contains(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        switch self {
        case .any: return true
        case .assigned: return properties.generalCategory != .unassigned
        case .ascii: return scalar.isASCII
        case .alphabetic: return properties.isAlphabetic
        case .lowercase: return properties.isLowercase
        case .uppercase: return properties.isUppercase
        case .whiteSpace: return properties.isWhitespace
        case .emoji: return properties.isEmoji
        case .emojiPresentation: return properties.isEmojiPresentation
        case .emojiModifier: return properties.isEmojiModifier
        case .math: return properties.isMath
        case .idStart: return properties.isIDStart
        case .idContinue: return properties.isIDContinue
        case .xidStart: return properties.isXIDStart
        case .xidContinue: return properties.isXIDContinue
        case .ideographic: return properties.isIdeographic
        case .dash: return properties.isDash
        case .diacritic: return properties.isDiacritic
        case .hexDigit: return properties.isHexDigit
        case .asciiHexDigit: return properties.isASCIIHexDigit
        case .noncharacter: return properties.isNoncharacterCodePoint
        case .joinControl: return properties.isJoinControl
        case .variationSelector: return properties.isVariationSelector
        }
    }
}
