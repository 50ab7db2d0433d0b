import Holdfast
import HoldfastBasics

/// Finds broken links between pages.
struct LinkCheck {
    let links: LinkResolver
    let pages: [String: MarkdownPage]

    /// A problem for each link to a missing page or anchor.
    func problems() -> [InputProblem] {
        var problems: [InputProblem] = []
        let anchors = pages.mapValues { Set($0.anchors) }
        // The guides link to files of the repository, which have no page here; a test checks those links.
        for (file, page) in pages.sorted(by: { $0.key < $1.key }) where !file.hasPrefix("tool/") {
            for (line, destination) in page.links where !destination.hasPrefix("https://") {
                let parts = destination.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
                let target = parts[0].isEmpty ? file : LinkResolver.joined(String(parts[0]), to: file)
                let isAnchored = parts.count == 1 || anchors[target]?.contains(String(parts[1])) == true
                guard links.pages[target] == nil || !isAnchored else { continue }
                problems.append(
                    InputProblem(
                        "Spec/\(file):\(line):1", "the link '\(destination)' is broken", insteadOf: target,
                        among: Array(links.pages.keys), expected: "a file of Spec/ and a heading in it",
                        otherwise: "correct it"))
            }
        }
        return problems
    }
}
