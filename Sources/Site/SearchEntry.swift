import HoldfastJSON

struct SearchEntry {
    let name: String
    var text: String
    let address: String
    /// Synonyms.
    var words: [String] = []

    /// The script of the search box with all its entries, so that searching needs no server.
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
