import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastTranscript

/// The evidence in the beginning of a file: its messages, and whether its directions fit their types.
public struct CaptureOpening: Sendable {
    /// The messages, by which their protocol is recognized.
    public private(set) var sample = WireSample()
    /// The numbers of messages whose direction fits their type, and of the others; below, the place of each first one.
    private var fitting = 0
    private var opposite = 0
    private var firstFitting: CaptureLocation?
    private var firstOpposite: CaptureLocation?
    private(set) var hasMessages = false
    var identities = CaptureIdentities()
    /// The position of the word before a message that names its connection; nil if there is none.
    private(set) var nameWord: Int?

    /// The beginning of a file of lines; only if it is the whole file can it show that there is one owner.
    public init(_ bytes: [UInt8], dialect: Dialect = .canonical, isWhole: Bool = false) {
        identities.isWhole = isWhole
        let finder = FrameFinder(direction: dialect.direction)
        var lines = CaptureLines(maxLineBytes: 1 << 20)
        var joiner = JSONJoiner()
        var read = lines.append(bytes)
        if let last = lines.finish() { read.append(last) }
        var (messages, others): ([Message], [String]) = ([], [])
        for line in read {
            let text = String(decoding: line.bytes, as: UTF8.self)
            switch NoteLine(text) {
            case .text(let lane, let direction, let message):
                messages.append(Message(message, direction, on: lane, line.location, dialect))
                continue
            case .open(_, let path), .exchange(_, let path, _, _, _):
                identities.take(path: path)
                fallthrough
            case .binary, .closed:
                hasMessages = true
                continue
            default: break
            }
            for piece in joiner.take(text, line.location) {
                guard case .items(let found) = finder.find(piece.text) else {
                    others.append(piece.text)
                    continue
                }
                for item in found {
                    hasMessages = true
                    identities.take(name: item.around.principal)
                    switch item.kind {
                    case .text(let message):
                        let around = item.around
                        messages.append(
                            Message(message, around.direction, on: around.connection, piece.location, dialect, around))
                    case .opening(let path): identities.take(path: path)
                    case .exchange(let exchange): identities.take(path: exchange.path)
                    case .binary, .closing: break
                    }
                }
            }
        }
        hasMessages = hasMessages || !messages.isEmpty
        nameWord = (0...2).first { Self.isName($0, in: messages) }
        for message in messages {
            let word = nameWord.flatMap { $0 < message.names.count ? message.names[$0] : nil }
            identities.take(lane: message.connection ?? word ?? "A")
            guard let value = message.value else { continue }
            if message.direction ?? message.given == .toServer { identities.take(value, dialect) }
            guard let given = message.given, let direction = message.direction else { continue }
            note(isFitting: given == direction, message.location)
        }
        identities.isOneClient = fitting > 0 && opposite == 0 && !messages.isEmpty && messages.allSatisfy(\.isInWords)
        // If no messages are found by their names, the lines may be messages of another protocol.
        if !hasMessages {
            messages = others.map { Message($0, nil, on: nil, CaptureLocation(line: 0, offset: 0), dialect) }
        }
        for message in messages where !sample.isFull {
            sample.take(message.text, sentBy: message.given.map { (isReversed ? $0.other : $0).sender })
        }
    }

    private struct Message {
        let text: String
        let value: JSONValue?
        /// Its direction in the file, and that of its type.
        let (given, direction): (Direction?, Direction?)
        let connection: String?
        let names: [String]
        /// Whether the words before it, and no member, give its direction.
        let isInWords: Bool
        let location: CaptureLocation

        init(
            _ text: String, _ given: Direction?, on connection: String?, _ location: CaptureLocation,
            _ dialect: Dialect,
            _ around: LogContext = LogContext()
        ) {
            (names, isInWords) = (around.names, !around.names.isEmpty && !around.statesDirection)
            value = try? JSONParser.value(text)
            direction = value.flatMap(dialect.direction)
            (self.text, self.given, self.connection) = (text, given, connection)
            self.location = location
        }
    }

    /// Whether the word at a position before each message names its connection, as in `ws c7 received {…}`: if so, each
    /// answer to an `auth` or a `chat` has the same name as its question, and each name with answers has questions too.
    private static func isName(_ position: Int, in messages: [Message]) -> Bool {
        var (signedIn, asked, speaking, heard): (Set<String>, [String: Set<String>], Set<String>, Set<String>) =
            ([], [:], [], [])
        var greeted: Set<String> = []
        for message in messages {
            guard message.connection == nil, position < message.names.count, let frame = message.value,
                let direction = message.direction
            else { return false }
            let name = message.names[position]
            let key = frame["clientMessageId"]?.stringValue
            switch (direction, frame["type"]?.stringValue) {
            case (.toServer, "auth"): guard signedIn.insert(name).inserted else { return false }
            case (.toServer, "chat"): if let key { asked[key, default: []].insert(name) }
            case (.fromServer, "connected"):
                guard signedIn.contains(name), greeted.insert(name).inserted else { return false }
            case (.fromServer, "ack"):
                if let key, let names = asked[key], !names.contains(name) { return false }
            default: break
            }
            if direction == .toServer { speaking.insert(name) } else { heard.insert(name) }
        }
        return speaking.count > 1 && heard.isSubset(of: speaking)
    }

    init() {}

    mutating func note(isFitting: Bool, _ location: CaptureLocation) {
        if isFitting {
            (fitting, firstFitting) = (fitting + 1, firstFitting ?? location)
        } else {
            (opposite, firstOpposite) = (opposite + 1, firstOpposite ?? location)
        }
    }

    /// Whether the directions in the file are reversed, as in a server's own log.
    var isReversed: Bool { opposite > fitting }

    var remark: String? {
        let whole = fitting + opposite
        guard opposite > 0 else { return nil }
        let odd = isReversed ? firstFitting : firstOpposite
        let rest = odd.map {
            "; \(counted(min(fitting, opposite), "message")) of them \(min(fitting, opposite) == 1 ? "goes" : "go") "
                + "the wrong way in both cases, first \($0)"
        }
        guard isReversed else { return "the directions fit the types of \(fitting) of \(whole) messages\(rest ?? "")" }
        return
            "directions reversed: by their types, \(opposite) of \(whole) messages go the other way than the file says, "
            + "as where a server wrote it\(rest ?? "")"
    }
}

extension Direction {
    var other: Direction { self == .toServer ? .fromServer : .toServer }
}
