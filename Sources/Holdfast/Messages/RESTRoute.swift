/// The purpose of a REST request.
package enum RESTRoute: Sendable, Equatable {
    case health, list, chat
    /// One session, with whatever text the path has in place of its id.
    case read(String)

    /// The route of a path, which must not include a query; nil if the path has no route.
    package init?(_ path: String) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count > 2, parts[0].isEmpty, parts[1] == "api" else { return nil }
        switch (parts[2], parts.count) {
        case ("health", 3): self = .health
        case ("sessions", 3): self = .list
        case ("chat", 3): self = .chat
        case ("sessions", 4): self = .read(parts[3])
        default: return nil
        }
    }
}
