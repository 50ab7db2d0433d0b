import HoldfastPlatform

/// The message schemas of a specification, loaded once for each set of profiles.
final class SchemaCache: Sendable {
    struct Key: Hashable {
        let profiles: Set<Profile>
        var closesSets = false
    }

    private let files: SpecificationFiles
    /// Loaded with the specification for all server profiles, which proves that the files are valid.
    private let strictest: MessageSchemas
    private let compiled: Mutex<[Key: MessageSchemas]>

    init(_ files: SpecificationFiles) throws(InputProblems) {
        self.files = files
        strictest = try MessageSchemas(files, profiles: Profile.all(of: .server))
        compiled = Mutex([Key(profiles: strictest.profiles): strictest])
    }

    /// Profiles only extend `required` and closed sets use listed values, so compiling for another key cannot fail.
    subscript(key: Key) -> MessageSchemas {
        if let known = compiled.withLock({ $0[key] }) { return known }
        let schemas =
            (try? MessageSchemas(files, profiles: key.profiles, closesSets: key.closesSets)) ?? strictest
        compiled.withLock { $0[key] = schemas }
        return schemas
    }
}
