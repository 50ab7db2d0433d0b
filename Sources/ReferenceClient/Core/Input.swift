import HoldfastJSON

/// An event from outside; the core learns about the world only from these.
package enum Input: Sendable {
    case launched(opened: JSONValue?)
    /// The app came to the foreground, or was first reported there after launch.
    case foreground
    case background
    case networkDown
    case networkUp
    /// The upgrade of a socket succeeded.
    case opened(socket: Int)
    case received(socket: Int, String)
    /// A socket ended, could not be opened, or could not be written to.
    case ended(socket: Int, code: Int?)
    /// A REST request ended; a nil answer means that none arrived.
    case answered(request: Int, RESTAnswer?)
    case elapsed(ClientTimer)
    case typed(String)
    case resent(key: String)
    case selected(String?)
    case pushReceived(JSONValue)
    case pushOpened(JSONValue)
}

/// An action for the shell to perform; the core itself performs none.
package enum Effect: Sendable, Equatable {
    case open(socket: Int, url: String)
    case send(socket: Int, String)
    case close(socket: Int, code: UInt16?)
    /// Send a REST request that times out after `limit` milliseconds.
    case request(Int, RESTRequest, limit: Int)
    case cancel(request: Int)
    /// Start a timer; replaces an earlier one of the same name.
    case wait(ClientTimer, ms: Int)
    case stopWaiting(ClientTimer)
    /// Save the memory before performing the effects after it.
    case save(ClientMemory)
}

package enum ClientTimer: Sendable, Hashable {
    case reconnect
    case greeting
    /// The timeout for the first frame that confirms that a question arrived.
    case confirmation(key: String)
    /// The time when a question may be sent again.
    case retry(key: String)
    /// The next read of a conversation.
    case poll(conversation: Int)
    /// The next read of the list without a socket.
    case degraded
    /// The timeout for a frame of a running turn.
    case silence(key: String)
    /// The timeout for anything on the connection while a turn is awaited.
    case connectionSilence
}

/// Independent of HTTP.
package struct RESTRequest: Sendable, Equatable {
    package var method: String
    package var url: String
    /// The text after `Bearer` in the `Authorization` header.
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
