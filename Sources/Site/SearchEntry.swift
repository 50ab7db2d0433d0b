import HoldfastJSON

/// Something the search box finds.
struct SearchEntry {
    let name: String
    var text: String
    let address: String
    /// What else people call it.
    var words: [String] = []

    /// The script of the search box, with everything it finds; a page that has it needs no server to search.
    static func script(_ entries: [SearchEntry]) -> String {
        let list = JSONValue.array(
            entries.map {
                .array([
                    .string($0.name), .string($0.text), .string($0.address), .string($0.words.joined(separator: " ")),
                ])
            })
        return "const entries = \(list.text(pretty: false));\n" + Resources.searchJS
    }
}
