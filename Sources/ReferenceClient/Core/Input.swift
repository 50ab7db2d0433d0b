import HoldfastJSON

/// Something that happened to the client; the core learns of the world by these alone.
package enum Input: Sendable {
    /// The app runs; a tapped notification may have launched it.
    case launched(opened: JSONValue?)
    /// The system brought the app to the foreground, or says so for the first time after the launch.
    case foreground
    /// The system put the app away.
    case background
    case networkDown
    case networkUp
    /// The upgrade of a socket succeeded.
    case opened(socket: Int)
    case received(socket: Int, String)
    /// A socket is gone, could not be opened, or could not be written to.
    case ended(socket: Int, code: Int?)
    /// A REST request was answered; nil when nothing came.
    case answered(request: Int, RESTAnswer?)
    /// A wait is over.
    case elapsed(ClientTimer)
    /// The person sends a text in the conversation on the screen.
    case said(String)
    /// The person sends the message of a key again, which is shown as failed.
    case saidAgain(key: String)
    /// The person goes to a session, or to a new conversation.
    case selected(String?)
    /// A notification arrived while the app was in the foreground.
    case pushReceived(JSONValue)
    case pushOpened(JSONValue)
}

/// Something the core wants done; it does nothing by itself.
package enum Effect: Sendable, Equatable {
    case open(socket: Int, url: String)
    case send(socket: Int, String)
    /// End a socket, with a close frame where there is a code.
    case close(socket: Int, code: UInt16?)
    /// Ask over REST; nothing is asked longer than `limit` milliseconds.
    case request(Int, RESTRequest, limit: Int)
    /// Nobody waits for the answer any more.
    case cancel(request: Int)
    /// Say when so many milliseconds are over; replaces an earlier wait of the same name.
    case wait(ClientTimer, ms: Int)
    /// The wait is not needed any more.
    case stopWaiting(ClientTimer)
    /// Keep this; what follows depends on it.
    case save(ClientMemory)
}

package enum ClientTimer: Sendable, Hashable {
    /// For the next attempt to connect.
    case reconnect
    /// For `connected`.
    case greeting
    /// For a sign that a question arrived.
    case sign(key: String)
    /// Until a question may be sent again.
    case retry(key: String)
    /// Between two reads of a conversation.
    case poll(conversation: Int)
    /// Between two looks at the list without a socket.
    case degraded
    /// For a frame of a running turn.
    case silence(key: String)
    /// For anything on the connection while a turn is awaited.
    case stillness
}

/// A REST request, without what HTTP adds.
package struct RESTRequest: Sendable, Equatable {
    package var method: String
    package var url: String
    /// What follows `Bearer` in the `Authorization` header.
    package var token: String?
    /// JSON, or empty.
    package var body = ""
}

package struct RESTAnswer: Sendable, Equatable {
    var status: Int
    var body: String
    var retryAfter: String?

    package init(status: Int, body: String, retryAfter: String? = nil) {
        (self.status, self.body, self.retryAfter) = (status, body, retryAfter)
    }
}
