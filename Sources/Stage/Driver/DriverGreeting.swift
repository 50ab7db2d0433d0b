import Holdfast
import HoldfastJSON

/// What a driver says about its app when it is greeted.
package struct DriverGreeting: Sendable, Equatable {
    /// How reports call the app.
    package var name: String
    /// Which build of it.
    package var version: String?
    /// What it declares; nil when it leaves that to whoever runs the suite.
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
