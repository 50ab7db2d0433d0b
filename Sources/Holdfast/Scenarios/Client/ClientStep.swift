import HoldfastBasics
import HoldfastJSON

package struct ClientStep: Sendable, Equatable {
    package let pointer: JSONPointer
    /// The profile without which the step is skipped.
    package let profile: Profile?
    package let action: Action

    /// The action of a step; texts contain references until they are filled in.
    package indirect enum Action: Sendable, Equatable {
        /// The user or the phone acts through the driver.
        case person(ClientAct)
        /// Changes the server's behavior.
        case when(Rule)
        /// The server answers something it held back.
        case release(ClientRelease)
        /// The server acts on its own.
        case server(ServerAction)
        case await(AwaitedArrival)
        /// Waits for something on the client's screen.
        case awaitState(AwaitedState)
        /// Waits while everything is recorded.
        case watch(ClientWatch)
        case together([[ClientStep]])
        /// Repeats steps; the counter is a variable that starts at 1.
        case `repeat`(times: Int, counter: String, [ClientStep])
        /// Runs groups of steps in every order, each time between the same steps; `${order}` counts from 1.
        case everyOrder(before: [ClientStep], of: [[ClientStep]], after: [ClientStep])
        /// One part of bringing the client to rest and checking it; scenario files do not contain it.
        case rest(IdleStep)
    }

    package init(_ action: Action, at pointer: JSONPointer = JSONPointer(), profile: Profile? = nil) {
        (self.pointer, self.profile, self.action) = (pointer, profile, action)
    }

    var withNested: [ClientStep] {
        let inner: [ClientStep] =
            switch action {
            case .together(let branches): branches.flatMap { $0 }
            case .repeat(_, _, let steps): steps
            case .everyOrder(let before, let groups, let after): before + groups.flatMap { $0 } + after
            default: []
            }
        return [self] + inner.flatMap(\.withNested)
    }
}

/// How to bring a client to rest, and what to check then.
package enum IdleStep: Sendable, Equatable {
    /// Repair the network and the server, and bring the app to the foreground.
    case mend
    /// Check everything: first the stream's content, with reads withheld; then a number of sessions, or all if nil,
    /// with reads.
    case audit(limit: Int?)
    /// Hold back the answers to reads and lists, or send them.
    case withhold, serve
    /// End all turns; with `speaking`, another device also sends to the visible session, to test the stream.
    case finish(speaking: Bool)
    /// Wait until the screen shows what the stream delivered for the visible session.
    case hear
    /// Open and check a number of sessions, one by one; all if nil.
    case visit(limit: Int?)
    /// Record the server's state of a session and wait for the screen to match; nil for the visible session.
    case compare(session: String?)
}

/// An act of a user or a phone on an app.
package enum ClientAct: Sendable, Equatable {
    /// Start the app: newly installed if `fresh` (the default at the first launch), by a tapped push if `opened`.
    case launch(fresh: Bool?, opened: ClientNotification?)
    /// Send a message; the name refers to it later. The text is unique if nil.
    case send(name: String, text: String?)
    /// Resend a failed message.
    case sendAgain(name: String)
    case background, foreground
    /// Take the network away or bring it back, and notify the app.
    case networkDown, networkUp
    /// Deliver a notification in the foreground.
    case receivePush(ClientNotification)
    case openPush(ClientNotification)
    /// Open a session; nil for a new conversation.
    case select(session: String?)
    case quit
    /// Crash the app: it stores nothing more.
    case crash

    /// The command of the driver protocol.
    package var verb: String {
        switch self {
        case .launch: "launch"
        case .send: "send"
        case .sendAgain: "sendAgain"
        case .background: "background"
        case .foreground: "foreground"
        case .networkDown: "networkDown"
        case .networkUp: "networkUp"
        case .receivePush: "receivePush"
        case .openPush: "openPush"
        case .select: "selectSession"
        case .quit: "quit"
        case .crash: "crash"
        }
    }
}

