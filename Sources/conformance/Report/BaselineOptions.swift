import ArgumentParser
import Foundation
import Holdfast
import Report

/// Flags about violations that are expected.
struct BaselineOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Violations that are expected, each with its reason and its last day.",
            discussion: """
                They are performed all the same and have to fail: an entry that holds, is over, or names nothing ends the run \
                with 3.
                """, valueName: "file"), completion: .file(extensions: ["json"]))
    var baseline: String?

    @Option(
        help: ArgumentHelp(
            "Write a baseline of what is violated, for a person to give the reasons; with --baseline what holds of it is kept.",
            valueName: "file"), completion: .file(extensions: ["json"]))
    var writeBaseline: String?

    /// What is expected; nil when nothing was said.
    func expected() throws -> Baseline? {
        if let writeBaseline { try refuseOverwriting(writeBaseline) }
        guard let baseline else { return nil }
        do {
            return try Baseline(
                Files.bytes(of: baseline), file: baseline == "-" ? "standard input" : baseline, today: Self.today)
        } catch let error as InputProblems {
            throw Tool.refuse(error.problems)
        }
    }

    /// Reasons that people wrote are not lost to a flag.
    private func refuseOverwriting(_ path: String) throws {
        let place = { (path: String) in URL(fileURLWithPath: path).standardizedFileURL.path }
        guard FileManager.default.fileExists(atPath: path), baseline.map(place) != place(path) else { return }
        throw Tool.refuse(
            "--write-baseline", "'\(path)' exists, and its reasons would be lost", expected: "a new file",
            fix: "add --baseline \(ShellWords.quoted(path)) to keep what still holds, or name another file")
    }

    /// Today, in UTC, so that a day ends everywhere at the same moment.
    static var today: CivilDate {
        get throws {
            guard let today = CivilDate(Date.now.formatted(.iso8601)) else {
                throw Tool.end(.harness, saying: "the clock of this machine tells no date")
            }
            return today
        }
    }
}
