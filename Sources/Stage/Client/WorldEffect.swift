import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastTranscript
import HoldfastTransport

package enum WorldEffect: Equatable {
    case send(connection: Int, JSONValue)
    case sendRaw(connection: Int, text: String?, bytes: [UInt8]?)
    /// Send a close frame, and end.
    case close(connection: Int, code: Int)
    /// End without a close frame.
    case cut(connection: Int, Cut)
    case answer(request: Int, WorldAnswer)
    /// End a request without an answer.
    case hangUp(request: Int)
    /// Call ``ServerWorld/due(_:)`` with the token after this time.
    case later(token: Int, milliseconds: Int)
    /// Report something from the client that a wait may be waiting for.
    case arrived(WorldArrival)
}

package struct WorldAnswer: Equatable {
    var status = 200
    /// In seconds.
    package var retryAfter: Int?
    var body: JSONValue?
    /// The schema it must satisfy; nil if a scenario wrote it.
    var schema: String?

    var headers: [(String, String)] {
        (body == nil ? [] : [("Content-Type", "application/json")])
            + (retryAfter.map { [("Retry-After", "\($0)")] } ?? [])
    }

    package var response: Event.Response {
        Event.Response(
            status: status, headers: headers.map { Event.Header(name: $0.0.lowercased(), value: $0.1) },
            body: body?.text() ?? "")
    }
}

package enum WorldAdmission: Equatable {
    case accept
    case refuse(status: Int)
    case silence
    case reset
    case acceptAndClose(code: Int)

    package var refusal: Event.Kind? {
        switch self {
        case .refuse(let status): .refused(status: status, reason: "refused")
        case .reset: .refused(status: nil, reason: "the server reset the connection")
        case .accept, .acceptAndClose, .silence: nil
        }
    }
}

package struct WorldArrival: Equatable, Sendable {
    /// The kinds of waits it satisfies; only one wait takes it.
    package var kinds: Set<AwaitedArrival.Kind>
    var session: String?
    var key: String?
    var text: String?
    package var connection: Int?

    init(
        _ kinds: Set<AwaitedArrival.Kind>, session: String? = nil, key: String? = nil, text: String? = nil,
        connection: Int? = nil
    ) {
        (self.kinds, self.session, self.key, self.text, self.connection) = (kinds, session, key, text, connection)
    }
}

struct WorldQuestion: Equatable {
    var session: String?
    var key: String
    /// The content of its last message, verbatim.
    var content: JSONValue

    /// Reads a `chat` or the body of a request; nil if it is neither.
    init?(_ value: JSONValue) {
        guard let last = value["messages"]?.arrayValue?.last, last["role"]?.stringValue == "user",
            let content = last["content"], content.stringValue != nil || content.arrayValue?.isEmpty == false,
            let key = value["clientMessageId"]?.stringValue, !key.isEmpty
        else { return nil }
        if let session = value["sessionId"], session.stringValue?.isEmpty != false { return nil }
        (self.content, self.key) = (content, key)
        session = value["sessionId"]?.stringValue
    }

    var text: String { MessageContent.text(of: content) }
}