/// A notification about a message; the stage creates its payload.
package struct ClientNotification: Sendable, Equatable {
    package var session: String
    package var message: String
    /// Its turn, as a number, a reference or the name of a question; by default that of the message.
    package var turn: JSONValue?
}

/// An answer to something held back.
package struct ClientRelease: Sendable, Equatable {
    package var comes: Rule.Event
    /// Only this session, if given.
    package var session: String?
    /// Whether the answer shows the state at the arrival of the request instead of the current one.
    package var isAsAsked = false
    /// Whether to answer the newest request instead of the oldest.
    package var isNewest = false
    /// Whether the scenario continues if nothing is held back.
    package var isOptional = false
}

/// Something that a server does on its own.
package enum ServerAction: Sendable, Equatable {
    /// A running turn uses a tool.
    case tool(turn: JSONValue?, tool: String, to: ServerAudience)
    /// A running turn ends with an answer.
    case finish(turn: JSONValue?, text: String?, to: ServerAudience)
    /// A running turn ends without an answer.
    case fail(turn: JSONValue?, code: String, to: ServerAudience)
    /// Send any frame, with the next number if it is numbered.
    case tell(frame: JSONValue, isNumbered: Bool, to: ServerAudience)
    /// Send text or bytes that need not be a message.
    case tellRaw(text: String?, bytes: [UInt8]?)
    /// Another device or a timer stores messages; `isNew` starts a conversation.
    case elsewhere(session: String, messages: [ClientWorld.Message], isNew: Bool, to: ServerAudience)
    case end(ConnectionEnding)
    /// Start a new stream, as after a restart; open connections end in the given way.
    case restart(epoch: String, lastSeq: Int, keepsFrames: Bool)
    /// Drop frames kept for replay, up to a number.
    case forget(upTo: JSONValue)
    case remove(session: String)
}

package enum ServerAudience: String, Sendable, CaseIterable {
    /// Every connection that was greeted.
    case all
    /// None: the frame is numbered and kept, but lost in transit.
    case none
    /// Every connection, greeted or not.
    case open
}

/// A wait for something from a client; each arrival satisfies at most one wait.
package struct AwaitedArrival: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        /// A connection that got `connected`.
        case connection
        /// A request for a WebSocket, accepted or not.
        case attempt
        /// The first frame of a connection.
        case auth
        /// A question: over a socket, over REST, or either.
        case chat, post, question
        /// A request for missed frames.
        case sync
        case read, list
        case ping
        /// The end of a connection by the client or by a failure.
        case end
    }

    package var kind: Kind
    /// Only this session, if given.
    package var session: String?
    /// Only the message with this name, by its key or text.
    package var name: String?
    package var count: Int
    /// The name of the timeout.
    package var within: String
    /// Whether the scenario continues without it.
    package var isOptional: Bool
}

package struct AwaitedState: Sendable, Equatable {
    /// The connection status shown: one of these.
    package var connection: [String]?
    /// Whether it shows that an answer is awaited.
    package var thinking: Bool?
    /// The visible session; `.some(nil)` for none.
    package var session: String??
    /// Messages that are visible, by id or by the name of a user's message.
    package var shows: [String]
    package var hides: [String]
    package var count: Int?
    package var errors: Bool?
    /// The name of a message shown as failed.
    package var failed: String?
    /// The name of a message shown as sent.
    package var sent: String?
    /// The name of a message that must be shown as failed, unless an error is visible.
    package var told: String?
    package var unread: [String: Int]
    /// Stored messages that are visible in this order, possibly with others in between.
    package var history: [String] = []
    /// Whether no message is still being sent.
    package var isQuiet = false
    /// The name of the timeout.
    package var within: String
    /// Whether the scenario continues without it.
    package var isOptional: Bool
}

extension AwaitedState {
    package init(within bound: String) {
        (shows, hides, unread, within, isOptional) = ([], [], [:], bound, true)
    }
}

/// A period without acts.
package enum ClientWatch: Sendable, Equatable {
    /// The timeout with this name, scaled if it is a client's own timer.
    case bound(String)
    /// A number of milliseconds, unscaled.
    case milliseconds(Int)
}
