import Holdfast
import HoldfastJSON

/// Which question each `clientMessageId` stands for, whichever transport brought it first.
///
/// The ledger is rebuilt from the question records, so it forgets nothing that was acknowledged, for as long as the session
/// exists. A key is reserved while its question is being stored: a repeat that overtakes the disk waits for the outcome.
struct IdempotencyLedger: Sendable {
    /// The question behind a key.
    struct Entry: Sendable, Equatable {
        let session: String
        let turn: String
        let message: String
        let content: JSONValue

        /// Whether a question is the same: it says the same, and names no session or the one the turn ran in.
        func matches(_ chat: ClientMessage.Chat) -> Bool {
            MessageContent.isSame(chat.content, as: content) && (chat.session == nil || chat.session == session)
        }
    }

    private struct Key: Hashable {
        let principal: String
        let key: ExactString
    }

    private var entries: [Key: Entry] = [:]

    /// The question a principal asked under a key.
    func entry(_ key: String, of principal: String) -> Entry? {
        entries[Key(principal: principal, key: ExactString(key))]
    }

    mutating func record(_ entry: Entry, under key: String, of principal: String) {
        entries[Key(principal: principal, key: ExactString(key))] = entry
    }

    /// Frees a key whose question was refused after all.
    mutating func release(_ key: String, of principal: String) {
        entries[Key(principal: principal, key: ExactString(key))] = nil
    }
}
