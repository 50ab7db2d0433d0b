/// General categories of Unicode, as named in `\p{…}`; other properties are refused.
package struct PatternProperty: Sendable {
    private let categories: Set<Unicode.GeneralCategory>

    /// The categories with a name, which `gc=` may precede; nil if there are none.
    init?(_ name: String) {
        let name = name.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let last = name.last, name.count == 1 || ["General_Category", "gc"].contains(name[0]),
            let categories = Self.categories[last]
        else { return nil }
        self.categories = categories
    }

    func contains(_ value: UInt32) -> Bool {
        Unicode.Scalar(value).map { categories.contains($0.properties.generalCategory) } ?? false
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
