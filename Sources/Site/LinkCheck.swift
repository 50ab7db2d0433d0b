import Holdfast
import HoldfastBasics

extension LinkResolver {
    /// A problem for each link to a missing page or anchor.
    func problems(in files: [String: MarkdownPage]) -> [InputProblem] {
        var problems: [InputProblem] = []
        let anchors = files.mapValues { Set($0.anchors) }
        // The guides link to files of the repository, which have no page here; a test checks those links.
        for (file, page) in files.sorted(by: { $0.key < $1.key }) where !file.hasPrefix("tool/") {
            for (line, destination) in page.links where !destination.hasPrefix("https://") {
                let parts = destination.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
                let target = parts[0].isEmpty ? file : Self.joined(String(parts[0]), to: file)
                let hasAnchor = parts.count == 1 || anchors[target]?.contains(String(parts[1])) == true
                guard pages[target] == nil || !hasAnchor else { continue }
                problems.append(
                    InputProblem(
                        "Spec/\(file):\(line):1", "the link '\(destination)' is broken", insteadOf: target,
                        among: Array(pages.keys), expected: "a file of Spec/ and a heading in it",
                        otherwise: "correct it"))
            }
        }
        return problems
    }
}
