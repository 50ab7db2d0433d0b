/// One event or wait as written in the notation, before its expansion.
struct NotationItem {
    /// What stands between two spaces.
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
    let place: NotationPlace
}

/// A name with its arguments and, for a `syncResult`, the frames it replays.
struct NotationFrame {
    let name: String
    let arguments: [NotationArgument]
    /// Nil when no brackets were written.
    let frames: [NotationFrame]?
    let place: NotationPlace
}

/// One argument between round brackets.
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

        /// The characters, quoted or not.
        var characters: String {
            switch self {
            case .word(let text), .text(let text): text
            }
        }
    }

    let content: Content
    let place: NotationPlace
}

/// A place in a line of notation; both counts begin at 1.
struct NotationPlace {
    let line: Int
    let column: Int
}
