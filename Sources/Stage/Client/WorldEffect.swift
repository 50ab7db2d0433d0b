import HoldfastBasics
import HoldfastJSON
import HoldfastTransport

/// What a scripted server wants done; the shell around it does it.
package enum WorldEffect: Equatable {
    /// A frame leaves on a connection.
    case send(connection: Int, JSONValue)
    /// A text or bytes leave that need not be a frame.
    case sendRaw(connection: Int, text: String?, bytes: [UInt8]?)
    /// A close frame, and the end.
    case close(connection: Int, code: Int)
    /// The end without a close frame.
    case cut(connection: Int, Cut)
    case answer(request: Int, WorldAnswer)
    /// A request ends without an answer.
    case hangUp(request: Int)
    /// Something is due after a while.
    case later(token: Int, milliseconds: Int)
    /// Something came from the client that a wait may be waiting for.
    case arrived(WorldArrival)
}

/// The answer to a request.
package struct WorldAnswer: Equatable {
    package var status = 200
    /// Header fields besides the type of the body.
    package var headers: [(String, String)] = []
    /// The body; nil for none.
    package var body: JSONValue?
    /// The schema it has to pass; nil for one that a scenario wrote.
    var schema: String?

    package static func == (left: WorldAnswer, right: WorldAnswer) -> Bool {
        left.status == right.status && left.body == right.body && left.schema == right.schema
            && left.headers.map { [$0.0, $0.1] } == right.headers.map { [$0.0, $0.1] }
    }
}

/// What becomes of a request for a WebSocket.
package enum WorldAdmission: Equatable {
    case accept
    case refuse(status: Int)
    case silence
    case reset
    /// Accepted, and closed right after.
    case acceptAndClose(code: Int)
}
