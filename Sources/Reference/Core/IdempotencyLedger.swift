import Holdfast
import HoldfastJSON

/// The question behind each `clientMessageId`, on either transport.
///
/// The ledger is rebuilt from the question records, so it remembers every acknowledged key for as long as the session
/// exists. A key is reserved while its question is being stored: a repeat that arrives before that waits for the
/// outcome.
struct IdempotencyLedger: Sendable {
    struct Entry: Sendable, Equatable {
        let session: String
        let turn: String
        let message: String
        let content: JSONValue

        /// Whether a repeat asks the same question: it has the same content, and names no session or the turn's
        /// session.
        func matches(_ chat: ClientMessage.Chat) -> Bool {
            MessageContent.isSame(chat.content, as: content) && (chat.session == nil || chat.session == session)
        }
    }

    private struct Key: Hashable {
        let principal: String
        let key: ExactString
    }

    private var entries: [Key: Entry] = [:]

    func entry(_ key: String, of principal: String) -> Entry? {
        entries[Key(principal: principal, key: ExactString(key))]
    }

    mutating func record(_ entry: Entry, under key: String, of principal: String) {
        entries[Key(principal: principal, key: ExactString(key))] = entry
    }

    /// Frees the key of a question that could not be stored.
    mutating func release(_ key: String, of principal: String) {
        entries[Key(principal: principal, key: ExactString(key))] = nil
    }
}
