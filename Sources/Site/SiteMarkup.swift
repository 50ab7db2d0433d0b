import HoldfastBasics

/// Parts of pages that several kinds of pages have.
enum SiteMarkup {
    /// A text as it is written.
    static func code(_ text: some StringProtocol) -> String {
        "<pre tabindex=\"0\"><code>\(escapedForMarkup(text))</code></pre>"
    }

    static func link(_ words: some StringProtocol, to address: String) -> String {
        "<a href=\"\(escapedForMarkup(address))\">\(escapedForMarkup(words))</a>"
    }

    static func list(_ items: [String]) -> String {
        "<ul>\(items.map { "<li>\($0)</li>" }.joined(separator: "\n"))</ul>"
    }

    static func table(_ head: [String], _ rows: [[String]]) -> String {
        let body = rows.map { "<tr>" + $0.map { "<td>\($0)</td>" }.joined() + "</tr>" }
        return """
            <div class="table" tabindex="0"><table>
            <thead><tr>\(head.map { "<th scope=\"col\">\($0)</th>" }.joined())</tr></thead>
            <tbody>
            \(body.joined(separator: "\n"))
            </tbody>
            </table></div>
            """
    }

    /// One page for each group of items, with a card for each item.
    static func pages<Item>(
        _ items: [Item], by page: (Item) -> String, links: LinkResolver, title: (Item) -> String,
        _ card: (Item, PageRenderer) -> (anchor: String, name: String, parts: [String])
    ) -> [(page: String, title: String, content: String)] {
        Dictionary(grouping: items, by: page).sorted { $0.key < $1.key }.map { page, items in
            let renderer = PageRenderer(links: links, page: page)
            let title = title(items[0])
            let cards = items.map { card($0, renderer) }.map { anchor, name, parts in
                """
                <section id="\(escapedForMarkup(anchor))" class="card">
                <h2><a class="here" href="#\(escapedForMarkup(anchor))">\(escapedForMarkup(name))</a></h2>
                \(parts.joined(separator: "\n"))
                </section>
                """
            }
            return (page, title, "<h1>\(escapedForMarkup(title))</h1>\n" + cards.joined(separator: "\n"))
        }
    }
}
