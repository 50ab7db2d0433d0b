import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastTranscript

/// A text in quotes, cut at 120 characters with its length; "none" for nil.
func shown(_ text: String?) -> String { text.map { quoted($0) } ?? "none" }

/// Names in quotes, sorted, with commas between.
func listed(_ names: some Sequence<String>) -> String {
    let names = names.sorted()
    return names.isEmpty ? "none" : names.map { "'\($0)'" }.joined(separator: ", ")
}

/// A message and a place in it, such as `connected /protocol`; the message alone if the place is its root.
func located(_ name: String, _ place: JSONPointer) -> String { place.isRoot ? name : "\(name) \(place)" }

func called(_ frame: Frame) -> String {
    guard let type = frame.type else { return frame.isBinary ? "a binary message" : "a text without type" }
    return frame.kind == .error ? called(error: frame.code) : type
}

extension Finding {
    init(_ problem: MessageProblem, in value: JSONValue, of name: String, at events: [Int]) {
        self.init(
            "\(located(name, problem.instance)): \(problem.what)", expected: problem.expected,
            actual: shown(value[problem.instance]?.text()), at: events)
    }
}
