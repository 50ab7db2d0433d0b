import HoldfastJSON
import HoldfastTranscript

final class Link {
    let letter: String
    let number: Int
    /// The process that it was opened to.
    let life: Int
    /// The arrival times of the last messages to and from the server; messages never overtake each other.
    var upAt = 0
    var downAt = 0
    var isOpen = false
    /// The stage no longer reads from it or writes to it.
    var isCut = false
    /// The server has ended it, or has announced its end.
    var hasEnded = false
    /// The server no longer holds its side of the connection.
    var isGone = false
    var closeSent = false
    /// Whether the server closed it for a stop, restart or overload, although it was not told to stop.
    var hasGoodbye = false
    var isPaused = false
    var isMute = false
    var isAuthenticated = false
    /// The time until which an answer may still arrive.
    var answersDueBy = 0
    /// Messages that arrive later than this are lost.
    var losesAfter: Int?
    /// Arrivals while reading was stopped.
    var held: [World.Action] = []
    /// Messages that no wait has taken yet.
    private var waiting: [(type: String, message: JSONValue)] = []

    init(_ letter: String, number: Int, life: Int) { (self.letter, self.number, self.life) = (letter, number, life) }

    var lane: Lane { .connection(letter) }

    /// Keeps a message for a wait for its type.
    func put(_ message: JSONValue) {
        if let type = message["type"]?.stringValue { waiting.append((type, message)) }
    }

    func take(_ types: [String], where matches: (JSONValue) -> Bool) -> JSONValue? {
        waiting.firstIndex { types.contains($0.type) && matches($0.message) }.map { waiting.remove(at: $0).message }
    }
}

struct Exchange {
    let life: Int
    /// The time at which the request reaches the server.
    var upAt = 0
    /// The answer once it has arrived: its body, nil if that is not JSON, or the reason why there is none.
    var answer: Answer?

    enum Answer {
        case body(JSONValue?)
        case lost
        /// The stage has cut the connection.
        case abandoned
    }
}
