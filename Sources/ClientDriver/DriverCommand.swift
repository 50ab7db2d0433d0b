import HoldfastMessages
import HoldfastSmallFoundation

struct DriverCommand {
    let id: Int
    let name: String
    private let members: [String: MessageValue]

    static let names = [
        "launch", "send", "sendAgain", "background", "foreground", "networkDown", "networkUp", "receivePush",
        "openPush", "selectSession", "state", "quit", "crash",
    ]

    /// The reason why a line is not a command, with the line's id; 0 if it has none.
    struct Problem: Error, Equatable {
        var id: Int
        var reason: String
    }

    init(_ line: String) throws(Problem) {
        guard let members = try? JSONDecoder().decode([String: MessageValue].self, from: Data(line.utf8)) else {
            throw Problem(id: 0, reason: "the line is not a JSON object")
        }
        guard let id = members["id"]?.plain as? Int else { throw Problem(id: 0, reason: "the command has no id") }
        guard let name = members["do"]?.plain as? String else { throw Self.missing("do", "a string", in: id) }
        (self.id, self.name, self.members) = (id, name, members)
    }

    func member<Value>(_ name: String, _ kind: String) throws(Problem) -> Value {
        guard let value = members[name]?.plain as? Value else { throw Self.missing(name, kind, in: id) }
        return value
    }

    func text(_ name: String) throws(Problem) -> String { try member(name, "a string") }

    var session: String? { members["sessionId"]?.plain as? String }

    func payload(_ name: String = "payload") throws(Problem) -> PushPayload {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let value = members[name], case .object = value, let json = try? encoder.encode(value) else {
            throw Self.missing(name, "an object", in: id)
        }
        return PushPayload(json: json)
    }

    func launch(dataFolder: URL?) throws(Problem) -> Launch {
        Launch(
            url: try url("url"), http: try url("http"), token: try text("token"),
            timeScale: max(1, members["timeScale"]?.number ?? 1), fresh: members["fresh"]?.plain as? Bool ?? true,
            opened: members["opened"] == nil ? nil : try payload("opened"), dataFolder: dataFolder)
    }

    private func url(_ name: String) throws(Problem) -> URL {
        guard let url = URL(string: try text(name)) else { throw Self.missing(name, "an address", in: id) }
        return url
    }

    private static func missing(_ name: String, _ kind: String, in id: Int) -> Problem {
        Problem(id: id, reason: "the command has no member '\(name)' that is \(kind)")
    }
}
