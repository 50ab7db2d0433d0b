import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastTranscript

/// Something that a log says about a connection: a message, its start or end, or a request with its response.
struct LogItem {
    enum Kind {
        case text(String)
        case binary([UInt8])
        case opening(path: String)
        case closing(code: Int?, reason: String)
        case exchange(Exchange)
    }

    struct Exchange {
        let method: String
        let path: String
        let request: String?
        let status: Int?
        let response: String?
        var headers: [Event.Header] = []
        /// Whether the log marks it as an exchange, whatever its path.
        var isExplicit = false
    }

    var kind: Kind
    var around: LogContext
}

/// The description around a message: the words before it and the members beside it.
struct LogContext {
    var direction: Direction?
    var time: Int?
    var connection: String?
    var principal: String?
    /// The members that lead to the message.
    var path: [String] = []
    /// Whether an arrow or a word shows that this passed over a socket, instead of being a program's own act.
    var isOfSocket = false
    var statesDirection = false
    /// The words before it that may name its connection, the nearest first.
    var names: [String] = []
    var words = ""
}

extension LogContext {
    private static let times = [
        "at", "ts", "time", "timestamp", "date", "datetime", "isotime", "asctime", "eventtime", "when",
        "realtimetimestamp", "frametimeepoch", "t",
    ]
    private static let connections = [
        "conn", "connection", "connectionid", "connid", "cid", "wsid", "socket", "socketid", "peer", "remote",
        "remoteaddr", "remoteaddress", "tcpstream",
    ]
    private static let principals = ["principal", "user", "userid", "uid", "account", "accountid"]
    private static let directions = ["dir", "direction", "way", "flow", "side", "sender", "from", "origin"]
    /// Boolean members that name the side.
    private static let clients = ["fromclient", "isclient", "websocketmask", "mask", "outgoing", "sent"]
    private static let servers = ["fromserver", "incoming", "received"]

    /// Notes the facts that an object's members state about the message in it, or, if it follows one, before it.
    mutating func note(_ object: JSONObject, isAfter: Bool = false) {
        var said: Direction?
        var ranks: (time: Int, connection: Int) = (.max, .max)
        for (name, value) in object {
            let key = FrameFinder.key(name)
            let value = value.arrayValue?.first ?? value
            let text = value.stringValue ?? value.numberValue?.text
            if let rank = Self.times.firstIndex(of: key) {
                guard rank < ranks.time, !isAfter || time == nil, let time = CaptureClock.microseconds(value) else {
                    continue
                }
                (self.time, ranks.time) = (time, rank)
            } else if let rank = Self.connections.firstIndex(of: key), let text {
                guard rank < ranks.connection else { continue }
                (connection, ranks.connection) = (text, rank)
            } else if Self.principals.contains(key), let text {
                principal = text
            } else if Self.directions.contains(key), let text {
                said = LogWords.side(text) ?? said
            } else if Self.clients.contains(key) || Self.servers.contains(key),
                let isTrue = value.boolValue ?? text.flatMap(LogWords.boolean)
            {
                said = isTrue == Self.clients.contains(key) ? .toServer : .fromServer
            } else if Self.words.contains(key), let text = value.stringValue, text.utf8.count <= 80 {
                note(words: text)
                // As in HAR files, whose objects have no other description.
                if key == "type", direction != nil, LogWords.isPlain(text) { isOfSocket = true }
            }
        }
        if let said { (direction, isOfSocket, statesDirection) = (said, true, true) }
    }

    /// Notes the words before a message, and pairs such as `conn=a7` after it.
    mutating func note(prefix: String, suffix: String) {
        if time == nil { time = LogTime.microseconds(in: prefix) }
        note(words: prefix)
        if prefix.contains(where: \.isLetter) {
            (names, words) = (LogWords.names(in: prefix), String(prefix.suffix(80)))
        }
        for word in "\(prefix) \(suffix)".split(whereSeparator: { $0.isWhitespace || $0 == "," }) {
            guard let equals = word.firstIndex(of: "=") else { continue }
            let key = FrameFinder.key(String(word[..<equals]))
            let value = String(word[word.index(after: equals)...].trimmed { "\"'[]".contains($0) })
            guard !value.isEmpty else { continue }
            if Self.connections.contains(key) {
                connection = value
            } else if Self.principals.contains(key) {
                principal = value
            } else if Self.directions.contains(key), let side = LogWords.side(value) {
                (direction, isOfSocket) = (side, true)
            }
        }
    }

    static func isOfEnvelope(_ key: String) -> Bool {
        ["at", "ts", "time"].contains(key) || connections.contains(key) && key != "connectionid"
            || ["principal", "dir", "direction"].contains(key) || FrameFinder.recordNames.contains(key)
    }

    private mutating func note(words: String) {
        guard let (way, isOfSocket) = LogWords.direction(words) else { return }
        (direction, self.isOfSocket) = (way, self.isOfSocket || isOfSocket)
    }

    private static let words: Set<String> = [
        "event", "msg", "message", "action", "kind", "type", "name", "label", "op", "category", "logger", "mt",
        "messagetemplate",
    ]
}
