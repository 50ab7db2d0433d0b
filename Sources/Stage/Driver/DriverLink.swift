import Holdfast
import HoldfastJSON

/// One driver that obeys commands; one scenario uses it at a time.
package protocol DriverLink: Sendable {
    /// Sends a command and waits for its answer.
    ///
    /// One command at a time: the holder of the link waits for the answer before the next one.
    ///
    /// * `command`: Without its `id`, such as `{"do":"background"}`.
    /// * `limit`: Not scaled.
    /// - Throws: Why there is no answer; the link is of no use after that.
    func perform(_ command: JSONObject, within limit: Duration) async throws(DriverProblem) -> DriverReply

    var greeting: DriverGreeting { get }

    /// The processor time of the program; nil if unknown.
    var processorTime: Duration? { get }

    /// Ends it in any case.
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
    /// It did it; with what the app shows now, where it says so, and with the whole answer.
    case done(state: JSONValue?, answer: JSONValue)
    /// It cannot do that at all, and why.
    case unsupported(String)
    /// It tried and failed, and how.
    case failed(String)
}

/// Gives a driver to each scenario.
package protocol DriverSource: Sendable {
    /// How many scenarios may have a driver at a time; 1 for a device.
    var capacity: Int { get }

    /// A driver that has been greeted with `hello`, for one scenario.
    ///
    /// * `folder`: Where the app may store; it lives as long as the scenario.
    /// * `timeScale`: By how much the app is to divide its timers, from 1.
    func open(data folder: String, timeScale: Double) async throws(DriverProblem) -> any DriverLink
}

/// A driver's description of its app in the greeting.
package struct DriverGreeting: Sendable, Equatable {
    /// How reports call the app.
    package var name: String
    /// Which build of it.
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
