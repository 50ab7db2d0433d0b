import HoldfastPlatform

/// Message schemas of one specification, read once for each set of profiles that is asked for.
final class SchemaCache: Sendable {
    struct Key: Hashable {
        let profiles: Set<Profile>
        var closesSets = false
    }

    private let files: SpecificationFiles
    /// Read with every server profile when the specification was read, which showed that the files are sound.
    private let strictest: MessageSchemas
    private let compiled: Mutex<[Key: MessageSchemas]>

    init(_ files: SpecificationFiles) throws(InputProblems) {
        self.files = files
        strictest = try MessageSchemas(files, profiles: Profile.all(of: .server))
        compiled = Mutex([Key(profiles: strictest.profiles): strictest])
    }

    /// Profiles add names to `required`, and closed sets are those that are listed, so compiling for another key cannot fail.
    subscript(key: Key) -> MessageSchemas {
        if let known = compiled.withLock({ $0[key] }) { return known }
        let made =
            (try? MessageSchemas(files, profiles: key.profiles, closesSets: key.closesSets)) ?? strictest
        compiled.withLock { $0[key] = made }
        return made
    }
}
