import Holdfast
import HoldfastJSON

/// A driver that carries out commands; one scenario uses it at a time.
package protocol DriverLink: Sendable {
    /// Sends a command and waits for its answer.
    ///
    /// One command at a time: the holder of the link waits for the answer before the next one.
    ///
    /// * `command`: The command without its `id`, such as `{"do":"background"}`.
    /// * `limit`: The timeout, which is not scaled.
    /// - Throws: The reason why there is no answer; the link cannot be used after that.
    func perform(_ command: JSONObject, within limit: Duration) async throws(DriverProblem) -> DriverReply

    var greeting: DriverGreeting { get }

    var processorTime: Duration? { get }

    func end() async
}

extension DriverLink {
    package var processorTime: Duration? { nil }
}

extension ClientAct {
    /// Whether a command ends the app, after which its program may end too.
    static func endsApp(_ command: JSONObject) -> Bool {
        [quit.verb, crash.verb].contains(command["do"]?.stringValue)
    }
}

package enum DriverReply: Sendable, Equatable {
    /// It carried out the command; with the state of the app, if given, and with the whole answer.
    case done(state: JSONValue?, answer: JSONValue)
    case unsupported(String)
    case failed(String)
}

package protocol DriverSource: Sendable {
    /// The number of scenarios that may have a driver at a time; 1 for a device.
    var capacity: Int { get }

    /// A driver that has been greeted with `hello`, for one scenario.
    ///
    /// * `folder`: The app's data folder; it lives as long as the scenario.
    /// * `timeScale`: The factor by which the app must divide its timers, from 1.
    func open(data folder: String, timeScale: Double) async throws(DriverProblem) -> any DriverLink
}

package struct DriverGreeting: Sendable, Equatable {
    package var name: String
    package var version: String?
    /// Its profiles; nil if the user of the suite declares them.
    package var profiles: Set<Profile>?
    /// Commands that it will answer with `unsupported`.
    package var unsupported: Set<String> = []
}

extension DriverGreeting {
    /// Reads an answer that its schema has accepted; nil without a name.
    init?(_ answer: JSONValue) {
        guard let name = answer["name"]?.stringValue else { return nil }
        let names = { (member: String) in answer[member]?.arrayValue?.compactMap(\.stringValue) }
        self.init(
            name: name, version: answer["version"]?.stringValue,
            profiles: names("profiles").map { Set($0.compactMap(Profile.init(rawValue:))) },
            unsupported: Set(names("unsupported") ?? []))
    }
}
