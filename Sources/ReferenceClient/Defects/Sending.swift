import JSON

/// Broken ways to send, and to send again.
extension ClientDefect {
    static let waitsForSignsForEver = ClientDefect(
        "client-waits-for-signs-for-ever", .CLIENT, 10, "Keeps a connection on which a question is not acknowledged.")
    static let forgetsUnsentMessages = ClientDefect(
        "client-forgets-unsent-messages", .CLIENT, 11, "Drops a question whose connection ended before its ack.")
    static let drawsANewKeyForAResend = ClientDefect(
        "client-draws-a-new-key-for-a-resend", .CLIENT, 12, "Gives a question another key when it sends it again.")
    static let marksResentTexts = ClientDefect(
        "client-marks-resent-texts", .CLIENT, 12, "Puts '(again) ' before the text of a question it sends again.")
    static let makesKeysOfTexts = ClientDefect(
        "client-makes-keys-of-texts", .CLIENT, 13, "Derives the key from the text: equal questions have equal keys.")
    static let clearsPendingOnAnyFrame = ClientDefect(
        "client-clears-pending-on-any-frame", .CLIENT, 14,
        "Takes a tool notice or an answer of any session as proof that its question arrived.")

    static let sending = [
        waitsForSignsForEver, forgetsUnsentMessages, drawsANewKeyForAResend, marksResentTexts, makesKeysOfTexts,
        clearsPendingOnAnyFrame,
    ]
}

extension ClientSaboteur {
    /// A key as broken clients draw it.
    func key(_ drawn: String, for text: String) -> String {
        guard has(.makesKeysOfTexts) else { return drawn }
        return "key-" + String(text.utf8.reduce(UInt64(7)) { ($0 &* 31) &+ UInt64($1) }, radix: 36)
    }

    /// A question as broken clients, and other good ones, form it.
    func question(_ body: JSONValue, isResend: Bool) -> JSONValue {
        var body = body
        if isResend, has(.drawsANewKeyForAResend), let key = body["clientMessageId"]?.stringValue {
            body["clientMessageId"] = .string(String(key.prefix(100)) + "-again")
        }
        if isResend, has(.marksResentTexts), let text = body["messages"]?[0]?["content"]?.stringValue {
            body["messages"] = [["role": "user", "content": .string("(again) " + text)]]
        }
        return body
    }
}

extension ClientCore {
    /// Every question counts as delivered.
    mutating func clearPending() {
        for question in outbox where question.wasSent && question.isUnproven { accept(question.key, turn: nil) }
    }
}
