import Holdfast

/// Something that came from a client.
package struct WorldArrival: Equatable, Sendable {
    /// The kinds of waits it satisfies; one wait takes it.
    package var kinds: Set<AwaitedArrival.Kind>
    var session: String?
    var key: String?
    var text: String?
    package var connection: Int?

    init(
        _ kinds: Set<AwaitedArrival.Kind>, session: String? = nil, key: String? = nil, text: String? = nil,
        connection: Int? = nil
    ) {
        (self.kinds, self.session, self.key, self.text, self.connection) = (kinds, session, key, text, connection)
    }
}
