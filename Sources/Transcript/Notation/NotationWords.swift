/// The arguments of each word of the notation; one table for the parser's messages and the printer.
struct NotationWord {
    /// The letters of its ids.
    let ids: String
    let words: Words
    /// Whether it takes `#7`.
    let hasPosition: Bool
    /// Whether it takes `'text'`.
    let hasText: Bool

    enum Words {
        case none
        case any
        case number
        case among([String])
    }

    init(_ ids: String, _ words: Words = .none, position: Bool = false, text: Bool = false) {
        self.ids = ids
        self.words = words
        self.hasPosition = position
        self.hasText = text
    }

    static let toServer: [String: NotationWord] = [
        "auth": NotationWord("p"),
        "chat": NotationWord("csp", text: true),
        "sync": NotationWord("e", position: true),
        "ping": NotationWord("n"),
        "open": NotationWord("p"),
        "close": NotationWord("", .number, text: true),
        "binary": NotationWord("", .any),
        "pingFrame": NotationWord(""),
        "pongFrame": NotationWord(""),
    ]

    static let fromServer: [String: NotationWord] = [
        "connected": NotationWord("enp", .among(capabilities), position: true),
        "ack": NotationWord("cstu", .among(["duplicate"])),
        "message": NotationWord("cstua", position: true, text: true),
        "toolUse": NotationWord("st", .any, position: true),
        "done": NotationWord("csta", .among(["duplicate"]), position: true, text: true),
        "error": NotationWord("cst", .among(errorCodes), position: true, text: true),
        "syncResult": NotationWord("e", .among(["complete", "more"] + gapReasons), position: true),
        "pong": NotationWord("n"),
        "open": NotationWord(""),
        "refused": NotationWord("", .number, text: true),
        "close": NotationWord("", .number, text: true),
        "eof": NotationWord("", text: true),
        "binary": NotationWord("", .any),
        "pingFrame": NotationWord(""),
        "pongFrame": NotationWord(""),
    ]

    /// Capabilities in `connected`; `core` means none.
    static let capabilities = ([.core] + FrameExpansion.capabilities).map(\.rawValue)

    static let gapReasons = ["epoch_changed", "evicted", "unknown_position", "too_many"]

    static let errorCodes =
        Frame.refusalCodes.sorted() + ["persist_failed", "agent_failed", "interrupted", "internal"]

    static let methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]

    /// Acts of a stage on a lane; others are written `act(name=…)`.
    static let verbs = [
        "acceptWrites", "act", "arm", "atRest", "background", "close", "crash", "cut", "disarm", "elsewhere", "exit",
        "fail", "finish", "foreground", "forget", "hang", "kill", "launch", "lend", "listen", "mute", "networkDown",
        "networkUp", "openPush", "quit", "receivePush", "refuseWrites", "remove", "restart", "resumeReading", "reuse",
        "selectSession", "send", "sendAgain", "start", "stop", "stopReading", "tell", "tool", "wentOn",
    ]

    /// States of a client; others are written `state(json='…')`.
    static let states = ["connected", "connecting", "degraded", "offline", "state"]

    static let state = NotationWord("suca", .among(["thinking"] + errorCodes), text: true)

    /// The field that an argument such as `-s` drops.
    static func field(droppedBy name: String) -> String {
        switch name {
        case "c": "clientMessageId"
        case "s": "sessionId"
        case "t": "turnId"
        case "u", "a": "messageId"
        case "e": "epoch"
        case "n": "nonce"
        default: name
        }
    }
}
