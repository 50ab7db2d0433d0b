import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastTranscript

/// What the beginning of a file shows: its messages, and whether its directions fit what the messages are.
public struct CaptureOpening: Sendable {
    /// The messages, by which their protocol is recognized.
    public private(set) var sample = WireSample()
    /// How many messages travel as their types do.
    private var fitting = 0
    /// How many travel the other way, and where the first of those stands.
    private var opposite = 0
    private var firstFitting: CaptureLocation?
    private var firstOpposite: CaptureLocation?
    /// Whether any message was found.
    private(set) var hasMessages = false
    /// What it shows of whose the connections are.
    var identities = CaptureIdentities()

    /// The beginning of a file of lines; with all of them it is known whose they are.
    public init(_ bytes: [UInt8], dialect: Dialect = .canonical, isWhole: Bool = false) {
        identities.isWhole = isWhole
        let finder = FrameFinder(direction: dialect.direction)
        var lines = CaptureLines(maxLineBytes: 1 << 20)
        var joiner = JSONJoiner()
        var read = lines.append(bytes)
        if let last = lines.finish() { read.append(last) }
        var (messages, others): ([(String, Direction?)], [String]) = ([], [])
        func take(_ text: String, _ given: Direction?, on lane: String, _ location: CaptureLocation) {
            messages.append((text, given))
            identities.take(lane: lane)
            guard let value = try? JSONParser.value(text) else { return }
            let known = dialect.direction(of: value)
            if known ?? given == .toServer { identities.take(value, dialect) }
            guard let given, let way = known else { return }
            note(isFitting: given == way, location)
        }
        for line in read {
            let text = String(decoding: line.bytes, as: UTF8.self)
            switch NoteLine(text) {
            case .text(let lane, let direction, let message):
                take(message, direction, on: lane, line.location)
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
                guard case .sightings(let found) = finder.find(piece.text) else {
                    others.append(piece.text)
                    continue
                }
                for sighting in found {
                    hasMessages = true
                    identities.take(name: sighting.around.principal)
                    switch sighting.kind {
                    case .text(let message):
                        take(message, sighting.around.direction, on: sighting.around.connection ?? "A", piece.location)
                    case .opening(let path): identities.take(path: path)
                    case .exchange(let exchange): identities.take(path: exchange.path)
                    case .binary, .closing: break
                    }
                }
            }
        }
        hasMessages = hasMessages || !messages.isEmpty
        // Where nothing is found by its names, the lines may be messages of another protocol.
        if !hasMessages { messages = others.map { ($0, nil) } }
        for (text, direction) in messages where !sample.isFull {
            sample.take(text, sentBy: direction.map { (isTurned ? $0.other : $0).sender })
        }
    }

    /// Nothing yet.
    init() {}

    /// Counts a message by whether it travels as its type does.
    mutating func note(isFitting: Bool, _ location: CaptureLocation) {
        if isFitting {
            (fitting, firstFitting) = (fitting + 1, firstFitting ?? location)
        } else {
            (opposite, firstOpposite) = (opposite + 1, firstOpposite ?? location)
        }
    }

    /// Whether the file was written by the other side than its directions say.
    var isTurned: Bool { opposite > fitting }

    /// What is to be said of the directions; nil where they fit.
    var remark: String? {
        let whole = fitting + opposite
        guard opposite > 0 else { return nil }
        let odd = isTurned ? firstFitting : firstOpposite
        let rest = odd.map {
            "; \(counted(min(fitting, opposite), "message")) of them \(min(fitting, opposite) == 1 ? "goes" : "go") "
                + "the wrong way either way, first \($0)"
        }
        guard isTurned else { return "the directions fit the types of \(fitting) of \(whole) messages\(rest ?? "")" }
        return
            "directions turned: by their types \(opposite) of \(whole) messages travel the other way than the file says, "
            + "as where a server wrote it\(rest ?? "")"
    }
}

extension Direction {
    /// The way back.
    var other: Direction { self == .toServer ? .fromServer : .toServer }
}
