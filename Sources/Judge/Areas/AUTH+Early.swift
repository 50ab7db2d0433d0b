import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// The questions on a connection before its `auth`, and signs that the server acted on them.
struct EarlyQuestions {
    private let early: [Frame]
    /// Keys of no other question in the history.
    private let keys: Set<String>
    /// Texts of no other question in the history; empty in a capture, where others may ask the same unseen.
    private let words: [(text: String, event: Int)]
    /// Whether an `ack` without a key can only answer an early question.
    private let isAloneWithoutKey: Bool

    init(_ early: [Frame], in history: Observations) {
        self.early = early
        let chats = early.filter { $0.type == "chat" }
        let events = Set(early.map(\.event))
        let others = history.turns.flatMap(\.requests).filter { !events.contains($0.event) }
        keys = Set(chats.compactMap(\.clientMessageId)).subtracting(others.compactMap(\.clientMessageId))
        let said = chats.map { chat in
            (text: MessageContent.text(of: chat["messages"]?.arrayValue?.last?["content"]), event: chat.event)
        }
        words =
            history.isCapture
            ? []
            : said.filter { early in
                !early.text.isEmpty && !others.contains { exactlyEqual($0.prompt, early.text) }
            }
        isAloneWithoutKey =
            chats.contains { $0.clientMessageId == nil } && !others.contains { $0.clientMessageId == nil }
    }

    /// Whether a frame on their connection answers one of them with data; frames that everyone gets do not count.
    func areAnswered(by frame: Frame) -> Bool {
        switch frame.type {
        case "syncResult": early.contains { $0.type == "sync" && $0.event < frame.event }
        case "ack" where frame.clientMessageId == nil: isAloneWithoutKey
        default: isShown(by: frame)
        }
    }

    /// The first event elsewhere that shows that one of them was run or stored.
    func trace(in history: Observations) -> Int? {
        let frame = history.received.first(where: isShown)
        let read = history.sessionReads.first { read in
            read.messages.contains { $0.clientMessageId.map(keys.contains) == true }
                || read.turns.contains { $0.clientMessageId.map(keys.contains) == true }
                || words.contains { history.isNew($0.text, in: read, since: $0.event) }
        }
        return [frame?.event, read?.event].compactMap { $0 }.min()
    }

    private func isShown(by frame: Frame) -> Bool {
        guard frame.isOf("ack", "message", "toolUse", "done") else { return false }
        if let key = frame.clientMessageId { return keys.contains(key) }
        guard frame.type == "message", frame.string("role") == "user", let text = frame.text else { return false }
        return words.contains { $0.event < frame.event && exactlyEqual($0.text, text) }
    }
}

extension Observations {
    /// Whether a read shows a question with this text that neither an earlier read of the session nor a list contained
    /// before an event.
    fileprivate func isNew(_ text: String, in read: ObservedSessionRead, since event: Int) -> Bool {
        func has(_ read: ObservedSessionRead) -> Bool {
            read.messages.contains { $0.role == "user" && exactlyEqual($0.text, text) }
        }
        guard read.request > event, has(read) else { return false }
        let before = sessionReads.last {
            $0.event < event && $0.principal == read.principal && $0.sessionId == read.sessionId
        }
        let list = listReads.last { $0.event < event && $0.principal == read.principal }
        return before.map { !has($0) } ?? list.map { !$0.ids.contains(read.sessionId) } ?? false
    }
}
