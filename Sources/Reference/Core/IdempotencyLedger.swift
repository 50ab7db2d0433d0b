import Holdfast
import HoldfastJSON

/// The question behind each `clientMessageId`, on either transport.
///
/// The ledger is rebuilt from the question records, so it remembers every acknowledged key for as long as the session
/// exists. A key is reserved while its question is being stored: a repeat that arrives meanwhile waits for the
/// outcome.
struct IdempotencyLedger: Sendable {
    private struct Key: Hashable {
        let principal: String
        let key: ExactString
    }

    private var entries: [Key: StoredRecord.Post] = [:]

    func entry(_ key: String, of principal: String) -> StoredRecord.Post? {
        entries[Key(principal: principal, key: ExactString(key))]
    }

    mutating func record(_ post: StoredRecord.Post) { record(post, under: post.names.key, of: post.principal) }

    mutating func record(_ post: StoredRecord.Post, under key: String, of principal: String) {
        entries[Key(principal: principal, key: ExactString(key))] = post
    }

    /// Frees the key of a question that could not be stored.
    mutating func release(_ key: String, of principal: String) {
        entries[Key(principal: principal, key: ExactString(key))] = nil
    }
}

extension StoredRecord.Post {
    /// Whether a repeat asks the same question: it has the same content, and names no session or the turn's session.
    func matches(_ chat: ClientMessage.Chat) -> Bool {
        MessageContent.isSame(chat.content, as: content) && (chat.session == nil || chat.session == names.session)
    }
}
