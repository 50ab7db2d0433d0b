import ArgumentParser
import Foundation
import Holdfast
import Report

/// Flags that say how much of a run is performed, and how often.
struct PartOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Perform part I of N, from 1; '/N' takes the index from JOB_COMPLETION_INDEX.",
            discussion: "A part decides only what it saw; 'conformance report merge' makes the whole of all parts.",
            valueName: "i/n"))
    var shard: String?

    @Option(
        name: .customLong("repeat"),
        help: ArgumentHelp("Perform each scenario so often; every performance is judged and counts.", valueName: "n"))
    var repetitions = 1

    /// What is performed of a selection.
    func share<Item>(of selection: ScenarioSelection<Item>) throws -> ScenarioSelection<Item> {
        guard (1...100).contains(repetitions) else {
            throw Tool.refuse(
                "--repeat", "'\(repetitions)' is no number of performances", expected: "a number from 1 to 100",
                fix: "leave it out for one")
        }
        var selection = selection.repeated(repetitions)
        guard let shard else { return selection }
        do {
            selection.take(try Shard(shard, environment: ProcessInfo.processInfo.environment))
        } catch {
            throw Tool.refuse([error])
        }
        return selection
    }
}
