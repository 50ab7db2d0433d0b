/// Who an app is and what it claims to do, as it answers the suite's greeting.
public struct AboutClient: Sendable, Equatable {
    /// The name by which reports call the app.
    public var name: String
    /// Which build of the app it is, for reports.
    public var version: String?
    /// What it declares: `client-core`, `client-sync`, `client-push`; nil leaves that to whoever runs the suite.
    public var profiles: [String]?
    /// The commands that throw ``Unsupported``, where that is known before: what needs them is not even begun.
    public var unsupported: [String]

    /// What an app says of itself; a name is enough.
    public init(name: String, version: String? = nil, profiles: [String]? = nil, unsupported: [String] = []) {
        (self.name, self.version, self.profiles, self.unsupported) = (name, version, profiles, unsupported)
    }
}
