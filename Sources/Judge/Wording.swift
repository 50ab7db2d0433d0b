import HoldfastBasics
import HoldfastJSON
import HoldfastTranscript

/// A text in quotes, cut at 120 characters with its length; what is absent is called so.
func shown(_ text: String?) -> String { text.map { quoted($0) } ?? "none" }

/// Names in quotes, sorted, with commas between.
func listed(_ names: some Sequence<String>) -> String {
    let names = names.sorted()
    return names.isEmpty ? "none" : names.map { "'\($0)'" }.joined(separator: ", ")
}

/// A message and the place in it, such as `connected /protocol`; the message alone where all of it is meant.
func located(_ name: String, _ place: JSONPointer) -> String { place.isRoot ? name : "\(name) \(place)" }

/// What a frame is called in a finding: its type, and the code of an error.
func called(_ frame: Frame) -> String {
    guard let type = frame.type else { return frame.isBinary ? "a binary message" : "a text without type" }
    guard type == "error" else { return type }
    return "error \(frame.code ?? "without code")"
}
