/// The guides, as pages of the site below `tool/`.
struct ToolGuides {
    /// The pages with their titles, in the order of the navigation.
    let pages: [(page: String, title: String)]

    private let read: [String: MarkdownPage]

    /// Search words that the pages do not use.
    private static let synonyms = [
        "tool/Architecture.md": "internals design",
        "tool/ChangeTheProtocol.md": "gate breaking compatibility compatible diff semver waiver",
        "tool/Commands.md": "cli flags options usage exit status",
        "tool/ContinuousIntegration.md": "ci cd pipeline github gitlab jenkins action workflow docker kubernetes",
        "tool/Exploring.md": "fuzz fuzzing fuzzer random property shrink seed",
        "tool/FirstLook.md": "quickstart tutorial start install getting",
        "tool/ImplementAClient.md": "build ios android app",
        "tool/ImplementAServer.md": "build backend",
        "tool/JudgeACapture.md": "har pcap devtools recording log proxy mitm trace",
        "tool/MessageTypes.md": "codegen generator types pydantic openapi sdk",
        "tool/MockServer.md": "stub fake simulator sandbox faults",
        "tool/RecordACapture.md": "logging log format envelope wscat pino winston structlog logcat tshark charles",
        "tool/ReportsAndBaselines.md": "junit sarif tap badge flaky history allowlist known",
        "tool/ServersInDetail.md": "tls certificate gateway cookie header token docker",
        "tool/TestAClient.md": "app mobile ios android",
        "tool/TestAServer.md": "backend",
        "tool/UnderLoad.md": "performance stress benchmark latency percentile throughput k6 artillery",
        "tool/UnderTestInAnHour.md": "driver ios android swift kotlin typescript python",
    ]

    /// Collects the pages, in the order of `Documentation.md`, which lists them.
    init(_ pages: [String: String], read: [String: MarkdownPage]) {
        let names = pages.keys.filter { $0.hasSuffix(".md") }
        let listed = read[Self.file("Documentation.md")]?.links.map(\.destination) ?? []
        let ordered = listed.filter(names.contains) + names.filter { !listed.contains($0) }.sorted()
        self.pages = ordered.filter { $0 != "Documentation.md" }.map {
            ("tool/\($0.dropLast(".md".count)).html", read[Self.file($0)]?.title ?? $0)
        }
        self.read = read.filter { $0.key.hasPrefix("tool/") }
    }

    /// The path of a page among the files of the specification.
    static func file(_ name: String) -> String { "tool/\(name)" }

    /// A page with its links to the specification redirected to pages of the site.
    static func text(_ page: String) -> String { page.replacing("](../../../Spec/", with: "](../") }

    /// The search entries of a page: one for each section.
    func entries(of file: String, at page: String) -> [SearchEntry] {
        guard let text = read[file] else { return [] }
        var entries: [SearchEntry] = []
        var used: [String: Int] = [:]
        for (_, block) in text.blocks {
            if case .heading(_, let words) = block {
                let anchor = MarkdownPage.anchor(of: words.plain, &used)
                let name = entries.isEmpty ? words.plain : "\(text.title): \(words.plain)"
                let others = entries.isEmpty ? Self.synonyms[file] ?? "" : ""
                entries.append(
                    SearchEntry(
                        name: name, text: "", address: "\(page)#\(anchor)",
                        words: others.split(separator: " ").map(String.init)))
            } else if let last = entries.indices.last {
                entries[last].text += (entries[last].text.isEmpty ? "" : " ") + block.plain
            }
        }
        return entries
    }
}

extension MarkdownBlock {
    fileprivate var plain: String {
        switch self {
        case .heading(_, let words), .paragraph(let words), .quote(let words): words.plain
        case .code(_, let text): text
        case .list(_, let items): items.map(\.plain).joined(separator: " ")
        case .table(let header, let rows): ([header] + rows).joined().map(\.plain).joined(separator: " ")
        }
    }
}
