import Holdfast
import JSON

extension Defect {
    static let envGreetsWithBareText = Defect(
        "env-greets-with-bare-text", .ENV, 1, "Sends the text message \"ready\", a JSON string, after `connected`.")
    static let envTellsTheTimeAsANumber = Defect(
        "env-tells-the-time-as-a-number", .ENV, 2, "Writes `serverTime` in `connected` as a number.")
    static let envClosesOnBrokenJSON = Defect(
        "env-closes-on-broken-json", .ENV, 3, "Closes the connection when a text is not JSON.")
    static let envDiesOfNull = Defect(
        "env-dies-of-null", .ENV, 4, "Cuts the connection when a text is JSON but no object, such as `null`.")
    static let envIgnoresFramesWithoutType = Defect(
        "env-ignores-frames-without-type", .ENV, 5, "Says nothing about an object without a string `type`.")
    static let envTakesBinaryAsText = Defect(
        "env-takes-binary-as-text", .ENV, 6, "Ignores binary messages, and obeys those that hold a frame.")
    static let envIgnoresUnknownTypes = Defect(
        "env-ignores-unknown-types", .ENV, 7, "Says nothing about a frame of an unknown type.")
    static let envRefusesUnknownMembers = Defect(
        "env-refuses-unknown-members", .ENV, 8, "Refuses a `chat` with a member it does not know.")
    static let envReadsTextAsNumbers = Defect(
        "env-reads-text-as-numbers", .ENV, 9, "Takes a `lastSeqSeen` that is no integer for the nearest one.")
    static let envDropsOthersOnBrokenInput = Defect(
        "env-drops-others-on-broken-input", .ENV, 10,
        "Cuts every other connection when one sends text that is not JSON, or a message over the limit.")
    static let envWritesSessionIdTwice = Defect(
        "env-writes-session-id-twice", .ENV, 11, "Repeats the member `sessionId` in every `done`.")
    static let envCutsEmojiInPreviews = Defect(
        "env-cuts-emoji-in-previews", .ENV, 12,
        "Cuts `lastMessage` after 100 code units, also between the two of one emoji.")
    static let envWritesNumbersAsFractions = Defect(
        "env-writes-numbers-as-fractions", .ENV, 13, "Writes every `seq` as `5.0`.")
    static let envTrimsQuestions = Defect(
        "env-trims-questions", .ENV, 14, "Stores questions without their leading and trailing blanks.")
    static let envRefusesFramesAtTheLimit = Defect(
        "env-refuses-frames-at-the-limit", .ENV, 15, "Refuses a frame of exactly `maxFrameBytes` as too large.")
    static let envSwallowsOversizedFrames = Defect(
        "env-swallows-oversized-frames", .ENV, 16, "Says nothing about a message over `maxFrameBytes`.")
    static let envSendsPagesOfAnySize = Defect(
        "env-sends-pages-of-any-size", .ENV, 17, "Puts everything into one `syncResult`, also more than one MiB.")
    static let envLeavesOutCodes = Defect(
        "env-leaves-out-codes", .ENV, 19, "Sends errors that end no turn without `code`.")

    static let envEndsTheProcessOnNull = Defect(
        "env-ends-the-process-on-null", .ENV, 10, "Ends the whole process when a text is `null`, also before `auth`.")

    static let envAnswersTwice = Defect("env-answers-twice", .ENV, 24, "Sends two errors for each frame it refuses.")

    static let env = [
        envGreetsWithBareText, envTellsTheTimeAsANumber, envClosesOnBrokenJSON, envDiesOfNull,
        envIgnoresFramesWithoutType, envTakesBinaryAsText, envIgnoresUnknownTypes, envRefusesUnknownMembers,
        envReadsTextAsNumbers, envDropsOthersOnBrokenInput, envWritesSessionIdTwice, envCutsEmojiInPreviews,
        envWritesNumbersAsFractions, envTrimsQuestions, envRefusesFramesAtTheLimit, envSwallowsOversizedFrames,
        envSendsPagesOfAnySize, envLeavesOutCodes, envAnswersTwice, envEndsTheProcessOnNull,
    ]
}

extension Saboteur {
    /// Stands for half an emoji until the text is written; a Swift string cannot hold one.
    private static let halfEmoji = "\u{F8FF}"

    func rewriteENV(_ frame: inout JSONValue, _ type: String?) {
        if has(.envTellsTheTimeAsANumber), type == "connected" { frame["serverTime"] = 1_772_000_000 }
        if has(.envLeavesOutCodes), frame["error"] != nil, frame["turnId"] == nil { frame["code"] = nil }
        if has(.envWritesNumbersAsFractions), let seq = frame["seq"]?.intValue {
            frame["seq"] = JSONNumber(text: "\(seq).0").map(JSONValue.number)
        }
    }

