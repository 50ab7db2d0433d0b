import HoldfastBasics
import HoldfastJSON

/// One thing a stage does or waits for.
///
/// Texts may hold `${name}`, which the stage fills in; see ``ScenarioVariables``.
package struct ScenarioStep: Sendable, Equatable {
    /// Where the step stands in its file.
    package let pointer: JSONPointer
    /// The step is left out unless the subject declares this profile.
    package let profile: Profile?
    /// The step is left out on a wire without keys and acks.
    let needsKeys: Bool
    package let action: Action

    /// Whether a subject with these profiles is shown the step, on a wire with or without acks.
    package func isFor(_ profiles: Set<Profile>, hasAcks: Bool = true) -> Bool {
        (profile.map(profiles.contains) ?? true) && (hasAcks || !needsKeys)
    }

    /// The device letter of `alive` steps, which no other step may use.
    package static let lifeLane = "Z"

    package indirect enum Action: Sendable, Equatable {
        /// Opens a connection, and unless told otherwise authenticates and waits for `connected`.
        case connect(Connect)
        /// Asks a question over a connection.
        case chat(Question, on: String)
        /// Sends a frame; `bytes` pads it with an unknown member to that many bytes.
        case send(frame: JSONValue, bytes: JSONValue?, on: String)
        /// Sends text as written, in as many fragments as there are, each repeated `times`.
        case sendText(fragments: [String], times: Int, on: String)
        case sendBinary(BinaryContent, on: String)
        /// Sends a ping of the WebSocket itself.
        case ping(on: String)
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
        /// Ends the connection of a question over REST that has no response yet.
        case leave(question: String, Cut)
        /// Reads a conversation until it holds what is waited for.
        case readUntil(ReadUntil)
        /// Asks for the frames after a position.
        case sync(position: JSONValue, epoch: String?, limit: JSONValue?, on: String)
        /// Ends a connection without a close frame.
        case cut(Cut, on: String)
        /// Ends a connection with a close frame.
        case close(code: Int, on: String)
        /// Stops taking bytes from a connection.
        case stopReading(on: String)
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
        case awaitPush(AwaitPush)
    }
    /// How long a wait may take, and what follows when it is in vain.
    package struct Bound: Sendable, Equatable {
        /// The name of a bound in ``Timeouts``.
        package let within: String
        /// Whether the scenario goes on without it.
        package let isOptional: Bool
    }

    /// Whose credential is shown.
    package struct Credential: Sendable, Equatable {
        package let principal: String
        /// What is shown instead of the principal's own token.
        package let token: Token

        package enum Token: Sendable, Equatable {
            case own
            case none
            /// A text the server never gave out.
            case other(String)
        }

        package init(principal: String, token: Token = .own) { (self.principal, self.token) = (principal, token) }

        /// Its owner, as transcripts name it.
        package var shown: String? {
            switch token {
            case .own: principal
            case .none: nil
            case .other: "other"
            }
        }
    }

    package enum BinaryContent: Sendable, Equatable {
        case bytes([UInt8])
        /// The text of a frame on the wire.
        case frame(JSONValue)
    }

    package struct Connect: Sendable, Equatable {
        /// The device letter.
        package let on: String
        package let credential: Credential
        /// Whether `auth` is sent and `connected` awaited.
        package let handshake: Bool
        /// Whether the scenario goes on when `connected` stays away.
        package let isOptional: Bool
        /// The version `auth` names.
        package let version: JSONValue
        /// The device; one per lane when absent.
        package let clientId: String?
        /// The query of the upgrade; that of the subject when absent.
        package let query: String?
        /// Names for values of `connected`.
        package let save: [String: JSONPointer]

        package init(
            on lane: String, credential: Credential, handshake: Bool = true, isOptional: Bool = false,
            version: JSONValue = 1, clientId: String? = nil, query: String? = nil,
            save: [String: JSONPointer] = [:]
        ) {
            self.on = lane
            (self.credential, self.handshake, self.isOptional) = (credential, handshake, isOptional)
            (self.version, self.clientId, self.query) = (version, clientId, query)
            self.save = save
        }
    }

    package struct Question: Sendable, Equatable {
        /// The name of the question, which stands for its key.
        package let name: String?
        /// The conversation to continue.
        package let session: String?
        /// What a scripted agent is to do.
        package let script: [JSONValue]?
        /// How often the script uses a tool before all else.
        package let tools: JSONValue?
        /// What is asked in plain text, of an agent that obeys no scripts too.
        package let text: String?
        /// Earlier messages, sent along as context.
        package let context: [JSONValue]
        /// Another key than that of its name; nil for its own.
        package let key: String?
        /// Members added to the frame or body.
        package let extra: JSONObject
        /// The size the frame or body is brought to.
        package let bytes: JSONValue?
        /// Fragments to send the frame in; 1 sends it whole.
        package let fragments: Int

        /// What the script itself asks to wait for, in milliseconds.
        package var waitMs: Int { (script ?? []).reduce(0) { $0 + ($1["wait"]?.intValue ?? 0) } }
    }

    /// A frame to wait for; each frame satisfies one wait at most.
    package struct Await: Sendable, Equatable {
        /// The types of which one will do.
        package let types: [String]
        /// Values the frame has; null stands for a member that is absent.
        package let conditions: [String: JSONValue]
        /// Names for values of the frame.
        package let save: [String: JSONPointer]
        package let bound: Bound
    }

    /// An HTTP request.
    package struct Exchange: Sendable, Equatable {
        package let method: String
        /// Path and query.
        package let path: String
        package let credential: Credential
        package let body: JSONValue?
        /// The body as written.
        package let bodyText: String?
        /// Names for values of the response.
        package let save: [String: JSONPointer]
        /// What is read, for a read of one conversation; nil otherwise.
        package let session: String?

        /// The bounds that its response may take together: that of a question waits for the end of its turn.
        package var bounds: [String] { method == "POST" ? ["turn", "rest"] : ["rest"] }
    }

    /// A repeated read of one conversation.
    package struct ReadUntil: Sendable, Equatable {
        package let session: String
        package let principal: String
        /// The messages it must at least hold.
        package let messages: Int
        /// The turns that must at least have ended.
        package let endedTurns: Int
        /// Whether a question that stands refused as busy counts as stored, answered and ended.
        package let countsRefused: Bool
        /// Names for values of the last response.
        package let save: [String: JSONPointer]
        package let bound: Bound
    }

    /// A time that the subject told, or was configured with: a heartbeat, the time to authenticate, a stated wait.
    ///
    /// It is no oracle: what the judge concludes rests on what was observed until it was over.
    package struct Told: Sendable, Equatable {
        /// The amount; an integer, or a reference that will be one.
        package let amount: JSONValue
        /// Whether the amount is in seconds; milliseconds otherwise.
        let isInSeconds: Bool
        /// How often the amount has to pass.
        package let times: Int

        /// The whole time for an amount; nil when it is negative or would take more than a day.
        package func duration(of amount: Int) -> Duration? {
            let unit = isInSeconds ? 1000 : 1
            guard amount >= 0, amount <= 86_400_000 / unit / times else { return nil }
            return .milliseconds(amount * unit * times)
        }
    }

    /// What the push service does with the next pushes to a device.
    package struct PushAnswer: Sendable, Equatable {
        /// The principal whose device is pushed to.
        package let principal: String
        package let outcome: Outcome
        /// With how many pushes; later ones are taken again.
        package let times: Int

        /// What becomes of one push.
        package enum Outcome: Sendable, Equatable {
            /// It is answered; the reason goes with a refusal.
            case status(Int, reason: String?)
            /// It is taken and never answered.
            case hang
            /// It is taken, and the connection ends without an answer.
            case close
        }
    }

    /// A push to wait for; each satisfies one wait at most.
    package struct AwaitPush: Sendable, Equatable {
        /// The principal whose device is to be pushed to.
        package let principal: String
        /// Values the payload has; null stands for a member that is absent.
        package let conditions: [String: JSONValue]
        /// Names for values of the payload.
        package let save: [String: JSONPointer]
        package let bound: Bound
    }

    /// Something done to the server as a process; only a server that the suite started itself can be treated so.
    package enum ProcessStep: Sendable, Equatable {
        /// Ends it without warning, at once or after a pause.
        case kill(after: Pause?)
        /// Ends it without warning as soon as a message or a response is whole, before anything reads it.
        case killOn(Target)
        /// Waits until an armed kill has come.
        case awaitKill(Bound)
        /// Asks it to end, and waits until it has.
        case stop
        /// Starts it again with the same data and address; nothing happens while it runs.
        case start
        /// Lets every write to a file fail from now on.
        case refuseWrites
        case acceptWrites

        /// What a kill waits for.
        package enum Target: Sendable, Equatable {
            case message(type: String, on: String)
            /// These bytes in the answer to the next HTTP request.
            case nextExchange(bytes: String)
        }

        /// A moment that a sweep moves about; it is a stimulus, and nothing is concluded from it.
        package struct Pause: Sendable, Equatable {
            /// The number, or a reference to one.
            package let number: JSONValue
            package let unit: Unit

            package enum Unit: String, Sendable, CaseIterable { case milliseconds, microseconds }
        }
    }

    /// Whether this step, or one inside it, treats the server as a process.
    var needsProcess: Bool { contains { if case .process = $0 { true } else { false } } }

    /// Whether this step, or one inside it, sends a message as it is written, whatever is wrong with it.
    var sendsVerbatim: Bool {
        contains { action in
            switch action {
            case .sendText, .sendBinary: true
            default: false
            }
        }
    }

    /// Whether this step, or one inside it, lets the push service say that a device is gone.
    var endsADevice: Bool {
        contains { action in
            guard case .pushAnswer(let answer) = action, case .status(410, _) = answer.outcome else { return false }
            return true
        }
    }

    /// Whether this step, or one inside it, asks a question of a size of its own, which is a large one.
    var asksAtLength: Bool {
        contains { action in
            switch action {
            case .chat(let question, _), .postChat(let question, _, _): question.bytes != nil
            default: false
            }
        }
    }

    private func contains(_ isWanted: (Action) -> Bool) -> Bool {
        switch action {
        case .together(let branches): branches.joined().contains { $0.contains(isWanted) }
        case .repeat(_, _, _, _, let steps): steps.contains { $0.contains(isWanted) }
        default: isWanted(action)
        }
    }
}
