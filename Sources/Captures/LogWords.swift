import HoldfastTranscript

/// The names that programs use for the two directions of a message.
enum LogWords {
    private static let toServer: Set<String> = [
        "send", "sends", "sent", "sending", "outgoing", "outbound", "tx", "write", "wrote", "written",
    ]
    private static let fromServer: Set<String> = [
        "receive", "receives", "received", "receiving", "recv", "rcvd", "recvd", "incoming", "inbound", "rx",
        "onmessage", "read", "reads", "got",
    ]
    private static let arrowsUp: Set<String> = [">", "->", "-->", ">>", ">>>", "=>", "→", "⇒", "↑", "⬆", "▶"]
    private static let arrowsDown: Set<String> = ["<", "<-", "<--", "<<", "<<<", "<=", "←", "⇐", "↓", "⬇", "◀"]

    static func side(_ text: String) -> Direction? {
        switch text.lowercased() {
        case "out", "up", "client", "toserver", "to_server", "c2s", "browser", "user": .toServer
        case "in", "down", "server", "fromserver", "from_server", "s2c", "backend": .fromServer
        default: direction(text)?.direction
        }
    }

    /// Whether a text is only a direction word, such as `sent`.
    static func isPlain(_ text: String) -> Bool { toServer.union(fromServer).contains(text.lowercased()) }

    /// The last words of a text that are neither a direction nor a pair such as `a=1`, the nearest first: one may name
    /// a connection.
    static func names(in text: String) -> [String] {
        text.suffix(240).split(whereSeparator: \.isWhitespace).reversed().lazy
            .map { String($0.trimmed { "[](){}:,;'\"`|*#".contains($0) }) }
            .filter { word in
                guard !word.contains("="), word.contains(where: { $0.isLetter || $0.isNumber }) else { return false }
                return word.contains(where: \.isNumber) || !words(of: word).allSatisfy(isUsual)
            }.prefix(12).map(\.self)
    }

    private static func isUsual(_ word: String) -> Bool {
        toServer.contains(word) || fromServer.contains(word) || sockets.contains(word)
            || ["in", "out", "on", "message", "text", "data", "payload"].contains(word)
    }

    static func withoutColors(_ text: String) -> String {
        text.utf8.contains(0x1B) ? text.replacing(#/\u{1B}\[[0-9;]*[A-Za-z]/#, with: "") : text
    }

    static func boolean(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "1", "true": true
        case "0", "false": false
        default: nil
        }
    }

    /// The direction in the last words of a text, those nearest to the message, and whether they name a socket.
    static func direction(_ text: String) -> (direction: Direction, isOfSocket: Bool)? {
        let tokens = text.suffix(120).split(whereSeparator: \.isWhitespace).suffix(8)
        var direction: Direction?
        for (number, token) in tokens.reversed().enumerated() where direction == nil {
            let bare = String(token.trimmed { "[]():'\"`|*".contains($0) })
            if arrowsUp.contains(bare) { return (.toServer, true) }
            if arrowsDown.contains(bare) { return (.fromServer, true) }
            // A logger's name may directly precede the arrow.
            if bare.hasSuffix(":>") { return (.toServer, true) }
            if bare.hasSuffix(":<") { return (.fromServer, true) }
            let words = words(of: bare)
            if number == 0, words.last == "out" { direction = .toServer }
            if number == 0, words.last == "in" { direction = .fromServer }
            for (index, word) in words.enumerated().reversed() where direction == nil {
                if word == "message", index > 0, words[index - 1] == "on" { return (.fromServer, true) }
                if toServer.contains(word) { direction = .toServer }
                if fromServer.contains(word) { direction = .fromServer }
            }
        }
        guard let direction else { return nil }
        let namesSocket = words(of: text.suffix(120)).contains { sockets.contains($0) }
        // A short label right before the message counts too: `recv: {…}`.
        let isLabeled = tokens.last?.last == ":" && tokens.last.map { words(of: $0).count <= 2 } == true
        return (direction, namesSocket || isLabeled)
    }

    private static let sockets: Set<String> = ["ws", "wss", "websocket", "websockets", "socket", "frame", "frames"]

    /// `ws_received`, `didReceive` and `WS-RECV` in lowercase, word by word.
    private static func words(of text: some StringProtocol) -> [String] {
        var words: [String] = [""]
        var wasSmall = false
        for character in text {
            guard character.isLetter else {
                words.append("")
                continue
            }
            if character.isUppercase, wasSmall { words.append("") }
            wasSmall = character.isLowercase
            words[words.count - 1].append(character.lowercased())
        }
        return words.filter { !$0.isEmpty }
    }
}
