/// The start of the first page, and the list of the files that no chapter links to.
enum SiteOpening {
    static func html(linkingGuides isLinking: Bool) -> String {
        func job(_ title: String, _ page: String) -> String {
            isLinking ? "<a href=\"tool/\(page).html\">\(title)</a>" : title
        }
        return """
            <h1>Holdfast</h1>
            <p>Phones suspend sockets. The server computes an answer and it never arrives; a message is sent twice; a spinner never
            stops. One rule fixes this: <strong>the session on the server is the source of truth</strong>. Holdfast makes that rule
            testable: this specification, and the program <code>conformance</code>.</p>
            <div class="jobs">
            <section class="card"><h2>\(job("Test a server", "TestAServer"))</h2><p>You need only an address. With a start command, the suite also kills
            and restarts the server.</p><pre tabindex="0"><code>conformance server ws://127.0.0.1:8080/ws</code></pre></section>
            <section class="card"><h2>\(job("Test a client", "TestAClient"))</h2><p>The suite acts as the server, the operating system and the person.</p>
            <pre tabindex="0"><code>conformance client -- ./my-driver</code></pre></section>
            <section class="card"><h2>\(job("Gate a protocol change", "ChangeTheProtocol"))</h2><p>Compare two versions and see which peers break.</p>
            <pre tabindex="0"><code>conformance gate v1.0.0 .</code></pre></section>
            </div>
            <p>Something went wrong already? Start from a <a href="symptoms.html">symptom</a>: the answer came twice, the spinner
            never ends, a message is lost.</p>

            """
    }

    /// The pages of scenarios, fixtures and schemas, by kind.
    static func list(of entries: [SearchEntry]) -> String {
        let kinds = [
            ("Scenarios", "scenarios/"), ("Fixtures", "fixtures/"), ("Schemas of messages and bodies", "schemas/"),
            ("State tables", "states/"), ("Dialects", "dialects/"),
        ]
        let interfaces = [
            ("REST API (OpenAPI)", "openapi.html"), ("WebSocket API (AsyncAPI)", "asyncapi.html"),
            ("All messages in one schema, for code generators", "bundle/messages.json"),
            ("OpenAPI in one file, for code generators", "bundle/openapi.json"),
        ]
        let parts = kinds.map { title, folder in
            let pages = entries.filter { $0.address.hasPrefix(folder) && !$0.address.contains("#") }
            return (title, pages.map { ($0.name, $0.address) })
        }
        let lists = [("Interfaces", interfaces)] + parts
        return "<h1>Scenarios, fixtures and schemas</h1>\n"
            + lists.filter { !$0.1.isEmpty }.map { title, pages in
                let items = pages.sorted { $0.1 < $1.1 }.map { "<li>\(SiteMarkup.link($0, to: $1))</li>" }
                return "<h2>\(title)</h2><ul class=\"pages\">\n\(items.joined(separator: "\n"))\n</ul>"
            }.joined(separator: "\n")
    }
}
