import Holdfast
import HoldfastBasics
import HoldfastJSON

extension Defect {
    static let env = list {
        Defect(
            "env-greets-with-bare-text", .ENV, 1,
            "Sends the text message \"ready\", a JSON string, after `connected`.",
            .after("connected") { _, sockets, _, server in [.send(to: sockets, server.outgoing("ready"))] })
        Defect(
            "env-tells-the-time-as-a-number", .ENV, 2, "Writes `serverTime` in `connected` as a number.",
            .frames("connected") { frame, _ in frame["serverTime"] = 1_772_000_000 })
        Defect(
            "env-closes-on-broken-json", .ENV, 3, "Closes the connection on a text that is not JSON.",
            .refusing(.parseError) { _, socket, input, server in
                guard case .received(_, .text) = input else { return nil }
                return server.collecting { $0.close(socket, code: 1007, reason: "not JSON") }
            })
        Defect(
            "env-dies-of-null", .ENV, 3, "Cuts the connection on JSON that is not an object, such as `null`.",
            .refusing(.badRequest) { frame, socket, _, _ in
                frame.text("error")?.hasPrefix("expected an object") == true ? [.cut(socket: socket)] : nil
            })
        Defect(
            "env-ignores-frames-without-type", .ENV, 3, "Ignores an object without a string `type`.",
            .refusing(.badRequest) { frame, _, _, _ in
                frame.text("error")?.hasPrefix("the frame has no 'type'") == true ? [] : nil
            })
        Defect(
            "env-takes-binary-as-text", .ENV, 3, "Runs a binary message that is a frame, and ignores any other.",
            .message { received in
                guard case .binary(let bytes) = received else { return received }
                let text = String(utf8: bytes)
                return .text(text.flatMap { $0.contains("\"type\"") ? $0 : nil } ?? "{\"type\":\"ping\"}")
            })
        Defect(
            "env-ignores-unknown-types", .ENV, 3, "Ignores a frame of an unknown type.",
            .refusing(.unknownType) { _, _, _, _ in [] })
        Defect(
            "env-refuses-unknown-members", .ENV, 4, "Refuses a `chat` with an unknown member.",
            .chats { asker, _ in
                let known: Set = ["type", "messages", "sessionId", "clientMessageId"]
                let names = asker.chat.objectValue?.keys.map { $0 } ?? []
                if !known.isSuperset(of: names) { asker.chat["messages"] = [] }
            })
        Defect(
            "env-ignores-the-case-of-type", .ENV, 4,
            "Takes a member `Type` for `type`, and the last one if there are both, as some decoders do.",
            .message { received in
                guard case .text(let text) = received, let frame = try? JSONParser.document(text).root,
                    let type = frame.objectValue?.filter({ $0.key.lowercased() == "type" }).last?.value,
                    type != frame["type"]
                else { return received }
                var changed = frame
                changed["type"] = type
                return .text(changed.text())
            })
        Defect(
            "env-reads-text-as-numbers", .ENV, 3, with: [.sync],
            "Rounds a `lastSeqSeen` that is not an integer.",
            .hears("sync") { frame, _ in
                for name in ["lastSeqSeen", "limit"] where frame[name]?.intValue == nil {
                    guard name == "lastSeqSeen" || frame[name] != nil else { continue }
                    let number = frame[name]?.doubleValue.map { Int(max(0, min($0, 1e15))) }
                    frame[name] = JSONValue(frame.text(name).flatMap { Int($0) } ?? number ?? 0)
                }
            })
        Defect(
            "env-drops-others-on-broken-input", .ENV, 5,
            "Cuts every other connection when one sends text that is not JSON, or a frame over the limit.",
            .refusing(.parseError, .tooLarge) { frame, socket, _, server in
                let others = server.core.connections.all.filter { $0 != socket }
                return others.map { .cut(socket: $0) } + [server.sending(frame, to: socket)]
            })
        Defect(
            "env-writes-session-id-twice", .ENV, 1, "Repeats the member `sessionId` in every `done`.",
            .sends { frame, sockets, _, server in
                guard frame.type == "done", let id = frame["sessionId"] else { return nil }
                var outgoing = server.outgoing(frame)
                outgoing.text = outgoing.text.dropLast() + ",\"sessionId\":\(id.text())}"
                return [.send(to: sockets, outgoing)]
            })
        Defect(
            "env-cuts-emoji-in-previews", .ENV, 1,
            "Cuts `lastMessage` after 100 UTF-16 code units, even within an emoji.",
            .answers { answer, _, server in
                answer.eachListed { entry in
                    if let text = server.lastMessage(of: entry), text.utf16.count > 100 {
                        entry["lastMessage"] = .string(HalfEmoji.cut(text, afterUnits: 100))
                    }
                }
                answer.writes = HalfEmoji.written
            })
        Defect(
            "env-writes-numbers-as-fractions", .ENV, 1, with: [.sync], "Writes every `seq` as `5.0`.",
            .frames { frame, _ in
                if let seq = frame["seq"]?.intValue {
                    frame["seq"] = JSONNumber(text: "\(seq).0").map(JSONValue.number)
                }
            })
        Defect(
            "env-trims-questions", .ENV, 6, "Strips leading and trailing blanks from questions.",
            .chats { asker, _ in
                guard let text = asker.content?.stringValue else { return }
                var trimmed = text[...]
                while trimmed.first?.isWhitespace == true { trimmed.removeFirst() }
                while trimmed.last?.isWhitespace == true { trimmed.removeLast() }
                asker.asks(.string(String(trimmed)))
            })
        Defect(
            "env-refuses-frames-at-the-limit", .ENV, 7, "Refuses a frame of exactly `maxFrameBytes` as too large.",
            .input { input, server, next in
                guard case .received(let socket, .text(let text)) = input,
                    text.utf8.count >= server.core.rules.maxFrameBytes
                else { return next(input, &server) }
                return next(.received(socket: socket, .tooLarge(bytes: text.utf8.count)), &server)
            })
        Defect(
            "env-ignores-a-second-auth", .ENV, 3, "Ignores an `auth` after `connected`.",
            .refusing(.badRequest) { _, _, input, server in
                guard case .received(_, .text(let text)) = input else { return nil }
                return server.frame(text)?.type == "auth" ? [] : nil
            })
        Defect(
            "env-calls-a-question-without-words-bad", .ENV, 7, "Refuses a question without words as `bad_request`.",
            .chats { asker, _ in if asker.content == "" { asker.chat["messages"] = [] } })
        Defect(
            "env-swallows-oversized-frames", .ENV, 8, "Ignores a frame over `maxFrameBytes`.",
            .refusing(.tooLarge) { _, _, _, _ in [] })
        Defect(
            "env-sends-pages-of-any-size", .ENV, 9, with: [.sync],
            "Puts everything into one `syncResult`, even more than 1 MiB.", .rules { $0.maxSentBytes = .max })
        Defect(
            "env-leaves-out-codes", .ENV, 11, "Sends errors that end no turn without `code`.",
            .frames("error") { frame, _ in if frame.isRefusal { frame["code"] = nil } },
            .answers { answer, _, _ in if answer.body["turnId"] == nil { answer.body["code"] = nil } })
        Defect(
            "env-answers-twice", .ENV, 14, "Sends two errors for each frame it refuses.",
            .refusing { frame, socket, _, server in
                [server.sending(frame, to: socket), server.sending(frame, to: socket)]
            })
        Defect(
            "env-looks-for-sessions-at-leisure", .ENV, 14,
            "Refuses a question to an unknown session 250 ms later than anything else.",
            .refusing(.sessionNotFound) { frame, socket, _, server in
                let late = [server.sending(frame, to: socket)]
                return server.delaying(late, ms: 250)
            })
        Defect(
            "env-ends-the-process-on-null", .ENV, 5,
            "Exits on the text `null`, even before `auth`.",
            .input { input, server, next in
                guard case .received(_, .text(let text)) = input, text.filter({ !$0.isWhitespace }) == "null" else {
                    return next(input, &server)
                }
                return [.endProcess]
            })
    }
}

