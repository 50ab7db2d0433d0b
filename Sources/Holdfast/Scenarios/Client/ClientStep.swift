import JSON

/// One step of a client scenario, with its place in the file.
public struct ClientStep: Sendable, Equatable {
    /// Where the step stands, for problems.
    public let pointer: JSONPointer
    /// The profile without which the step is left out.
    public let profile: Profile?
    /// What is done or waited for.
    public let action: Action

    /// What a step does; texts hold references until they are filled in.
    public indirect enum Action: Sendable, Equatable {
        /// The person or the phone does something, through the driver.
        case person(ClientAct)
        /// The server will do something else than usual.
        case when(ClientRule)
        /// The server answers what it held back.
        case release(ClientRelease)
        /// The server does something of its own accord.
        case server(ServerDeed)
        /// Something from the client is waited for.
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
    public var withNested: [ClientStep] {
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
public enum ClientAct: Sendable, Equatable {
    /// Starts the app; as just installed when fresh, by default at the first launch; by a tapped notification when opened.
    case launch(fresh: Bool?, opened: ClientNotification?)
    /// Sends a message; the name stands for it later. The text is unique when nil.
    case send(name: String, text: String?)
    /// The system sends the app to the background.
    case background
    /// The system brings it back.
    case foreground
    /// The network is gone, and the system says so.
    case networkDown
    /// It is back.
    case networkUp
    /// A notification arrives while the app is in the foreground.
    case receivePush(ClientNotification)
    /// A notification is tapped.
    case openPush(ClientNotification)
    /// Goes to a session; nil for a new conversation.
    case select(session: String?)
    /// The system ends the app.
    case quit

    /// The command of the driver protocol.
    public var verb: String {
        switch self {
        case .launch: "launch"
        case .send: "send"
        case .background: "background"
        case .foreground: "foreground"
        case .networkDown: "networkDown"
        case .networkUp: "networkUp"
        case .receivePush: "receivePush"
        case .openPush: "openPush"
        case .select: "selectSession"
        case .quit: "quit"
        }
    }
}

/// A notification about a message; the stage makes the payload of it.
public struct ClientNotification: Sendable, Equatable {
    /// The session it names.
    public var session: String
    /// The message it names.
    public var message: String
    /// The turn it names, as a number, a reference or the name of a question; by default the one of the message.
    public var turn: JSONValue?

    /// A notification about a message.
    public init(session: String, message: String, turn: JSONValue? = nil) {
        self.session = session
        self.message = message
        self.turn = turn
    }
}

/// What a server does of its own accord.
public enum ServerDeed: Sendable, Equatable {
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
    /// Ends all open connections.
    case end(ServerEnding)
    /// Begins a new stream, as a restart does; open connections end by the given way.
    case restart(epoch: String, lastSeq: Int, keepsFrames: Bool)
    /// Forgets frames that were kept for replay, up to a number.
    case forget(upTo: JSONValue)
    /// Forgets a conversation.
    case remove(session: String)
}

/// Who gets a frame.
public enum ServerAudience: String, Sendable, CaseIterable {
    /// Every connection that was greeted.
    case all
    /// Nobody: numbered and kept, and lost on the way.
    case none
    /// Every connection, greeted or not.
    case open
}

/// How a server ends a connection.
public enum ServerEnding: Sendable, Equatable {
    /// Without a close frame; nothing more of TCP either when silent.
    case cut(String)
    /// With a close frame.
    case close(code: Int)
}
