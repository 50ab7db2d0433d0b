import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastTranscript

/// Something that a line of a log tells of a connection.
struct Sighting {
    enum Kind {
        case text(String)
        case binary([UInt8])
        case opening(path: String)
        case closing(code: Int?, reason: String)
        case exchange(Exchange)
    }

    /// A request with its response, or with none.
    struct Exchange {
        let method: String
        let path: String
        let request: String?
        let status: Int?
        let response: String?
        let headers: [Event.Header]
        /// Whether it stands in an envelope made for it, whatever the path.
        let isExplicit: Bool
    }

    var kind: Kind
    var around: Surroundings
}

/// What stands around a message: in the words before it and in the members beside it.
struct Surroundings {
    var direction: Direction?
    var time: Int?
    var connection: String?
    var principal: String?
    /// The members that lead to the message.
    var path: [String] = []
    /// Whether a sign or a word says that this is what passed over a socket, and not what a program did.
    var isOfSocket = false
    /// Whether a member says which way it went.
    var isSaid = false
}

/// What was found in a line.
enum Found {
    case sightings([Sighting])
    /// It should be a message and cannot be read.
    case unreadable(String, at: JSONLocation?)
    /// It tells nothing of a connection.
    case nothing(String)
}

/// Finds messages by looking, in the lines of whatever program: an optional prefix, JSON somewhere in the rest, and in it or
/// around it the names by which programs call a direction, a time and a connection.
struct FrameFinder: Sendable {
    /// Which way a frame travels by its type; nil for what is no frame, or not of one side alone.
    let direction: @Sendable (JSONValue) -> Direction?

    private static let mostDepth = 8

    func find(_ line: String) -> Found {
        let line = Self.withoutColors(line)
        let text = line.trimmed(\.isWhitespace)
        guard !text.isEmpty, !text.hasPrefix("#") else { return .nothing("") }
        var problem: JSONProblem?
        if text.hasPrefix("{") {
            do throws(JSONProblem) {
                let value = try JSONParser.value(String(text), limits: JSONLimits(maxBytes: .max))
                return look(at: value, written: String(text))
            } catch {
                problem = error
            }
        }
        if text.hasPrefix("> ") || text.hasPrefix("< "), let value = try? JSONParser.value(String(text.dropFirst(2))),
            value.objectValue == nil
        {
            var around = Surroundings()
            around.direction = text.hasPrefix(">") ? .toServer : .fromServer
            return .sightings([Sighting(kind: .text(String(text.dropFirst(2))), around: around)])
        }
        let (sightings, isCut) = inText(line[...], Surroundings())
        if !sightings.isEmpty { return .sightings(sightings) }
        if let problem { return .unreadable("the line is not JSON: \(problem)", at: problem.location) }
        if isCut { return .unreadable("a message that is cut off or shortened", at: nil) }
        return .nothing("a line without a message")
    }

    private func look(at value: JSONValue, written text: String) -> Found {
        let sightings = inObject(value, written: text, Surroundings())
        if !sightings.isEmpty { return .sightings(sightings) }
        if let event = value["event"]?.stringValue ?? value["msg"]?.stringValue ?? value["message"]?.stringValue {
            return .nothing("a line about something else, such as '\(visible(event.prefix(40)))'")
        }
        return .nothing("an object without a message")
    }

    // MARK: Text

