/// Something in a capture that people look for when a user complains; it is reported and never judged.
///
/// A clause may allow it. It is not an accusation and changes no verdict.
public struct Symptom: Sendable, Equatable {
    /// The kind.
    public let kind: Kind
    /// The observation in one sentence.
    public let what: String
    /// The events that show it, in order; the last is the one to look at.
    public let events: [Int]
    /// Its duration, in microseconds; 0 if it has none.
    public let lasted: Int

    /// The usual complaints.
    public enum Kind: String, Sendable, CaseIterable {
        /// A question without an answer.
        case unanswered
        /// The same text twice: asked under two ids, answered twice, or stored twice.
        case repeated
        /// Numbers of the stream that a device was never shown.
        case gap
        /// A read that found no conversation, or an empty one.
        case emptyRead
        /// A connection that ended before the answer to its question.
        case brokenOff
        /// A frame of one person's turn on another's connection.
        case crossed
        /// Connections that all ended after the same silence.
        case idleCut
        /// Connections that the server refused for good.
        case turnedAway
        /// A wait for the server while a question or a ping was open.
        case silence

        /// The topic of `conformance explain` that leads from the symptom to the clauses.
        public var topic: String { words.topic }

        /// The heading for all symptoms of this kind.
        public var title: String { words.title }

        private var words: (topic: String, title: String) {
            switch self {
            case .unanswered: ("spinner", "Unanswered questions")
            case .repeated: ("duplicate", "Repeated texts")
            case .gap: ("gap", "Gaps in `seq`")
            case .emptyRead: ("lost", "Reads that found nothing")
            case .brokenOff: ("reconnect", "Connections that ended before an answer")
            case .crossed: ("someone else", "Frames of another person")
            case .idleCut: ("load balancer", "Connections cut in silence")
            case .turnedAway: ("expired token", "Connections turned away")
            case .silence: ("silence", "Longest silences")
            }
        }
    }

    init(_ kind: Kind, _ what: String, at events: [Int], lasted: Int = 0) {
        (self.kind, self.what, self.events, self.lasted) = (kind, what, events, lasted)
    }
}