    func rewrite(text: String, of frame: JSONValue) -> String {
        if has(.envWritesSessionIdTwice), frame["type"]?.stringValue == "done", let id = frame["sessionId"] {
            return text.dropLast() + ",\"sessionId\":\(id.text())}"
        }
        return has(.envCutsEmojiInPreviews) ? Self.writingHalves(text) : text
    }

    /// A text with the escape of a lone surrogate wherever half an emoji stands.
    static func writingHalves(_ text: String) -> String {
        text.split(separator: halfEmoji, omittingEmptySubsequences: false).joined(separator: "\\ud83d")
    }

    /// The first code units of a text, also where the cut leaves half an emoji.
    static func cut(_ text: String, afterUnits limit: Int) -> String {
        var kept = String.UnicodeScalarView()
        var units = 0
        for scalar in text.unicodeScalars {
            units += UTF16.width(scalar)
            if units > limit {
                return String(kept) + (units == limit + 1 && UTF16.width(scalar) == 2 ? halfEmoji : "")
            }
            kept.append(scalar)
        }
        return text
    }

    func preview(_ text: String) -> String {
        if has(.envCutsEmojiInPreviews), text.utf16.count > 100 { return Self.cut(text, afterUnits: 100) }
        if has(.restCutsInsideCharacters), text.unicodeScalars.count > 100 {
            return String(String.UnicodeScalarView(text.unicodeScalars.prefix(100)))
        }
        return Preview.cut(text, to: 100)
    }

    func inspect(_ chat: JSONObject) throws(Refusal) {
        let known: Set = ["type", "messages", "sessionId", "clientMessageId"]
        if has(.envRefusesUnknownMembers), let unknown = chat.keys.first(where: { !known.contains($0) }) {
            throw Refusal(.badRequest, "unknown member '\(unknown.prefix(120))'")
        }
    }

    func given(_ content: JSONValue) -> JSONValue {
        guard has(.envTrimsQuestions), case .string(let text) = content else { return content }
        var trimmed = text[...]
        while trimmed.first?.isWhitespace == true { trimmed.removeFirst() }
        while trimmed.last?.isWhitespace == true { trimmed.removeLast() }
        return .string(String(trimmed))
    }

    func coerced(_ value: JSONValue?) -> Int? {
        guard has(.envReadsTextAsNumbers) else { return nil }
        return value?.stringValue.flatMap { Int($0) } ?? value?.doubleValue.map { Int(max(0, min($0, 1e15))) } ?? 0
    }

    func text(ofBinary bytes: [UInt8]) -> String? {
        guard has(.envTakesBinaryAsText) else { return nil }
        let text = String(validating: bytes, as: UTF8.self)
        return text?.contains("\"type\"") == true ? text : "{\"type\":\"ping\"}"
    }

    func refusal(ofSize bytes: Int, limit: Int) -> Refusal? {
        guard has(.envRefusesFramesAtTheLimit), bytes >= limit else { return nil }
        return Refusal(.tooLarge, "the message has \(bytes) bytes")
    }
}

extension ServerCore {
    /// What broken servers do instead of answering a bad frame; false when the answer is to be given.
    mutating func mistreat(_ refusal: Refusal, _ received: Input.Received, on socket: Int) -> Bool {
        keepRefused(refusal, on: socket)
        let isText = if case .text = received { true } else { false }
        if broken(.envEndsTheProcessOnNull), case .text(let text) = received,
            text.filter({ !$0.isWhitespace }) == "null"
        {
            effects.append(.endProcess)
            return true
        }
        switch refusal.code {
        case .parseError where isText && broken(.envClosesOnBrokenJSON):
            close(socket, code: 1007, reason: "not JSON")
            return true
        case .badRequest where broken(.envDiesOfNull) && refusal.text.hasPrefix("expected an object"):
            effects.append(.cut(socket: socket))
            return true
        case .badRequest where refusal.text.hasPrefix("the frame has no 'type'"):
            return broken(.envIgnoresFramesWithoutType)
        case .unknownType where broken(.liveEndsForGood):
            close(socket, code: 4001, reason: "nothing for you here")
            return true
        case .unknownType: return broken(.envIgnoresUnknownTypes)
        case .tooLarge where broken(.envSwallowsOversizedFrames): return true
        default: break
        }
        if broken(.envDropsOthersOnBrokenInput), refusal.code == .parseError || refusal.code == .tooLarge {
            for other in connections.all where other != socket { effects.append(.cut(socket: other)) }
        }
        return false
    }
}
