import Foundation

/// A command of the suite.
enum DriverCommand: Sendable, Equatable {
    case hello(version: Int)
    case launch(Launch)
    case send(String)
    case background, foreground, networkDown, networkUp
    case receivePush(PushPayload), openPush(PushPayload)
    case selectSession(String?)
    case state, quit

    /// The commands that only the app can carry out, as they are spelled on the wire.
    static let names = [
        "launch", "send", "background", "foreground", "networkDown", "networkUp", "receivePush", "openPush",
        "selectSession", "state", "quit",
    ]

    /// Why a line is no command; `id` is that of the line, where it has one.
    struct Problem: Error, Equatable {
        var id: Int
        var reason: String
    }

    /// Reads one line.
    static func read(_ line: String, dataFolder: URL?) throws(Problem) -> (id: Int, command: DriverCommand) {
        guard let object = (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: Any] else {
            throw Problem(id: 0, reason: "the line is no JSON object")
        }
        guard let id = object["id"] as? Int else { throw Problem(id: 0, reason: "the command has no id") }
        let members = Members(id: id, object: object)
        switch try members.string("do") {
        case "hello": return (id, .hello(version: try members.integer("driver")))
        case "launch": return (id, .launch(try members.launch(dataFolder: dataFolder)))
        case "send": return (id, .send(try members.string("text")))
        case "background": return (id, .background)
        case "foreground": return (id, .foreground)
        case "networkDown": return (id, .networkDown)
        case "networkUp": return (id, .networkUp)
        case "receivePush": return (id, .receivePush(try members.payload("payload")))
        case "openPush": return (id, .openPush(try members.payload("payload")))
        case "selectSession": return (id, .selectSession(object["sessionId"] as? String))
        case "state": return (id, .state)
        case "quit": return (id, .quit)
        case let other: throw Problem(id: id, reason: "unknown command '\(other)'")
        }
    }
}

/// The members of a command.
private struct Members {
    let id: Int
    let object: [String: Any]

    func string(_ name: String) throws(DriverCommand.Problem) -> String {
        guard let value = object[name] as? String else { throw missing(name, "a string") }
        return value
    }

    func integer(_ name: String) throws(DriverCommand.Problem) -> Int {
        guard let value = object[name] as? Int else { throw missing(name, "an integer") }
        return value
    }

    func url(_ name: String) throws(DriverCommand.Problem) -> URL {
        guard let url = URL(string: try string(name)) else { throw missing(name, "an address") }
        return url
    }

    func payload(_ name: String) throws(DriverCommand.Problem) -> PushPayload {
        guard let value = object[name] as? [String: Any],
            let json = try? JSONSerialization.data(withJSONObject: value, options: [.sortedKeys])
        else { throw missing(name, "an object") }
        return PushPayload(json: json)
    }

    func launch(dataFolder: URL?) throws(DriverCommand.Problem) -> Launch {
        Launch(
            url: try url("url"), http: try url("http"), token: try string("token"),
            timeScale: max(1, object["timeScale"] as? Double ?? 1), fresh: object["fresh"] as? Bool ?? true,
            opened: object["opened"] == nil ? nil : try payload("opened"), dataFolder: dataFolder)
    }

    private func missing(_ name: String, _ kind: String) -> DriverCommand.Problem {
        DriverCommand.Problem(id: id, reason: "the command has no member '\(name)' that is \(kind)")
    }
}