    /// The messages in a text that is no object, and whether one in it is not whole.
    private func inText(_ text: Substring, _ outer: Surroundings, depth: Int = 0) -> ([Sighting], isCut: Bool) {
        guard depth < Self.mostDepth else { return ([], false) }
        let bytes = Array(text.utf8)
        var (index, attempts, isCut) = (0, 0, false)
        var found: [Sighting] = []
        while attempts < 16, let brace = bytes[index...].firstIndex(of: UInt8(ascii: "{")) {
            attempts += 1
            guard let (object, value, end) = object(at: brace, in: bytes) else {
                isCut = isCut || bytes[brace...].prefix(12).contains(UInt8(ascii: "\""))
                index = brace + 1
                continue
            }
            let suffix = String(decoding: bytes[end...].prefix(400), as: UTF8.self)
            // Shortened in the middle, it can be an object by chance: what stands behind it says how long it was.
            if let length = Self.statedLength(suffix), length > object.utf8.count {
                (isCut, index) = (true, end)
                continue
            }
            var around = outer
            around.note(prefix: String(decoding: bytes[index..<brace], as: UTF8.self), suffix: suffix)
            let more = inObject(value, written: object, around, depth: depth + 1, isInText: true)
            if more.isEmpty, let object = value.objectValue {
                // What stands behind a message is about it too.
                for number in found.indices { found[number].around.note(object, isAbout: true) }
            }
            found += more
            index = end
        }
        if found.isEmpty, let exchange = Self.exchange(in: text) {
            var around = outer
            around.note(prefix: String(text.prefix(400)), suffix: "")
            return ([Sighting(kind: .exchange(exchange), around: around)], false)
        }
        if found.isEmpty, depth == 0, let event = Self.event(in: text, outer) { return ([event], false) }
        return (found, isCut && found.isEmpty)
    }

