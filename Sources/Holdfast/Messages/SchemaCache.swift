import Synchronization

/// Message schemas of one specification, compiled once for each set of profiles that is asked for.
final class SchemaCache: Sendable {
    private let files: SpecificationFiles
    /// Compiled with every server profile when the specification was read, which showed that the files are sound.
    private let strictest: MessageSchemas
    private let compiled: Mutex<[Set<Profile>: MessageSchemas]>

    init(_ files: SpecificationFiles) throws(InputProblems) {
        self.files = files
        strictest = try MessageSchemas(files, profiles: Profile.all(of: .server))
        compiled = Mutex([strictest.profiles: strictest])
    }

    /// Profiles add names to `required` and nothing else, so compiling under fewer of them cannot fail.
    subscript(profiles: Set<Profile>) -> MessageSchemas {
        if let known = compiled.withLock({ $0[profiles] }) { return known }
        let made = (try? MessageSchemas(files, profiles: profiles)) ?? strictest
        compiled.withLock { $0[profiles] = made }
        return made
    }
}
