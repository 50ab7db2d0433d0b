import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastTranscript

enum Found {
    case items([LogItem])
    /// It should be a message but cannot be read.
    case unreadable(String, at: JSONLocation?)
    /// It says nothing about a connection.
    case nothing(String)
}

/// Finds messages in the lines of any program: an optional prefix, JSON somewhere in the rest, and in or around it the
/// usual names for a direction, a time and a connection.
struct FrameFinder: Sendable {
    /// The direction of a frame by its type; nil if it is not a frame, or both sides send it.
    let direction: @Sendable (JSONValue) -> Direction?

    private static let maxDepth = 8

    func find(_ line: String) -> Found {
        let line = LogWords.withoutColors(line)
        let text = line.trimmed(\.isWhitespace)
        guard !text.isEmpty, !text.hasPrefix("#") else { return .nothing("") }
        var problem: JSONProblem?
        if text.hasPrefix("{") {
            do throws(JSONProblem) {
                let value = try JSONParser.value(String(text), limits: JSONLimits(maxBytes: .max))
                return inObjectLine(value, written: String(text))
            } catch {
                problem = error
            }
        }
        if text.hasPrefix("> ") || text.hasPrefix("< "), let value = try? JSONParser.value(String(text.dropFirst(2))),
            value.objectValue == nil
        {
            var around = LogContext()
            around.direction = text.hasPrefix(">") ? .toServer : .fromServer
            return .items([LogItem(kind: .text(String(text.dropFirst(2))), around: around)])
        }
        let (items, isCut) = inText(line[...], LogContext())
        if !items.isEmpty { return .items(items) }
        if let problem { return .unreadable("the line is not JSON: \(problem)", at: problem.location) }
        if isCut { return .unreadable("a message that is cut off or shortened", at: nil) }
        return .nothing("a line without a message")
    }

    private func inObjectLine(_ value: JSONValue, written text: String) -> Found {
        let items = inObject(value, written: text, LogContext())
        if !items.isEmpty { return .items(items) }
        if let event = value["event"]?.stringValue ?? value["msg"]?.stringValue ?? value["message"]?.stringValue {
            return .nothing("a line about something else, such as '\(visible(event.prefix(40)))'")
        }
        return .nothing("an object without a message")
    }

    // MARK: Text

    private func inText(_ text: Substring, _ outer: LogContext, depth: Int = 0) -> ([LogItem], isCut: Bool) {
        guard depth < Self.maxDepth else { return ([], false) }
        let bytes = Array(text.utf8)
        var (index, attempts, isCut) = (0, 0, false)
        var found: [LogItem] = []
        while attempts < 16, let brace = bytes[index...].firstIndex(of: UInt8(ascii: "{")) {
            attempts += 1
            guard let (object, value, end) = object(at: brace, in: bytes) else {
                index = brace + 1
                guard bytes[brace...].prefix(12).contains(UInt8(ascii: "\"")) else { continue }
                isCut = true
                // Contents of a message without an end are a part of it, not a message.
                guard let end = JSONScan.end(ofBrackets: brace, in: bytes[...]) else { break }
                index = end
                continue
            }
            let suffix = String(decoding: bytes[end...].prefix(400), as: UTF8.self)
            // A text shortened in the middle can be an object by chance: the text after it states its length.
            if let length = Self.statedLength(suffix), length > object.utf8.count {
                (isCut, index) = (true, end)
                continue
            }
            var around = outer
            let prefix = String(decoding: bytes[index..<brace], as: UTF8.self)
            around.note(prefix: prefix, suffix: suffix)
            if let exchange = Self.exchange(in: prefix[...], body: object) {
                return ([LogItem(kind: .exchange(exchange), around: around)], false)
            }
            let more = inObject(value, written: object, around, depth: depth + 1, isInText: true)
            if more.isEmpty, let object = value.objectValue {
                // Words after a message describe it too.
                for number in found.indices { found[number].around.note(object, isAfter: true) }
            }
            found += more
            index = end
        }
        if found.isEmpty, let exchange = Self.exchange(in: text.prefix(400), body: nil) {
            var around = outer
            around.note(prefix: String(text.prefix(400)), suffix: "")
            return ([LogItem(kind: .exchange(exchange), around: around)], false)
        }
        if found.isEmpty, depth == 0, let event = Self.event(in: text, outer) { return ([event], false) }
        return (found, isCut && found.isEmpty)
    }

