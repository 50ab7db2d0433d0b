import Basics
import Holdfast
import Reference
import ReferenceClient
import Report

/// A way for a reference peer to be wrong, or different and right, that can be asked for by name.
protocol NamedBehaviour: Hashable {
    var name: String { get }
    var summary: String { get }
}

/// One that is wrong.
protocol NamedDefect: NamedBehaviour {
    var clause: ClauseID { get }
}

extension Defect: NamedDefect {}
extension Variation: NamedBehaviour {}
extension Preset: NamedBehaviour {}
extension ClientDefect: NamedDefect {}
extension ClientVariation: NamedBehaviour {}

/// What the commands of both reference peers do with names.
enum NamedBehaviours {
    /// Those that a flag of a command names; every unknown name is told at once.
    static func chosen<Item: NamedBehaviour>(
        _ names: [String], among all: [Item], flag: String, of command: String
    ) throws -> Set<Item> {
        var problems: [InputProblem] = []
        var chosen: Set<Item> = []
        for wanted in names {
            if let item = all.first(where: { $0.name == wanted }) {
                chosen.insert(item)
                continue
            }
            problems.append(
                InputProblem(
                    place: flag, what: "unknown name '\(wanted)'",
                    expected: "a name of 'conformance \(command) --list-defects'",
                    fix: nearestName(to: wanted, among: all.map(\.name)).map { "did you mean '\($0)'?" } ?? "correct it"
                ))
        }
        guard problems.isEmpty else { throw Tool.refuse(problems) }
        return chosen
    }

    /// Prints all there are.
    static func show(
        _ defects: [some NamedDefect], _ variations: [some NamedBehaviour], _ presets: [Preset] = []
    ) {
        let style = Console.style
        Console.write("defects, each breaks the clause named\n")
        for defect in defects {
            Console.write("  \(defect.name)  \(defect.clause)\n\(style.wrapped(defect.summary, indent: 4))\n")
        }
        Console.write("\nvariations, all legal\n")
        for variation in variations {
            Console.write("  \(variation.name)\n\(style.wrapped(variation.summary, indent: 4))\n")
        }
        guard !presets.isEmpty else { return }
        Console.write("\npresets, each a system that exists: its dialect and its defects\n")
        for preset in presets {
            let parts = preset.defects.map(\.name) + preset.variations.map(\.name)
            Console.write("  \(preset.name)\n\(style.wrapped(preset.summary, indent: 4))\n")
            Console.write("\(style.wrapped(parts.joined(separator: " "), indent: 4))\n")
        }
    }
}
