import Foundation

/// Golden files: written once, compared ever after.
///
/// `HOLDFAST_RECORD=1 swift test --filter …` writes them anew. The run that records fails, so that nobody records by
/// accident and takes the green for a proof: look at the difference, then run again without the variable.
public enum Golden {
    /// Whether this run records.
    public static var isRecording: Bool { ProcessInfo.processInfo.environment["HOLDFAST_RECORD"] == "1" }

    /// Compares a text with a golden file, by its path below the root of the checkout.
    /// - Throws: ``GoldenProblem`` when they differ, when the file is missing, and always while recording.
    public static func check(_ text: String, against path: String) throws {
        let file = URL(fileURLWithPath: SourceTree.root + "/" + path)
        if isRecording {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file, options: .atomic)
            throw GoldenProblem(path: path, what: "recorded; run again without HOLDFAST_RECORD")
        }
        guard let golden = try? String(contentsOf: file, encoding: .utf8) else {
            throw GoldenProblem(path: path, what: "no such golden file; HOLDFAST_RECORD=1 writes it")
        }
        guard golden != text else { return }
        let (ours, theirs) = (lines(text), lines(golden))
        let line =
            zip(ours, theirs).enumerated().first { $0.element.0 != $0.element.1 }?.offset
            ?? min(ours.count, theirs.count)
        let wanted = line < theirs.count ? theirs[line] : "the end"
        let found = line < ours.count ? ours[line] : "the end"
        throw GoldenProblem(
            path: path,
            what: "line \(line + 1) differs\n  golden: \(wanted.prefix(400))\n  now:    \(found.prefix(400))"
                + "\n  HOLDFAST_RECORD=1 writes the file anew")
    }

    private static func lines(_ text: String) -> [Substring] {
        text.split(separator: "\n", omittingEmptySubsequences: false)
    }
}

/// Why a golden file and its text do not agree.
public struct GoldenProblem: Error, CustomStringConvertible {
    /// The file, below the root of the checkout.
    public let path: String
    /// What is wrong.
    public let what: String

    /// The file and what is wrong with it.
    public var description: String { "\(path): \(what)" }
}