    /// The object that begins at a brace, without a program's quotation, and the index after it.
    private func object(at brace: Int, in bytes: [UInt8]) -> (text: String, value: JSONValue, end: Int)? {
        func parsed(_ text: String, _ end: Int) -> (String, JSONValue, Int)? {
            guard let value = try? JSONParser.value(text, limits: JSONLimits(maxBytes: .max)), value.objectValue != nil
            else { return nil }
            return (text, value, end)
        }
        let quotes = [UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`")]
        if brace > 0, quotes.contains(bytes[brace - 1]), let end = JSONScan.end(ofString: brace - 1, in: bytes[...]) {
            let inside = bytes[brace..<(end - 1)]
            // As in Python, Go and JSON: inside quotes, a backslash precedes each character that would end them.
            if inside.contains(UInt8(ascii: "\\")),
                let found = parsed(
                    String(
                        decoding: JSONScan.unescaped(
                            inside, isBytes: brace > 1 && bytes[brace - 2] == UInt8(ascii: "b")), as: UTF8.self), end)
            {
                return found
            }
        }
        if let end = JSONScan.end(ofBrackets: brace, in: bytes[...]),
            let found = parsed(String(decoding: bytes[brace..<end], as: UTF8.self), end)
        {
            return found
        }
        // As in CSV files: a quote is doubled.
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

    private static func closeCode(in text: some StringProtocol) -> Int? {
        text.split { !$0.isNumber }.lazy.compactMap { Int($0) }.first { (1000...4999).contains($0) }
    }

    /// The event in a line without a message: a connection that opens or ends.
    private static func event(in text: Substring, _ outer: LogContext) -> LogItem? {
        var around = outer
        around.note(prefix: String(text), suffix: "")
        let lower = text.lowercased()
        let closes = [
            "disconnected (code", "= connection is closed", "> close ", "< close ", "onclosing", "onclosed", "onclose ",
            "onclose:", "onfailure",
        ]
        // A line about a socket with a close code means an end, whatever its words.
        let spoken = lower.firstRange(of: "close").flatMap {
            closeCode(in: lower[$0.lowerBound...]) != nil && lower.contains(#/\b(ws|websocket|socket|connection)\b/#)
                ? $0 : nil
        }
        if let mark = closes.lazy.compactMap({ lower.firstRange(of: $0) }).first ?? spoken {
            let code = closeCode(in: lower[mark.lowerBound...])
            around.direction = lower[mark].hasPrefix(">") ? .toServer : lower[mark].hasPrefix("<") ? .fromServer : nil
            return LogItem(kind: .closing(code: code, reason: ""), around: around)
        }
        let opens = ["connected (press ctrl+c", "= connection is open", "onopen"]
        guard opens.contains(where: lower.contains) else { return nil }
        return LogItem(kind: .opening(path: "/"), around: around)
    }

    // MARK: Objects

    private func inObject(
        _ value: JSONValue, written text: String, _ outer: LogContext, depth: Int = 0, isInText: Bool = false
    ) -> [LogItem] {
        guard let object = value.objectValue, depth < Self.maxDepth else { return [] }
        // A member inside a frame says nothing about the connection.
        if isFrame(object, value) { return [LogItem(kind: .text(text), around: outer)] }
        var around = outer
        around.note(object)
        if let exchange = Self.exchange(object, text) { return [LogItem(kind: .exchange(exchange), around: around)] }
        if let digits = object["hex"]?.stringValue, let bytes = bytes(ofHexDigits: digits) {
            return [LogItem(kind: .binary(bytes), around: around)]
        }
        if let frame = object["frame"], let message = frame.stringValue ?? JSONScan.member("frame", of: text) {
            around.path.append("frame")
            return [LogItem(kind: .text(message), around: around)]
        }
        if around.statesDirection, direction(value) != nil, !holdsFrame(object), let message = Self.spread(object) {
            // The id in a greeting is not the name of the connection in the log.
            if object["connectionId"]?.stringValue == around.connection { around.connection = outer.connection }
            return [LogItem(kind: .text(message), around: around)]
        }
        let nested = nested(object, text, around, depth: depth)
        if !nested.isEmpty { return nested }
        if let event = Self.event(of: object, around) { return [LogItem(kind: event, around: around)] }
        if around.direction != nil, around.isOfSocket, let (name, message) = Self.message(object, text) {
            around.path.append(name)
            return [LogItem(kind: .text(message), around: around)]
        }
        if around.statesDirection, let message = Self.spread(object) {
            return [LogItem(kind: .text(message), around: around)]
        }
        guard !Self.isRecord(object), outer.path.isEmpty || isInText else { return [] }
        // A message of an unknown type: its side is stated, or it has nothing but a type.
        let isMessage = outer.direction != nil ? outer.isOfSocket : depth == 0 && object["type"]?.stringValue != nil
        return isMessage ? [LogItem(kind: .text(text), around: outer)] : []
    }

    private func isFrame(_ object: JSONObject, _ value: JSONValue) -> Bool {
        guard direction(value) != nil, !Self.isRecord(object) else { return false }
        guard ["dir", "direction", "frame", "http"].allSatisfy({ object[$0] == nil }) else { return false }
        return !holdsFrame(object)
    }

    /// Whether an envelope's usual member contains a frame.
    private func holdsFrame(_ object: JSONObject) -> Bool {
        ["data", "payload"].contains { name in
            if let text = object[name]?.stringValue {
                return text.hasPrefix("{") && (try? JSONParser.value(text)).flatMap(direction) != nil
            }
            return object[name].flatMap(direction) != nil
        }
    }

    private static func isRecord(_ object: JSONObject) -> Bool {
        object.contains { recordNames.contains(key($0.key)) }
    }

    static let recordNames: Set<String> = [
        "level", "severity", "lvl", "logger", "loglevel", "hostname", "pid", "time", "ts", "msg", "log",
    ]

    private func nested(_ object: JSONObject, _ text: String, _ around: LogContext, depth: Int) -> [LogItem] {
        let members = object.enumerated().sorted { one, other in
            (Self.rank(one.element.key), one.offset) < (Self.rank(other.element.key), other.offset)
        }.map(\.element)
        for (name, value) in members {
            var inner = around
            inner.path.append(name)
            let found: [LogItem]
            switch value {
            case .string(let string) where string.contains("{"):
                found = inText(LogWords.withoutColors(string)[...], inner, depth: depth + 1).0
            case .object:
                found =
                    JSONScan.member(name, of: text).map {
                        inObject(value, written: $0, inner, depth: depth + 1)
                    } ?? []
            case .array(let elements) where elements.count > 8 && elements.allSatisfy { $0.intValue != nil }:
                // Journals write a text with unusual characters as an array of its bytes.
                let bytes = elements.compactMap { $0.intValue.flatMap(UInt8.init(exactly:)) }
                found =
                    inText(LogWords.withoutColors(String(decoding: bytes, as: UTF8.self))[...], inner, depth: depth + 1)
                    .0
            case .array(let elements):
                let strings = elements.flatMap { element in
                    element.stringValue.map { inText($0[...], inner, depth: depth + 1).0 } ?? []
                }
                let objects = elements.filter { $0.objectValue != nil || $0.arrayValue != nil }
                let texts = objects.isEmpty ? [] : JSONScan.member(name, of: text).map(JSONScan.elements) ?? []
                found = strings + zip(objects, texts).flatMap { inObject($0, written: $1, inner, depth: depth + 1) }
            default: found = []
            }
            if !found.isEmpty { return found }
        }
        return []
    }

    private static let messageNames = ["text", "data", "payload", "raw", "body", "message", "msg", "content", "log"]

    private static func rank(_ name: String) -> Int { messageNames.firstIndex(of: name) ?? messageNames.count }

    /// The contents of an envelope, of any kind; other members describe them.
    private static func message(_ object: JSONObject, _ text: String) -> (name: String, text: String)? {
        for name in messageNames.prefix(5) {
            guard let value = object[name], !value.isNull else { continue }
            if let string = value.stringValue { return (name, string) }
            if value.objectValue != nil, let raw = JSONScan.member(name, of: text) { return (name, raw) }
        }
        return nil
    }

    /// A message whose members are mixed with those of its envelope.
    private static func spread(_ object: JSONObject) -> String? {
        let types = ["type", "event", "method", "op", "action", "cmd", "command", "kind", "t"]
        guard types.contains(where: { object[$0]?.stringValue != nil }) else { return nil }
        return JSONValue.object(JSONObject(object.filter { !LogContext.isOfEnvelope(key($0.key)) })).text()
    }

    private static func event(of object: JSONObject, _ around: LogContext) -> LogItem.Kind? {
        let said = ["event", "msg", "message"].lazy.compactMap { object[$0]?.stringValue }.first
        let name = (said ?? around.words).lowercased()
        let words = name.split { !$0.isLetter }.map(String.init)
        let sockets =
            ["ws", "websocket", "socket", "connection"] + (around.connection == nil ? [] : ["client", "peer"])
        let isOfSocket =
            object["event"]?.stringValue?.lowercased() == words.first && words.count == 1
            || words.contains(where: sockets.contains)
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

    /// An exchange in the words before a body: with a status the body is the response's, else the request's.
    private static func exchange(in line: Substring, body: String?) -> LogItem.Exchange? {
        guard line.utf8.contains(UInt8(ascii: "/")),
            let request = line.firstMatch(of: #/\b(GET|POST)["',]* +(?:[a-z]+=)?"?([^\s"{]*\/api\/[^\s"{]*)/#)
        else { return nil }
        let around = [line[request.range.upperBound...], line[..<request.range.lowerBound].suffix(5)]
        let status = around.lazy.flatMap { $0.split { !$0.isNumber } }.compactMap { Int($0) }.first {
            (100...599).contains($0)
        }
        if status != nil, body == nil { return nil }
        return LogItem.Exchange(
            method: String(request.output.1), path: HARReader.path(of: String(request.output.2)),
            request: status == nil ? body : nil, status: status, response: status == nil ? nil : body)
    }

    /// A read, recognized by its body, which looks like no frame.
    private static func read(_ object: JSONObject, _ text: String) -> LogItem.Exchange? {
        let path: String
        if let session = object["session"], let id = session["id"]?.stringValue, session["messages"]?.arrayValue != nil
        {
            path = "/api/sessions/\(id)"
        } else if let sessions = object["sessions"]?.arrayValue, object.count == 1,
            sessions.allSatisfy({ $0["id"] != nil && $0["updatedAt"] != nil })
        {
            path = "/api/sessions"
        } else {
            return nil
        }
        return LogItem.Exchange(method: "GET", path: path, request: nil, status: 200, response: text)
    }

    private static func exchange(_ object: JSONObject, _ text: String) -> LogItem.Exchange? {
        if let read = read(object, text) { return read }
        let words = (object["http"]?.stringValue ?? "").split(separator: " ", maxSplits: 1).map(String.init)
        let isExplicit = words.count == 2
        let (asked, answered) = (object["req"] ?? .object(object), object["res"] ?? .object(object))
        func member(_ names: String..., of value: JSONValue) -> JSONValue? {
            names.lazy.compactMap { name in value.objectValue?.first { key($0.key) == name && !$0.value.isNull }?.value
            }
            .first
        }
        let said = ["message", "msg"].lazy.compactMap { object[$0]?.stringValue }.first
            .flatMap { $0.contains("{") ? nil : exchange(in: $0[...], body: "") }
        let path = isExplicit ? words[1] : member("path", "url", "uri", of: asked)?.stringValue ?? said?.path
        let method = words.first ?? member("method", of: asked)?.stringValue ?? said?.method
        let status = member("status", "statuscode", of: answered)?.intValue ?? said?.status
        guard let method, let path, isExplicit || status.map({ (100...599).contains($0) }) == true,
            method.allSatisfy({ $0.isASCII && $0.isLetter })
        else { return nil }
        func body(_ names: String..., of value: JSONValue) -> String? {
            names.lazy.compactMap { name -> String? in
                guard let (member, held) = value.objectValue?.first(where: { key($0.key) == name }) else { return nil }
                return held.stringValue ?? JSONScan.member(member, of: text) ?? held.text()
            }.first
        }
        let headers = (object["headers"]?.objectValue.map { Array($0) } ?? []).compactMap { name, value in
            value.stringValue.map { Event.Header(name: name.lowercased(), value: $0) }
        }
        return LogItem.Exchange(
            method: method.uppercased(), path: HARReader.path(of: path),
            request: body("request", "requestbody", of: .object(object))
                ?? (object["req"] == nil ? nil : body("body", of: asked)),
            status: status, response: body("response", "responsebody", "body", of: object["res"] ?? .object(object)),
            headers: headers, isExplicit: isExplicit)
    }

    /// A name for comparison: only lowercase letters and digits.
    static func key(_ name: String) -> String {
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
