import Holdfast

/// Something that came from a client.
package struct WorldArrival: Equatable, Sendable {
    /// The kinds of waits it satisfies; one wait takes it.
    package var kinds: Set<AwaitedArrival.Kind>
    /// The session it names.
    var session: String?
    /// The key of the question.
    var key: String?
    /// The words of the question.
    var text: String?
    /// The connection it came on.
    package var connection: Int?

    init(
        _ kinds: Set<AwaitedArrival.Kind>, session: String? = nil, key: String? = nil, text: String? = nil,
        connection: Int? = nil
    ) {
        (self.kinds, self.session, self.key, self.text, self.connection) = (kinds, session, key, text, connection)
    }
}
