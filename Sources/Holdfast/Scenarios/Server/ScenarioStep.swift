import HoldfastBasics
import HoldfastJSON

/// One act or wait of a stage.
///
/// Texts may contain `${name}`, which the stage fills in; see ``ScenarioVariables``.
package struct ScenarioStep: Sendable, Equatable {
    package let pointer: JSONPointer
    /// The profile without which the step is skipped.
    package let profile: Profile?
    /// Whether the step is skipped on a wire without keys and acks.
    let needsKeys: Bool
    package let action: Action

    /// Whether the step applies to a subject with these profiles, on a wire with or without acks.
    package func isFor(_ profiles: Set<Profile>, hasAcks: Bool = true) -> Bool {
        (profile.map(profiles.contains) ?? true) && (hasAcks || !needsKeys)
    }

    /// The device letter of `alive` steps, which no other step may use.
    package static let lifeLane = "Z"

    package indirect enum Action: Sendable, Equatable {
        /// Opens a connection, and by default authenticates and waits for `connected`.
        case connect(Connect)
        case chat(Question, on: String)
        /// Sends a frame; `bytes` pads it with an unknown member to that many bytes.
        case send(frame: JSONValue, bytes: JSONValue?, on: String)
        /// Sends text verbatim in the given fragments, each repeated `times`.
        case sendText(fragments: [String], times: Int, on: String)
        case sendBinary(BinaryContent, on: String)
        case ping(on: String)
        case await(Await, on: String)
        /// Waits until the server ends a connection; an announced time is added to the timeout.
        case awaitClose(Bound, after: StatedTime?, on: String)
        /// Waits for an announced time.
        case watch(StatedTime)
        /// Leaves WebSocket pings unanswered from now on.
        case mute(on: String)
        /// Sends a ping with a nonce and waits for its pong.
        case fence(on: String)
        case http(Exchange)
        case postChat(Question, Credential, save: [String: JSONPointer])
        /// Ends the connection of an unanswered REST question.
        case leave(question: String, Cut)
        /// Reads a conversation until it contains the awaited messages.
        case readUntil(ReadUntil)
        case sync(position: JSONValue, epoch: String?, limit: JSONValue?, on: String)
        case cut(Cut, on: String)
        case close(code: Int, on: String)
        case stopReading(on: String)
        case resumeReading(on: String)
        /// Performs branches at the same time, and waits for all.
        case together([[ScenarioStep]])
        /// Repeats steps, one by one or in parallel, until a name has a value.
        case `repeat`(times: JSONValue, counter: String?, until: String?, isParallel: Bool, [ScenarioStep])
        /// Checks whether the server still serves a new connection.
        case alive(principal: String)
        case process(ProcessStep)
        /// Sets the push service's response to the next pushes.
        case pushAnswer(PushAnswer)
        case awaitPush(AwaitPush)
    }
    /// The longest duration of a wait, and the consequence of a timeout.
    package struct Bound: Sendable, Equatable {
        /// The name of a timeout in ``Timeouts``.
        package let within: String
        /// Whether the scenario continues after a timeout.
        package let isOptional: Bool
    }

    package struct Credential: Sendable, Equatable {
        package let principal: String
        /// The principal's own token, none, or another text.
        package let token: Token

        package enum Token: Sendable, Equatable {
            case own
            case none
            /// A text that the server never issued.
            case other(String)
        }

        package init(principal: String, token: Token = .own) { (self.principal, self.token) = (principal, token) }

        /// The owner that transcripts show for it; nil without a token.
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
        package let handshake: Bool
        /// Whether the scenario continues without `connected`.
        package let isOptional: Bool
        package let version: JSONValue
        /// The device; by default one for each lane.
        package let clientId: String?
        /// The query of the upgrade; by default the subject's.
        package let query: String?
        /// Names for values in `connected`.
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
        /// The name of the question, which refers to its key.
        package let name: String?
        /// The conversation to continue.
        package let session: String?
        package let script: [JSONValue]?
        /// The number of tool uses at the start of the script.
        package let tools: JSONValue?
        /// The question in plain text, also for agents without scripts.
        package let text: String?
        package let context: [JSONValue]
        /// A key other than that of its name.
        package let key: String?
        /// Members added to the frame or body.
        package let extra: JSONObject
        /// The size to which the frame or body is padded.
        package let bytes: JSONValue?
        /// The number of fragments; 1 sends the frame whole.
        package let fragments: Int

        /// The total wait in the script, in milliseconds.
        package var waitMs: Int { (script ?? []).reduce(0) { $0 + ($1["wait"]?.intValue ?? 0) } }
    }

    /// A wait for a frame; each frame satisfies at most one wait.
    package struct Await: Sendable, Equatable {
        package let types: [String]
        /// Required values; null means that the member is absent.
        package let conditions: [String: JSONValue]
        /// Names for values in the frame.
        package let save: [String: JSONPointer]
        package let bound: Bound
    }

    package struct Exchange: Sendable, Equatable {
        package let method: String
        /// Path and query.
        package let path: String
        package let credential: Credential
        package let body: JSONValue?
        /// The body as written.
        package let bodyText: String?
        /// Names for values in the response.
        package let save: [String: JSONPointer]
        /// The session, if it reads one.
        package let session: String?

        /// The timeouts that its response may use together; a question also waits for its turn to end.
        package var bounds: [String] { method == "POST" ? ["turn", "rest"] : ["rest"] }
    }

    /// A repeated read of one conversation.
    package struct ReadUntil: Sendable, Equatable {
        package let session: String
        package let principal: String
        /// The minimum number of messages.
        package let messages: Int
        /// The minimum number of ended turns.
        package let endedTurns: Int
        /// Whether a question refused as busy counts as stored, answered and ended.
        package let countsRefused: Bool
        /// Names for values in the last response.
        package let save: [String: JSONPointer]
        package let bound: Bound
    }

    /// A time that the subject announced or was configured with: a heartbeat, the handshake timeout, a stated wait.
    ///
    /// It only controls the stage; the judge decides from observed events.
    package struct StatedTime: Sendable, Equatable {
        /// The amount: an integer, or a reference to one.
        package let amount: JSONValue
        /// Whether the amount is in seconds, and not in milliseconds.
        let isInSeconds: Bool
        /// The factor for the amount.
        package let times: Int

        /// The whole time for an amount; nil if it is negative or more than a day.
        package func duration(of amount: Int) -> Duration? {
            let unit = isInSeconds ? 1000 : 1
            guard amount >= 0, amount <= 86_400_000 / unit / times else { return nil }
            return .milliseconds(amount * unit * times)
        }
    }

    /// The push service's response to the next pushes for a device.
    package struct PushAnswer: Sendable, Equatable {
        /// The owner of the device.
        package let principal: String
        package let outcome: Outcome
        /// The number of pushes; later ones are accepted.
        package let times: Int

        package enum Outcome: Sendable, Equatable {
            /// An HTTP status, with a reason if it is a refusal.
            case status(Int, reason: String?)
            /// No answer.
            case hang
            /// The end of the connection without an answer.
            case close
        }
    }

    /// A wait for a push; each push satisfies at most one wait.
    package struct AwaitPush: Sendable, Equatable {
        /// The owner of the device.
        package let principal: String
        /// Required values in the payload; null means that the member is absent.
        package let conditions: [String: JSONValue]
        /// Names for values in the payload.
        package let save: [String: JSONPointer]
        package let bound: Bound
    }

    /// An act on the server process, which the suite must have started itself.
    package enum ProcessStep: Sendable, Equatable {
        /// Kill it, at once or after a pause.
        case kill(after: Pause?)
        /// Kill it as soon as a message or a response is complete, before anything reads it.
        case killOn(Target)
        /// Wait for an armed kill.
        case awaitKill(Bound)
        /// Ask it to end, and wait until it has.
        case stop
        /// Restart it with the same data and address; no effect while it runs.
        case start
        /// Make every write to a file fail from now on.
        case refuseWrites
        case acceptWrites

        package enum Target: Sendable, Equatable {
            case message(type: String, on: String)
            /// These bytes in the answer to the next HTTP request.
            case nextExchange(bytes: String)
        }

        /// A pause whose length a sweep varies; it is only a stimulus.
        package struct Pause: Sendable, Equatable {
            /// The number, or a reference to one.
            package let number: JSONValue
            package let unit: Unit

            package enum Unit: String, Sendable, CaseIterable { case milliseconds, microseconds }
        }
    }

    /// Whether this step, or a nested one, acts on the server process.
    var needsProcess: Bool { contains { if case .process = $0 { true } else { false } } }

    /// Whether this step, or a nested one, sends text verbatim, valid or not.
    var sendsVerbatim: Bool {
        contains { action in
            switch action {
            case .sendText, .sendBinary: true
            default: false
            }
        }
    }

    /// Whether in this step, or a nested one, the push service declares a device gone.
    var endsDevice: Bool {
        contains { action in
            guard case .pushAnswer(let answer) = action, case .status(410, _) = answer.outcome else { return false }
            return true
        }
    }

    /// Whether this step, or a nested one, asks a question of a given, large size.
    var asksLongQuestion: Bool {
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
