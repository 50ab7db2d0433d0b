import Holdfast
import HoldfastPlatform

/// A start command: a program with its arguments, with placeholders for values that are known only at the start.
///
/// `{port}` is a free port, `{data}` a fresh folder, `{push}` and `{model}` the addresses of the suite's push service
/// and model endpoint. They are filled in everywhere: in arguments, folders, variables and addresses. The environment
/// has the same values as `HOLDFAST_PORT`, `HOLDFAST_DATA`, `HOLDFAST_PUSH_URL` and `HOLDFAST_MODEL_URL`.
package struct StartCommand: Sendable, Equatable {
    package var command: [String]
    package var url: String
    /// The base of its REST paths; nil if it follows from the WebSocket address.
    package var http: String?
    /// The folder in which it is started; nil for the current one.
    package var directory: String?
    /// The folder for its data, absent or empty before the run and left alone after it; nil for a temporary one.
    package var data: String?
    package var environment: [String: String] = [:]
    /// A piece of output that signals readiness; without it, the suite tries to connect.
    package var ready: String?
    var pushURL: String?
    package var modelURL: String?
    /// The principals whose credentials must not appear in problems.
    var owners: [SubjectPrincipal] = []

    /// The address of a subject that gets its port from the suite.
    package static let defaultURL = "ws://127.0.0.1:{port}/ws"
    /// Marks everything that belongs to one started process.
    static let instanceVariable = "HOLDFAST_INSTANCE"

    package init(
        _ command: [String], url: String = defaultURL, http: String? = nil, directory: String? = nil
    ) {
        (self.command, self.url, self.http, self.directory) = (command, url, http, directory)
    }

    /// The obstacles to a start: a missing folder, or foreign data.
    /// - Parameter location: The flag or member that named the data folder, such as `--data`.
    /// - Returns: All problems.
    package func problems(dataFrom location: String) -> [InputProblem] {
        var problems: [InputProblem] = []
        if let directory, !directory.contains("{"), !DataFolder.isFolder(directory) {
            problems.append(
                InputProblem(
                    location: "start", what: "'\(directory)' is not a folder",
                    expected: "the folder to start the server in",
                    fix: "correct 'directory'"))
        }
        if let data, let problem = DataFolder.problem(of: data, at: location) { problems.append(problem) }
        return problems
    }

    /// Whether it gets its port from the suite, so that several can run side by side.
    var takesPort: Bool { uses("{port}") || url.contains("{port}") }
    /// Whether the command never mentions its port, so that the server must read it from the environment.
    var ignoresPort: Bool { url.contains("{port}") && !uses("{port}") && !uses("HOLDFAST_PORT") }
    /// Whether it gets its folder from the suite, so that each instance has its own.
    var takesData: Bool { uses("{data}") }
    package var takesPush: Bool { uses("{push}") }
    package var takesModel: Bool { uses("{model}") }

    /// Whether instances share neither port nor folder.
    var runsSideBySide: Bool { takesPort && url.contains("{port}") && (data == nil || takesData) }

    private func uses(_ placeholder: String) -> Bool {
        (command + environment.values + [directory ?? ""]).contains { $0.contains(placeholder) }
    }

    /// The folder of one instance inside a named folder: a subfolder if the command asks for one.
    func folder(for instance: String) -> String? {
        data.map { takesData ? "\($0)/\(instance)" : $0 }
    }

    var redaction: Redaction {
        Redaction(owners.map { ($0.name, $0.token) }, devices: owners.map { ($0.name, $0.device) })
    }

    /// Its name in problems: the program with its arguments, without credentials and limited in length.
    var shown: String { Self.shown(command, without: redaction) }

    static func shown(_ command: [String], without redaction: Redaction = Redaction([])) -> String {
        let words = command.joined(separator: " ").split(whereSeparator: \.isNewline).joined(separator: " ")
        let text = redaction.applied(toWords: words)
        return text.count > 120 ? "\(text.prefix(120))…" : text
    }

    struct Values: Sendable {
        var port: Int
        var data: String
    }

    func filled(_ text: String, _ values: Values) -> String {
        let known = ["port": "\(values.port)", "data": values.data, "push": pushURL, "model": modelURL]
        var result = ""
        var rest = text[...]
        while let start = rest.firstIndex(of: "{") {
            result += rest[..<start]
            rest = rest[start...]
            guard let end = rest.firstIndex(of: "}"),
                case let value?? = known[String(rest[rest.index(after: start)..<end])]
            else {
                // Braces that are not a placeholder belong to the command.
                result.append("{")
                rest = rest.dropFirst()
                continue
            }
            result += value
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    func launch(_ values: Values) -> SubjectProcess.Launch {
        var variables = [
            "HOLDFAST_PORT": "\(values.port)", "HOLDFAST_DATA": values.data, "HOLDFAST_PUSH_URL": pushURL,
            "HOLDFAST_MODEL_URL": modelURL,
        ].compactMapValues { $0 }
        for (name, value) in environment { variables[name] = filled(value, values) }
        return SubjectProcess.Launch(
            command: command.map { filled($0, values) }, directory: directory.map { filled($0, values) },
            environment: variables, ready: ready)
    }
}

/// One person or account of a subject.
package struct SubjectPrincipal: Sendable, Equatable {
    package var name: String
    /// Its credential; nil if the server needs none.
    package var token: String?
    /// The source of a new credential when this one expires; nil for none.
    package var source: TokenSource?
    /// Its device at the push service, as the server was configured; never written to a transcript.
    package var device: String?
    /// The number of questions in the current window of its budget when it was lent; nil if unknown.
    var spent: Int?

    package init(name: String, token: String? = nil, device: String? = nil) {
        (self.name, self.token, self.device) = (name, token, device)
    }
}

enum FreePort {
    /// Below the ports that systems use for outgoing connections: one of these could take the port while the subject is
    /// down between a kill and its restart.
    private static let range = 15_000...29_999
    private static let used = Mutex<Set<Int>>([])

    /// A free port that this program has not used before.
    static func next() -> Int {
        for _ in 0..<1000 {
            let port = Int.random(in: range)
            if Network.isFree(port: UInt16(port)), used.withLock({ $0.insert(port).inserted }) { return port }
        }
        return Int.random(in: range)
    }
}
