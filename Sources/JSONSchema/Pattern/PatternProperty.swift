/// A Unicode property, as named in `\p{…}`.
package enum PatternProperty: Sendable {
    case category(Set<Unicode.GeneralCategory>)
    case binary(@Sendable (Unicode.Scalar) -> Bool)
    /// In ECMA-262, but not in the standard library.
    case unavailable(String)

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
        } else if let binary = Self.binaries.first(where: { $0.names.contains(name) }) {
            self = .binary(binary.test)
        } else {
            return nil
        }
    }

    func contains(_ value: UInt32) -> Bool {
        guard let scalar = Unicode.Scalar(value) else { return false }
        switch self {
        case .category(let categories): return categories.contains(scalar.properties.generalCategory)
        case .binary(let test): return test(scalar)
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

    /// The binary properties in the standard library.
    private static let binaries: [(names: [String], test: @Sendable (Unicode.Scalar) -> Bool)] = [
        (["Any"], { _ in true }), (["ASCII"], { $0.isASCII }),
        (["Assigned"], { $0.properties.generalCategory != .unassigned }),
        (["Alphabetic", "Alpha"], { $0.properties.isAlphabetic }),
        (["Lowercase", "Lower"], { $0.properties.isLowercase }),
        (["Uppercase", "Upper"], { $0.properties.isUppercase }),
        (["White_Space", "space"], { $0.properties.isWhitespace }),
        (["Emoji"], { $0.properties.isEmoji }),
        (["Emoji_Presentation", "EPres"], { $0.properties.isEmojiPresentation }),
        (["Emoji_Modifier", "EMod"], { $0.properties.isEmojiModifier }),
        (["Math"], { $0.properties.isMath }),
        (["ID_Start", "IDS"], { $0.properties.isIDStart }),
        (["ID_Continue", "IDC"], { $0.properties.isIDContinue }),
        (["XID_Start", "XIDS"], { $0.properties.isXIDStart }),
        (["XID_Continue", "XIDC"], { $0.properties.isXIDContinue }),
        (["Ideographic", "Ideo"], { $0.properties.isIdeographic }),
        (["Dash"], { $0.properties.isDash }),
        (["Diacritic", "Dia"], { $0.properties.isDiacritic }),
        (["Hex_Digit", "Hex"], { $0.properties.isHexDigit }),
        (["ASCII_Hex_Digit", "AHex"], { $0.properties.isASCIIHexDigit }),
        (["Noncharacter_Code_Point", "NChar"], { $0.properties.isNoncharacterCodePoint }),
        (["Join_Control", "Join_C"], { $0.properties.isJoinControl }),
        (["Variation_Selector", "VS"], { $0.properties.isVariationSelector }),
    ]
}
