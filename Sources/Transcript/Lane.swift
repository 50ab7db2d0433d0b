/// The place where an event was observed; a column of a sequence chart.
public enum Lane: Sendable, Hashable, CustomStringConvertible {
    /// A WebSocket connection, by device letter; reopening a letter means a new connection of the same device.
    case connection(String)
    /// One HTTP exchange, numbered from 1.
    case exchange(Int)
    case server
    case client
    case push

    /// Reads `A`, `1`, `server`, `client` or `push`; nil for anything else.
    public init?(_ text: String) {
        if !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }) {
            self = .connection(text)
            return
        }
        switch text {
        case "server": self = .server
        case "client": self = .client
        case "push": self = .push
        default:
            guard let number = Int(text), number > 0, String(number) == text else { return nil }
            self = .exchange(number)
        }
    }

    /// The lane of a connection by number, from 0: A, B, …, Z, AA, AB, ….
    package static func connection(number: Int) -> Lane {
        var letters = ""
        var rest = number
        repeat {
            letters = String(UnicodeScalar(UInt8(65 + rest % 26))) + letters
            rest = rest / 26 - 1
        } while rest >= 0
        return .connection(letters)
    }

    /// The name in transcripts and in notation.
    public var description: String {
        switch self {
        case .connection(let device): device
        case .exchange(let number): String(number)
        case .server: "server"
        case .client: "client"
        case .push: "push"
        }
    }
}

/// The direction of a message, by protocol role.
public enum Direction: String, Sendable, Hashable {
    case toServer = ">"
    case fromServer = "<"
}
