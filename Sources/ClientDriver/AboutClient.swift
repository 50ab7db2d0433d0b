/// Who an app is and what it claims to do, as it answers the suite's greeting.
public struct AboutClient: Sendable, Equatable {
    /// How reports call it.
    public var name: String
    /// Which build of it.
    public var version: String?
    /// What it declares: `client-core`, `client-sync`, `client-push`; nil leaves that to whoever runs the suite.
    public var profiles: [String]?
    /// The commands that throw ``Unsupported``, where that is known before: what needs them is not even begun.
    public var unsupported: [String]

    /// A name is enough.
    public init(name: String, version: String? = nil, profiles: [String]? = nil, unsupported: [String] = []) {
        self.name = name
        self.version = version
        self.profiles = profiles
        self.unsupported = unsupported
    }
}
