import Foundation
import Holdfast
import HoldfastSite
import TestSupport
import Testing

/// What every page of Markdown in the checkout has to keep.
@Suite struct DocumentTests {
    /// Every file of Markdown, below the root.
    private static let documents: [String] = {
        var found: [String] = []
        for folder in ["Spec", "Sources", "Tests", "Fixtures", "."] {
            let path = URL(fileURLWithPath: "\(SourceTree.root)/\(folder)").resolvingSymlinksInPath().path
            if folder == "." {
                let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
                found += names.filter { $0.hasSuffix(".md") }
            } else if let walker = FileManager.default.enumerator(atPath: path) {
                for case let name as String in walker where name.hasSuffix(".md") { found.append("\(folder)/\(name)") }
            }
        }
        return found.sorted()
    }()

    private func page(_ path: String) throws -> MarkdownPage {
        try MarkdownPage(SourceTree.text(path), file: path)
    }

    @Test func `there are documents`() {
        #expect(Self.documents.count > 35)
        #expect(Self.documents.contains("README.md"))
    }

    @Test func `every document keeps to the subset, and its links lead somewhere`() throws {
        var problems: [String] = []
        var pages: [String: MarkdownPage] = [:]
        for path in Self.documents {
            do {
                pages[path] = try page(path)
            } catch let refused as InputProblems {
                problems += refused.problems.map(\.description)
            }
        }
        var count = 0
        for (path, page) in pages {
            for (line, destination) in page.links where !destination.hasPrefix("https://") {
                count += 1
                let parts = destination.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
                let folder = (path as NSString).deletingLastPathComponent
                let target =
                    parts[0].isEmpty
                    ? path
                    : URL(fileURLWithPath: "/\(folder)/\(parts[0])").standardized.path.dropFirst()
                        .description
                guard FileManager.default.fileExists(atPath: "\(SourceTree.root)/\(target)") else {
                    problems.append("\(path):\(line): '\(destination)' leads to no file")
                    continue
                }
                if parts.count == 2, pages[target]?.anchors.contains(String(parts[1])) != true {
                    problems.append("\(path):\(line): '\(destination)' leads to no heading")
                }
            }
        }
        #expect(count > 100)
        #expect(problems.isEmpty, "\(problems.sorted().joined(separator: "\n"))")
    }

    @Test func `no document names a path of one machine`() throws {
        for path in Self.documents {
            let text = try SourceTree.text(path)
            for word in ["/home/", "/Users/", "/root/"] {
                #expect(!text.contains(word), "\(path) names \(word)")
            }
        }
    }
}
