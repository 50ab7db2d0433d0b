import HoldfastBasics
import HoldfastJSON

package struct ClientStep: Sendable, Equatable {
    /// Where the step stands in its file.
    package let pointer: JSONPointer
    /// The profile without which the step is left out.
    package let profile: Profile?
    package let action: Action

    /// What a step does; texts hold references until they are filled in.
    package indirect enum Action: Sendable, Equatable {
        /// The person or the phone does something, through the driver.
        case person(ClientAct)
        /// The server will do something else than usual.
        case when(Rule)
        /// The server answers what it held back.
        case release(ClientRelease)
        /// The server does something of its own accord.
        case server(ServerDeed)
        case await(AwaitedArrival)
        /// Something on the client's screen is waited for.
        case awaitState(AwaitedState)
        /// Nothing is done for a while, and everything is recorded.
        case watch(ClientWatch)
        /// Branches begin together and all end.
        case together([[ClientStep]])
        /// Steps are done several times; the counter is a variable, from 1.
        case `repeat`(times: Int, counter: String, [ClientStep])
        /// Groups of steps are done in every order, each between the same steps; `${order}` counts from 1.
        case everyOrder(before: [ClientStep], of: [[ClientStep]], after: [ClientStep])
    }

    /// This step, then those within it.
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

/// What a person or a phone does to an app.
package enum ClientAct: Sendable, Equatable {
    /// Starts the app; as just installed when fresh, by default at the first launch; by a tapped notification when opened.
    case launch(fresh: Bool?, opened: ClientNotification?)
    /// Sends a message; the name stands for it later. The text is unique when nil.
    case send(name: String, text: String?)
    /// Sends a message again that is shown as failed.
    case sendAgain(name: String)
    /// The system sends the app to the background, or brings it back.
    case background, foreground
    /// The network is gone or back, and the system says so.
    case networkDown, networkUp
    /// A notification arrives while the app is in the foreground.
    case receivePush(ClientNotification)
    /// A notification is tapped.
    case openPush(ClientNotification)
    /// Goes to a session; nil for a new conversation.
    case select(session: String?)
    /// The system ends the app.
    case quit
    /// The app ends without warning, and stores nothing any more.
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

/// A notification about a message; the stage makes the payload of it.
package struct ClientNotification: Sendable, Equatable {
    package var session: String
    package var message: String
    /// The turn it names, as a number, a reference or the name of a question; by default the one of the message.
    package var turn: JSONValue?
}

/// The answer to something that was held back.
package struct ClientRelease: Sendable, Equatable {
    /// What had come.
    package var comes: Rule.Event
    /// Only what concerns this session, where given.
    package var session: String?
    /// Whether it is answered as things were when it came; else as they are now.
    package var isAsAsked = false
    /// Whether the newest is answered; else the oldest.
    package var isNewest = false
    /// Whether the scenario goes on when nothing is held back.
    package var isOptional = false
}

/// What a server does of its own accord.
package enum ServerDeed: Sendable, Equatable {
    /// A running turn uses a tool.
    case tool(turn: JSONValue?, tool: String, to: ServerAudience)
    /// A running turn ends with an answer.
    case finish(turn: JSONValue?, text: String?, to: ServerAudience)
    /// A running turn ends without one.
    case fail(turn: JSONValue?, code: String, to: ServerAudience)
    /// Sends any frame, with the next number where it is numbered.
    case tell(frame: JSONValue, isNumbered: Bool, to: ServerAudience)
    /// Sends a text or bytes that need not be a message at all.
    case tellRaw(text: String?, bytes: [UInt8]?)
    /// Another device or a timer stores messages; `isNew` begins a conversation.
    case elsewhere(session: String, messages: [ClientWorld.Message], isNew: Bool, to: ServerAudience)
    case end(ConnectionEnding)
    /// Begins a new stream, as a restart does; open connections end by the given way.
    case restart(epoch: String, lastSeq: Int, keepsFrames: Bool)
    /// Forgets frames that were kept for replay, up to a number.
    case forget(upTo: JSONValue)
    case remove(session: String)
}

/// Who gets a frame.
package enum ServerAudience: String, Sendable, CaseIterable {
    /// Every connection that was greeted.
    case all
    /// Nobody: numbered and kept, and lost on the way.
    case none
    /// Every connection, greeted or not.
    case open
}

/// A wait for something from a client; each arrival satisfies one wait at most.
package struct AwaitedArrival: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        /// A connection that was greeted with `connected`.
        case connection
        /// A request for a WebSocket, whatever became of it.
        case attempt
        /// The first frame of a connection.
        case auth
        /// A question: over a socket, over REST, or over either.
        case chat, post, question
        /// A question for what was missed.
        case sync
        /// A read of one session, or of the list.
        case read, list
        case ping
        /// A connection that the client ended, or that broke.
        case end
    }

    package var kind: Kind
    /// Only what concerns this session, where given.
    package var session: String?
    /// Only the message of this name, by its key or its text.
    package var name: String?
    package var count: Int
    /// The name of the bound.
    package var within: String
    /// Whether the scenario goes on without it.
    package var isOptional: Bool
}

package struct AwaitedState: Sendable, Equatable {
    /// The connection as the client calls it: one of these.
    package var connection: [String]?
    /// Whether it waits for an answer.
    package var thinking: Bool?
    /// The session on the screen; `.some(nil)` for none.
    package var session: String??
    /// Messages that are shown, by id or by the name of a message of the person.
    package var shows: [String]
    /// Messages that are not.
    package var hides: [String]
    package var count: Int?
    /// Whether an error is shown.
    package var errors: Bool?
    /// The message of this name is marked as failed.
    package var failed: String?
    /// The message of this name is marked as sent.
    package var sent: String?
    /// An error is shown, or the message of this name is marked as failed.
    package var told: String?
    package var unread: [String: Int]
    /// The name of the bound.
    package var within: String
    /// Whether the scenario goes on without it.
    package var isOptional: Bool
}

/// A time in which nothing is done.
package enum ClientWatch: Sendable, Equatable {
    /// The bound of this name, shortened by the time scale where it is a client's own.
    case bound(String)
    /// So many milliseconds, as they are.
    case milliseconds(Int)
}
