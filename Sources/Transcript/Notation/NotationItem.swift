import Holdfast
import HoldfastBasics

/// One event or wait of the notation, unexpanded.
struct NotationItem {
    enum Content {
        /// `A+(e1 #0)`: open, auth and connected in one word.
        case handshake(NotationFrame)
        /// `A>chat(c1)`.
        case frame(Direction, NotationFrame)
        /// ``A>`{` ``.
        case verbatim(Direction, String)
        /// `server!kill`.
        case act(NotationFrame)
        /// `client=connected(u1)`.
        case state(NotationFrame)
        /// `+250ms`, in microseconds.
        case wait(Int)
    }

    let lane: Lane?
    let content: Content
    /// Whether `^` marks it.
    let isCited: Bool
    let location: NotationLocation
}

/// A name with its arguments and, for a `syncResult`, the replayed frames.
struct NotationFrame {
    let name: String
    let arguments: [NotationArgument]
    /// Nil without brackets.
    let frames: [NotationFrame]?
    let location: NotationLocation
}

struct NotationArgument {
    enum Content {
        /// `t1`, `t1=failed`, `a1='other'`.
        case id(Character, Int, Value?)
        /// `#7`.
        case position(Int)
        /// `'text'`.
        case text(String)
        /// `-s`.
        case dropped(String)
        /// `complete`.
        case word(String)
        /// `limit=3`.
        case field(String, Value)
    }

    enum Value: Equatable {
        case word(String)
        case text(String)

        var characters: String {
            switch self {
            case .word(let text), .text(let text): text
            }
        }
    }

    let content: Content
    let location: NotationLocation
}

/// A place in a notation text; line and column start at 1.
struct NotationLocation {
    let source: String
    let line: Int
    let column: Int

    func problem(_ what: String, expected: String, fix: String = "remove it") -> InputProblem {
        InputProblem(location: "\(source):\(line):\(column)", what: what, expected: expected, fix: fix)
    }
}

extension NotationFrame {
    /// The status that it names, such as 404.
    var status: Int? { name.count == 3 ? Int(name).flatMap { (100...599).contains($0) ? $0 : nil } : nil }

    func unknown(_ what: String, known: [String], fix: String = "correct the word") -> InputProblem {
        location.problem(
            what, expected: known.joined(separator: ", "),
            fix: nearestName(to: name, among: known).map { "did you mean '\($0)'?" } ?? fix)
    }
}