    /// The object that begins at a brace, as it was before a program quoted it, and the index behind it.
    private func object(at brace: Int, in bytes: [UInt8]) -> (text: String, value: JSONValue, end: Int)? {
        func parsed(_ text: String, _ end: Int) -> (String, JSONValue, Int)? {
            guard let value = try? JSONParser.value(text, limits: JSONLimits(maxBytes: .max)), value.objectValue != nil
            else { return nil }
            return (text, value, end)
        }
        let quotes = [UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`")]
        if brace > 0, quotes.contains(bytes[brace - 1]), let end = JSONScan.end(ofString: brace - 1, in: bytes[...]) {
            let inside = bytes[brace..<(end - 1)]
            // As in Python, Go and JSON: what is in quotes has backslashes before what would end it.
            if inside.contains(UInt8(ascii: "\\")),
                let found = parsed(
                    JSONScan.unescaped(inside, isBytes: brace > 1 && bytes[brace - 2] == UInt8(ascii: "b")), end)
            {
                return found
            }
        }
        if let end = JSONScan.end(ofBrackets: brace, in: bytes[...]),
            let found = parsed(String(decoding: bytes[brace..<end], as: UTF8.self), end)
        {
            return found
        }
        // As in tables with commas: a quote is doubled.
        guard bytes[brace...].dropFirst().prefix(2).elementsEqual("\"\"".utf8) else { return nil }
        let text = String(decoding: bytes[brace...], as: UTF8.self).replacing("\"\"", with: "\"")
        let plain = Array(text.utf8)
        guard let end = JSONScan.end(ofBrackets: 0, in: plain[...]) else { return nil }
        return parsed(String(decoding: plain[..<end], as: UTF8.self), bytes.count)
    }

    /// The length in `' [230 bytes]`.
    private static func statedLength(_ suffix: String) -> Int? {
        let rest = suffix.drop { "'\"".contains($0) }
        guard rest.hasPrefix(" ["), rest.contains(" byte") else { return nil }
        return Int(rest.dropFirst(2).prefix { $0.isNumber })
    }

    private static func withoutColors(_ line: String) -> String {
        line.utf8.contains(0x1B) ? line.replacing(#/\u{1B}\[[0-9;]*[A-Za-z]/#, with: "") : line
    }

    /// The first number in a text that can be the code of a close frame.
    private static func closeCode(in text: some StringProtocol) -> Int? {
        text.split { !$0.isNumber }.lazy.compactMap { Int($0) }.first { (1000...4999).contains($0) }
    }

    /// What a line without a message tells: a connection that opens or ends.
    private static func event(in text: Substring, _ outer: Surroundings) -> Sighting? {
        var around = outer
        around.note(prefix: String(text), suffix: "")
        let lower = text.lowercased()
        let closes = [
            "disconnected (code", "= connection is closed", "> close ", "< close ", "onclosing", "onclosed", "onclose ",
            "onclose:", "onfailure",
        ]
        // Of a socket, with a code, it tells an end in whatever words.
        let spoken = lower.firstRange(of: "close").flatMap {
            closeCode(in: lower[$0.lowerBound...]) != nil && lower.contains(#/\b(ws|websocket)\b/#) ? $0 : nil
        }
        if let mark = closes.lazy.compactMap({ lower.firstRange(of: $0) }).first ?? spoken {
            let code = closeCode(in: lower[mark.lowerBound...])
            around.direction = lower[mark].hasPrefix(">") ? .toServer : lower[mark].hasPrefix("<") ? .fromServer : nil
            return Sighting(kind: .closing(code: code, reason: ""), around: around)
        }
        let opens = ["connected (press ctrl+c", "= connection is open", "onopen"]
        guard opens.contains(where: lower.contains) else { return nil }
        return Sighting(kind: .opening(path: "/"), around: around)
    }

    // MARK: Objects

    private func inObject(
        _ value: JSONValue, written text: String, _ outer: Surroundings, depth: Int = 0, isInText: Bool = false
    ) -> [Sighting] {
        guard let object = value.objectValue, depth < Self.mostDepth else { return [] }
        // What a frame says of itself is not said about it.
        if isFrame(object, value) { return [Sighting(kind: .text(text), around: outer)] }
        var around = outer
        around.note(object)
        if let exchange = Self.exchange(object, text) { return [Sighting(kind: .exchange(exchange), around: around)] }
        if let digits = object["hex"]?.stringValue, let bytes = bytes(ofHexDigits: digits) {
            return [Sighting(kind: .binary(bytes), around: around)]
        }
        if let frame = object["frame"], let message = frame.stringValue ?? RawMember.text(of: "frame", in: text) {
            around.path.append("frame")
            return [Sighting(kind: .text(message), around: around)]
        }
        if around.isSaid, direction(value) != nil, !holdsFrame(object), let message = Self.spread(object) {
            // What a greeting calls the connection is not what the log calls it.
            if object["connectionId"]?.stringValue == around.connection { around.connection = outer.connection }
            return [Sighting(kind: .text(message), around: around)]
        }
        let nested = nested(object, text, around, depth: depth)
        if !nested.isEmpty { return nested }
        if let event = Self.event(of: object) { return [Sighting(kind: event, around: around)] }
        if around.direction != nil, around.isOfSocket, let (name, message) = Self.message(object, text) {
            around.path.append(name)
            return [Sighting(kind: .text(message), around: around)]
        }
        if around.isSaid, let message = Self.spread(object) {
            return [Sighting(kind: .text(message), around: around)]
        }
        guard !Self.isRecord(object), outer.path.isEmpty || isInText else { return [] }
        // A message of a type that nobody knows: where its side is said, or its type is and there is nothing else.
        let isMessage = outer.direction != nil ? outer.isOfSocket : depth == 0 && object["type"]?.stringValue != nil
        return isMessage ? [Sighting(kind: .text(text), around: outer)] : []
    }

    /// Whether an object is a frame and no record or envelope around one.
    private func isFrame(_ object: JSONObject, _ value: JSONValue) -> Bool {
        guard direction(value) != nil, !Self.isRecord(object) else { return false }
        guard ["dir", "direction", "frame", "http"].allSatisfy({ object[$0] == nil }) else { return false }
        return !holdsFrame(object)
    }

    /// Whether a member that envelopes have holds a frame.
    private func holdsFrame(_ object: JSONObject) -> Bool {
        ["data", "payload"].contains { name in
            if let text = object[name]?.stringValue {
                return text.hasPrefix("{") && (try? JSONParser.value(text)).flatMap(direction) != nil
            }
            return object[name].flatMap(direction) != nil
        }
    }

    /// Whether an object is a line of a log by its members.
    private static func isRecord(_ object: JSONObject) -> Bool {
        object.contains { recordNames.contains(key($0.key)) }
    }

    fileprivate static let recordNames: Set<String> = [
        "level", "severity", "lvl", "logger", "loglevel", "hostname", "pid", "time", "ts", "msg", "log",
    ]

    /// The messages in the members of an object, those first that usually hold them.
    private func nested(_ object: JSONObject, _ text: String, _ around: Surroundings, depth: Int) -> [Sighting] {
        let members = object.enumerated().sorted { one, other in
            (Self.rank(one.element.key), one.offset) < (Self.rank(other.element.key), other.offset)
        }.map(\.element)
        for (name, value) in members {
            var inner = around
            inner.path.append(name)
            let found: [Sighting]
            switch value {
            case .string(let string) where string.contains("{"):
                found = inText(string[...], inner, depth: depth + 1).0
            case .object:
                found =
                    RawMember.text(of: name, in: text).map {
                        inObject(value, written: $0, inner, depth: depth + 1)
                    } ?? []
            case .array(let elements):
                let strings = elements.flatMap { element in
                    element.stringValue.map { inText($0[...], inner, depth: depth + 1).0 } ?? []
                }
                let objects = elements.filter { $0.objectValue != nil || $0.arrayValue != nil }
                let texts = objects.isEmpty ? [] : RawMember.text(of: name, in: text).map(JSONScan.elements) ?? []
                found = strings + zip(objects, texts).flatMap { inObject($0, written: $1, inner, depth: depth + 1) }
            default: found = []
            }
            if !found.isEmpty { return found }
        }
        return []
    }

    private static let messageNames = ["text", "data", "payload", "raw", "body", "message", "msg", "content", "log"]

    private static func rank(_ name: String) -> Int { messageNames.firstIndex(of: name) ?? messageNames.count }

    /// What an envelope holds, whatever it is; its words are told in other members.
    private static func message(_ object: JSONObject, _ text: String) -> (name: String, text: String)? {
        for name in messageNames.prefix(5) {
            guard let value = object[name], !value.isNull else { continue }
            if let string = value.stringValue { return (name, string) }
            if value.objectValue != nil, let raw = RawMember.text(of: name, in: text) { return (name, raw) }
        }
        return nil
    }

    /// A message whose members stand among those of its envelope.
    private static func spread(_ object: JSONObject) -> String? {
        let types = ["type", "event", "method", "op", "action", "cmd", "command", "kind", "t"]
        guard types.contains(where: { object[$0]?.stringValue != nil }) else { return nil }
        return JSONValue.object(JSONObject(object.filter { !Surroundings.isOfEnvelope(key($0.key)) })).text()
    }

    /// What an object tells of a connection beside its messages.
    private static func event(of object: JSONObject) -> Sighting.Kind? {
        let name = (["event", "msg", "message"].lazy.compactMap { object[$0]?.stringValue }.first ?? "").lowercased()
        let words = name.split { !$0.isLetter }.map(String.init)
        let isOfSocket =
            object["event"]?.stringValue?.lowercased() == words.first && words.count == 1
            || words.contains { ["ws", "websocket", "socket", "connection"].contains($0) }
        guard isOfSocket else { return nil }
        func holds(_ known: [String]) -> Bool { words.contains(where: known.contains) }
        if holds(["close", "closed", "disconnect", "disconnected", "eof", "lost", "ended"]) {
            let code =
                ["code", "closeCode", "close_code"].lazy.compactMap { object[$0]?.intValue }.first
                ?? closeCode(in: name)
            return .closing(code: holds(["eof", "lost"]) ? nil : code, reason: object["reason"]?.stringValue ?? "")
        }
        guard holds(["open", "opened", "connect", "connected", "accepted"]) else { return nil }
        return .opening(path: ["path", "url", "uri"].lazy.compactMap { object[$0]?.stringValue }.first ?? "/")
    }

    /// A request with its status and the body of its response, in the words of a line: `GET /api/sessions 200 {…}`.
    private static func exchange(in line: Substring) -> Sighting.Exchange? {
        guard let (request, status) = said(in: line), let brace = line[request.range.upperBound...].firstIndex(of: "{"),
            let end = JSONScan.end(ofBrackets: 0, in: Array(line[brace...].utf8)[...])
        else { return nil }
        let body = String(decoding: line[brace...].utf8.prefix(end), as: UTF8.self)
        guard (try? JSONParser.value(body)) != nil else { return nil }
        return Sighting.Exchange(
            method: String(request.output.1), path: HARReader.path(of: String(request.output.2)), request: nil,
            status: status, response: body, headers: [], isExplicit: false)
    }

    /// A request in the words of a line, and the status behind it.
    private static func said(in line: Substring) -> (Regex<(Substring, Substring, Substring)>.Match, status: Int)? {
        guard line.utf8.contains(UInt8(ascii: "/")),
            let request = line.firstMatch(of: #/\b(GET|POST) (\S*/api/[^\s"{]*)/#)
        else { return nil }
        let behind = line[request.range.upperBound...].prefix { $0 != "{" }
        guard let status = behind.split(whereSeparator: { !$0.isNumber }).lazy.compactMap({ Int($0) }).first,
            (100...599).contains(status)
        else { return nil }
        return (request, status)
    }

    /// A request with its response.
    private static func exchange(_ object: JSONObject, _ text: String) -> Sighting.Exchange? {
        var object = object
        if let message = object["message"]?.stringValue ?? object["msg"]?.stringValue, object["method"] == nil,
            let (request, status) = said(in: message[...])
        {
            object["method"] = .string(String(request.output.1))
            object["path"] = .string(String(request.output.2))
            object["status"] = object["status"] ?? JSONValue(status)
        }
        let words = (object["http"]?.stringValue ?? "").split(separator: " ", maxSplits: 1).map(String.init)
        let (asked, answered) = (object["req"] ?? .object(object), object["res"] ?? .object(object))
        let path = words.count == 2 ? words[1] : ["path", "url"].lazy.compactMap { asked[$0]?.stringValue }.first
        let method = words.first ?? asked["method"]?.stringValue
        let status = ["status", "statusCode"].lazy.compactMap { answered[$0]?.intValue }.first
        guard let method, let path, words.count == 2 || status.map({ (100...599).contains($0) }) == true,
            method.allSatisfy({ $0.isASCII && $0.isLetter })
        else { return nil }
        func body(_ names: String...) -> String? {
            names.lazy.compactMap { name in
                object[name].flatMap { $0.stringValue ?? RawMember.text(of: name, in: text) }
                    ?? answered[name].map { $0.stringValue ?? $0.text() }
            }.first
        }
        let headers = (object["headers"]?.objectValue.map { Array($0) } ?? []).compactMap { name, value in
            value.stringValue.map { Event.Header(name: name.lowercased(), value: $0) }
        }
        return Sighting.Exchange(
            method: method.uppercased(), path: HARReader.path(of: path), request: body("request", "requestBody"),
            status: status, response: body("response", "responseBody", "body"), headers: headers,
            isExplicit: words.count == 2)
    }

    /// A name as it is compared: small letters and digits alone.
    fileprivate static func key(_ name: String) -> String {
        String(
            decoding: name.utf8.compactMap { byte -> UInt8? in
                switch byte {
                case 0x61...0x7A, 0x30...0x39: byte
                case 0x41...0x5A: byte | 0x20
                default: nil
                }
            }, as: UTF8.self)
    }
}

// MARK: - What stands around

extension Surroundings {
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
    /// Members whose truth tells the side.
    private static let clients = ["fromclient", "isclient", "websocketmask", "mask", "outgoing", "sent"]
    private static let servers = ["fromserver", "incoming", "received"]

    /// What the members of an object say about the message in it, or before it.
    mutating func note(_ object: JSONObject, isAbout: Bool = false) {
        var said: Direction?
        var ranks: (time: Int, connection: Int) = (.max, .max)
        for (name, value) in object {
            let key = FrameFinder.key(name)
            let value = value.arrayValue?.first ?? value
            let text = value.stringValue ?? value.numberValue?.text
            if let rank = Self.times.firstIndex(of: key) {
                guard rank < ranks.time, !isAbout || time == nil, let time = CaptureClock.microseconds(value) else {
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
                let isTrue = value.boolValue ?? text.flatMap(LogWords.truth)
            {
                said = isTrue == Self.clients.contains(key) ? .toServer : .fromServer
            } else if Self.words.contains(key), let text = value.stringValue, text.utf8.count <= 80 {
                note(words: text)
                // As in HAR files: nothing else says what an object is.
                if key == "type", direction != nil, LogWords.isPlain(text) { isOfSocket = true }
            }
        }
        if let said { (direction, isOfSocket, isSaid) = (said, true, true) }
    }

    /// What the words before a message say about it, and pairs such as `conn=a7` behind it too.
    mutating func note(prefix: String, suffix: String) {
        if time == nil { time = LogTime.microseconds(in: prefix) }
        note(words: prefix)
        for word in "\(prefix) \(suffix)".split(whereSeparator: { $0.isWhitespace || $0 == "," }) {
            guard let equals = word.firstIndex(of: "=") else { continue }
            let key = FrameFinder.key(String(word[..<equals]))
            let value = String(word[word.index(after: equals)...].trimmed { "\"'[]".contains($0) })
            guard !value.isEmpty else { continue }
            if Self.connections.contains(key) {
                connection = value
            } else if Self.principals.contains(key) {
                principal = value
            } else if Self.directions.contains(key), let way = LogWords.side(value) {
                (direction, isOfSocket) = (way, true)
            }
        }
    }

    /// Whether a member of this name is of an envelope and not of a message.
    static func isOfEnvelope(_ key: String) -> Bool {
        ["at", "ts", "time"].contains(key) || connections.contains(key) && key != "connectionid"
            || ["principal", "dir", "direction"].contains(key) || FrameFinder.recordNames.contains(key)
    }

    private mutating func note(words: String) {
        guard let (way, isOfSocket) = LogWords.way(words) else { return }
        (direction, self.isOfSocket) = (way, self.isOfSocket || isOfSocket)
    }

    private static let words: Set<String> = [
        "event", "msg", "message", "action", "kind", "type", "name", "label", "op", "category", "logger", "mt",
        "messagetemplate",
    ]
}

/// What programs call the two ways of a message.
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

    /// What a member that names a direction or a sender says.
    static func side(_ text: String) -> Direction? {
        switch text.lowercased() {
        case "out", "up", "client", "toserver", "to_server", "c2s", "browser", "user": .toServer
        case "in", "down", "server", "fromserver", "from_server", "s2c", "backend": .fromServer
        default: way(text)?.way
        }
    }

    /// Whether a text is such a word alone.
    static func isPlain(_ text: String) -> Bool { toServer.union(fromServer).contains(text.lowercased()) }

    static func truth(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "1", "true": true
        case "0", "false": false
        default: nil
        }
    }

    /// What the words of a text say, the last of which stand nearest to the message, and whether they say it of a socket.
    static func way(_ text: String) -> (way: Direction, isOfSocket: Bool)? {
        let tokens = text.suffix(120).split(whereSeparator: \.isWhitespace).suffix(8)
        var way: Direction?
        for (number, token) in tokens.reversed().enumerated() where way == nil {
            let bare = String(token.trimmed { "[]():'\"`|*".contains($0) })
            if arrowsUp.contains(bare) { return (.toServer, true) }
            if arrowsDown.contains(bare) { return (.fromServer, true) }
            // Where the name of a logger stands right before it.
            if bare.hasSuffix(":>") { return (.toServer, true) }
            if bare.hasSuffix(":<") { return (.fromServer, true) }
            let words = words(of: bare)
            if number == 0, words.last == "out" { way = .toServer }
            if number == 0, words.last == "in" { way = .fromServer }
            for (place, word) in words.enumerated().reversed() where way == nil {
                if word == "message", place > 0, words[place - 1] == "on" { return (.fromServer, true) }
                if toServer.contains(word) { way = .toServer }
                if fromServer.contains(word) { way = .fromServer }
            }
        }
        guard let way else { return nil }
        let isOfSocket = words(of: text.suffix(120)).contains { sockets.contains($0) }
        // Nothing else than one word before it: `recv: {…}`.
        return (way, isOfSocket || tokens.last?.last == ":" && tokens.last.map { words(of: $0).count <= 2 } == true)
    }

    private static let sockets: Set<String> = ["ws", "wss", "websocket", "websockets", "socket", "frame", "frames"]

    /// `ws_received`, `didReceive` and `WS-RECV` in small letters, word by word.
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
