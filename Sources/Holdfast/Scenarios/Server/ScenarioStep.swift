import JSON

/// One thing a stage does or waits for.
///
/// Texts may hold `${name}`, which the stage fills in; see ``ScenarioVariables``.
public struct ScenarioStep: Sendable, Equatable {
    /// Where the step stands in its file.
    public let pointer: JSONPointer
    /// The step is left out unless the subject declares this profile.
    public let profile: Profile?
    /// What is done or waited for.
    public let action: Action

    /// The device letter of `alive` steps, which no other step may use.
    public static let lifeLane = "Z"

    /// The things that can be done.
    public indirect enum Action: Sendable, Equatable {
        /// Opens a connection, and unless told otherwise authenticates and waits for `connected`.
        case connect(Connect)
        /// Asks a question over a connection.
        case chat(Question, on: String)
        /// Sends a frame; `bytes` pads it with an unknown member to that many bytes.
        case send(frame: JSONValue, bytes: JSONValue?, on: String)
        /// Sends text as written, in as many fragments as there are, each repeated `times`.
        case sendText(fragments: [String], times: Int, on: String)
        /// Sends a binary message.
        case sendBinary([UInt8], on: String)
        /// Sends a ping of the WebSocket itself.
        case ping(on: String)
        /// Waits for a frame.
        case await(Await, on: String)
        /// Waits until the server ends a connection; a told time is added to the bound.
        case awaitClose(Bound, after: Told?, on: String)
        /// Watches until a told time is over.
        case watch(Told)
        /// Leaves the pings of the WebSocket itself unanswered from here on.
        case mute(on: String)
        /// Sends a ping with a nonce and waits for its pong.
        case fence(on: String)
        /// Sends an HTTP request and waits for the response.
        case http(Exchange)
        /// Asks a question over REST.
        case postChat(Question, Credential, save: [String: JSONPointer])
        /// Reads a conversation until it holds what is waited for.
        case readUntil(ReadUntil)
        /// Asks for the frames after a position.
        case sync(position: JSONValue, epoch: String?, limit: JSONValue?, on: String)
        /// Ends a connection without a close frame.
        case cut(How, on: String)
        /// Ends a connection with a close frame.
        case close(code: Int, on: String)
        /// Stops taking bytes from a connection.
        case stopReading(on: String)
        /// Takes bytes from it again.
        case resumeReading(on: String)
        /// Performs branches at the same time and waits for all.
        case together([[ScenarioStep]])
        /// Performs steps again and again, in turn or at the same time, and not again once a name has a value.
        case `repeat`(times: JSONValue, counter: String?, until: String?, isParallel: Bool, [ScenarioStep])
        /// Asks whether the server still serves a new connection.
        case alive(principal: String)
        /// Treats the server as a process.
        case process(ProcessStep)
        /// Tells the push service what to do with the next pushes.
        case pushAnswer(PushAnswer)
        /// Waits for a push.
        case awaitPush(AwaitPush)
    }

    /// How a connection ends without a close frame.
    public enum How: String, Sendable, CaseIterable {
        /// In order, without a close frame.
        case fin
        /// By a reset.
        case reset
        /// Without a sign: nothing is read or sent any more.
        case silence
    }

    /// How long a wait may take, and what follows when it is in vain.
    public struct Bound: Sendable, Equatable {
        /// The name of a bound in ``Timeouts``.
        public let within: String
        /// Whether the scenario goes on without it.
        public let isOptional: Bool
    }

    /// Whose credential is shown.
    public struct Credential: Sendable, Equatable {
        /// The principal.
        public let principal: String
        /// What is shown instead of the principal's own token.
        public let token: Token

        /// A credential.
        public enum Token: Sendable, Equatable {
            /// The principal's own.
            case own
            /// None at all.
            case none
            /// A text the server never gave out.
            case other(String)
        }

        package init(principal: String, token: Token = .own) {
            self.principal = principal
            self.token = token
        }
    }

    /// How a connection is opened.
    public struct Connect: Sendable, Equatable {
        /// The device letter.
        public let on: String
        /// Whose it is.
        public let credential: Credential
        /// Whether `auth` is sent and `connected` awaited.
        public let handshake: Bool
        /// Whether the scenario goes on when `connected` stays away.
        public let isOptional: Bool
        /// The version `auth` names.
        public let version: JSONValue
        /// The device; one per lane when absent.
        public let clientId: String?
        /// The query of the upgrade; that of the subject when absent.
        public let query: String?
        /// Names for values of `connected`.
        public let save: [String: JSONPointer]

        package init(
            on lane: String, credential: Credential, handshake: Bool = true, isOptional: Bool = false,
            version: JSONValue = 1, clientId: String? = nil, query: String? = nil,
            save: [String: JSONPointer] = [:]
        ) {
            self.on = lane
            self.credential = credential
            self.handshake = handshake
            self.isOptional = isOptional
            self.version = version
            self.clientId = clientId
            self.query = query
            self.save = save
        }
    }

    /// A question to the agent.
    public struct Question: Sendable, Equatable {
        /// The name of the question, which stands for its key.
        public let name: String?
        /// The conversation to continue.
        public let session: String?
        /// What a scripted agent is to do.
        public let script: [JSONValue]?
        /// How often the script uses a tool before all else.
        public let tools: JSONValue?
        /// What is asked in plain text, of an agent that obeys no scripts too.
        public let text: String?
        /// Earlier messages, sent along as context.
        public let context: [JSONValue]
        /// The key: the question's own, another, or none.
        public let key: Key
        /// Members added to the frame or body.
        public let extra: JSONObject
        /// The size the frame is padded to.
        public let bytes: JSONValue?
        /// Fragments to send the frame in; 1 sends it whole.
        public let fragments: Int

        /// What the question is sent with.
        public enum Key: Sendable, Equatable {
            /// A key of its own.
            case own
            /// None.
            case none
            /// The one a scenario names.
            case other(String)
        }

        /// What the script itself asks to wait for, in milliseconds.
        public var waitMs: Int {
            (script ?? []).reduce(0) { $0 + ($1["wait"]?.intValue ?? 0) }
        }
    }

    /// A frame to wait for; each frame satisfies one wait at most.
    public struct Await: Sendable, Equatable {
        /// The types of which one will do.
        public let types: [String]
        /// Values the frame has; null stands for a member that is absent.
        public let conditions: [String: JSONValue]
        /// Names for values of the frame.
        public let save: [String: JSONPointer]
        /// How long.
        public let bound: Bound
    }

    /// An HTTP request.
    public struct Exchange: Sendable, Equatable {
        /// The method.
        public let method: String
        /// Path and query.
        public let path: String
        /// Whose it is.
        public let credential: Credential
        /// The body as JSON.
        public let body: JSONValue?
        /// The body as written.
        public let bodyText: String?
        /// Names for values of the response.
        public let save: [String: JSONPointer]
        /// What is read, for a read of one conversation; nil otherwise.
        public let session: String?
    }

    /// A repeated read of one conversation.
    public struct ReadUntil: Sendable, Equatable {
        /// The conversation.
        public let session: String
        /// Whose it is.
        public let principal: String
        /// The messages it must at least hold.
        public let messages: Int
        /// The turns that must at least have ended.
        public let endedTurns: Int
        /// Names for values of the last response.
        public let save: [String: JSONPointer]
        /// How long.
        public let bound: Bound
    }
}