extension FaultyCore.Asker {
    mutating func asks(_ content: JSONValue) {
        guard var messages = chat["messages"]?.arrayValue, var last = messages.popLast() else { return }
        last["content"] = content
        chat["messages"] = .array(messages + [last])
    }
}

extension FaultyCore {
    func lastMessage(of entry: JSONValue) -> String? {
        let session = entry.text("id").flatMap { core.sessions[$0] }
        return session?.messages.last.map { MessageContent.text(of: $0.content) }
    }
}

/// Represents half an emoji by a placeholder character until the text is written, because a Swift string cannot hold a
/// lone surrogate.
enum HalfEmoji {
    private static let placeholder = "\u{F8FF}"

    /// The first code units of a text; the cut may split an emoji.
    static func cut(_ text: String, afterUnits limit: Int) -> String {
        var kept = String.UnicodeScalarView()
        var units = 0
        for scalar in text.unicodeScalars {
            units += UTF16.width(scalar)
            if units > limit {
                return String(kept) + (units == limit + 1 && UTF16.width(scalar) == 2 ? placeholder : "")
            }
            kept.append(scalar)
        }
        return text
    }

    static func written(_ text: String) -> String {
        text.split(separator: placeholder, omittingEmptySubsequences: false).joined(separator: "\\ud83d")
    }
}
