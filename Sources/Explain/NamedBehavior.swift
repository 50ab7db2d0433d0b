import Holdfast
import HoldfastReference
import HoldfastReport
import HoldfastSuite
import ReferenceClient

/// A named behavior of a reference peer: a defect, or a legal variation.
package protocol NamedBehavior: Hashable {
    var name: String { get }
    var summary: String { get }
    static var all: [Self] { get }
}

package protocol NamedDefect: NamedBehavior {
    var clause: ClauseID { get }
}

extension Defect: NamedDefect {}
extension Variation: NamedBehavior {}
extension Preset: NamedBehavior {}
extension ClientDefect: NamedDefect {}
extension ClientVariation: NamedBehavior {}

extension NamedBehavior where Self: CaseIterable & RawRepresentable<String>, AllCases == [Self] {
    package var name: String { rawValue }
    package static var all: [Self] { allCases }
}

extension NamedBehavior {
    /// The behaviors that a flag of a command names; the error lists every unknown name.
    package static func chosen(_ names: [String], flag: String, of command: String) throws -> Set<Self> {
        try InputProblem.unknown(
            names, given: flag, among: all.map(\.name),
            expected: "a name from 'conformance \(command) --list-defects'", otherwise: "correct it"
        ).throwAll()
        return Set(all.filter { names.contains($0.name) })
    }
}

extension ConsoleStyle {
    package func list(
        _ defects: [some NamedDefect], _ variations: [some NamedBehavior], _ presets: [Preset] = []
    ) -> String {
        func list(_ title: String, _ items: [(head: String, texts: [String])]) -> String {
            let entries = items.map { head, texts in
                "  \(head)\n" + texts.map { wrapped($0, indent: 4) + "\n" }.joined()
            }
            return title + "\n" + entries.joined()
        }
        let systems = presets.map { preset in
            let parts = preset.defects.map(\.name) + preset.variations.map(\.name)
            return (preset.name, [preset.summary, parts.joined(separator: " ")])
        }
        return list(
            "defects, each with the clause it breaks", defects.map { ("\($0.name)  \($0.clause)", [$0.summary]) })
            + list("\nvariations, all legal", variations.map { ($0.name, [$0.summary]) })
            + (presets.isEmpty ? "" : list("\npresets, each a real system: its dialect and its defects", systems))
    }
}
