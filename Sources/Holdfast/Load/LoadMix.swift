import HoldfastBasics
import HoldfastJSON
import HoldfastJSONSchema

/// The behavior of devices under load; the format is `Spec/schemas/files/mix.json`.
package struct LoadMix: Sendable, Equatable {
    /// The name of a built-in mix, or of a file without its extension.
    package var name: String
    package var summary = ""
    /// The pause between a device's questions, in milliseconds.
    package var pause = 3000...9000
    /// The number of tools that a scripted agent uses per question, and the time for each, in milliseconds.
    package var tools = 0
    package var toolMs = 0
    /// The shares of questions with each behavior, in thousandths.
    package var rest = 0
    package var newSession = 0
    package var reads = 0
    package var repeats = 0
    package var leaves = 0
    /// The time for which a device is away, in milliseconds.
    package var away = 1000...4000
    /// The share of principals with a second device, in thousandths.
    package var secondDevices = 0

    package init(name: String) { self.name = name }

    package init(_ text: String, file: String, name: String) throws(InputProblems) {
        self = try MemberReader.read(Array(text.utf8), file: file, schema: .mix, expected: "a load mix") {
            Self($0, name: name)
        }
    }

    private init?(_ reader: MemberReader, name: String) {
        guard let pause = Self.range("pauseSeconds", reader) else { return nil }
        self.init(name: name)
        self.pause = pause
        away = Self.range("awaySeconds", reader) ?? away
        summary = reader.text("summary")
        (tools, toolMs) = (reader.integer("tools") ?? 0, reader.integer("toolMs") ?? 0)
        func share(_ key: String) -> Int { Int(((reader.value(key)?.doubleValue ?? 0) * 1000).rounded()) }
        (rest, newSession, reads) = (share("rest"), share("newSession"), share("reads"))
        (repeats, leaves, secondDevices) = (share("repeats"), share("leaves"), share("secondDevices"))
    }

    private static func range(_ key: String, _ reader: MemberReader) -> ClosedRange<Int>? {
        let ends = (reader.array(key) ?? []).compactMap { $0.value.doubleValue }.map { Int($0 * 1000) }
        guard ends.count == 2 else { return nil }
        guard ends[0] <= ends[1] else {
            return reader.wrong(key, reader.value(key) ?? .null, "the minimum first, then the maximum")
        }
        return ends[0]...ends[1]
    }
}

extension Specification {
    /// The names of the built-in mixes, the default first.
    package var mixNames: [String] {
        files.names(in: "mixes").sorted { ($0 == "phones" ? 0 : 1, $0) < ($1 == "phones" ? 0 : 1, $1) }
    }

    package func mix(named name: String) throws(InputProblems) -> LoadMix? {
        let file = "mixes/\(name).json"
        return try files.texts[file].map { text throws(InputProblems) in
            try LoadMix(text, file: "Spec/\(file)", name: name)
        }
    }
}

/// The delays that a phone user notices under load, measured from the time when the action was scheduled.
package enum LoadTime: String, Sendable, CaseIterable {
    case ack, firstTool, done, caughtUp

    package var words: String {
        switch self {
        case .ack: "time to ack"
        case .firstTool: "time to first tool"
        case .done: "time to done"
        case .caughtUp: "time to caught up"
        }
    }
}
