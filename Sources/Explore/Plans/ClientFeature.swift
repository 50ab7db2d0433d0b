import Holdfast
import HoldfastJSON
import HoldfastJudge

/// Something that may happen in a client's plan or life while other acts go on.
struct ClientFeature: SteeredFeature, Sendable {
    let name: String
    var needs: [String] = []
    var profile: Profile?
    var raises: [Reach.Dimension] = []
    /// Whether it needs a round of a life to itself.
    var isLong = false
    /// Whether the app or the network is away until it ends.
    var isAway = false
    /// Whether it ends neither the app, nor the network, nor the connection.
    var isCalm = false
    /// Whether it can happen now: usually while the person sees the app, with a network.
    var isPossible: @Sendable (ClientPlanner) -> Bool = { $0.isSeen && $0.hasNetwork }
    let begin: @Sendable (inout ClientPlanner) -> Void
    /// The steps that end it, after the others of its round.
    var end: @Sendable (inout ClientPlanner) -> Void = { _ in }

    /// The session with texts of the largest size.
    private static let longSession = "long"

    static let all = typing + failing + streaming + going + serving

    /// For a while each connection fails; another device writes, and a notification may arrive.
    private static func trouble(_ name: String, _ rule: JSONValue, profile: Profile? = nil) -> ClientFeature {
        ClientFeature(name: name, profile: profile, isLong: true) {
            $0.add(rule: rule)
            // Until the feature ends, no step waits for a connection.
            $0.activeRules.append("upgrade")
            $0.add("end", ["how": "reset"])
            $0.writeElsewhere(1, in: $0.screen)
            if $0.happens(50) { $0.say(isAwaited: false) }
            if $0.grammar.profiles.contains(.clientPush), $0.grammar.allows("receivePush"), !$0.answers.isEmpty {
                $0.push("receivePush")
            }
            $0.add("watch", ["for": $0.one(of: "attempts", "polling")])
        } end: {
            for event in $0.activeRules { $0.serve(event) }
            $0.awaitConnection()
        }
    }

    /// Something that happens while the app is in the background and hears nothing.
    private static func away(
        _ name: String, profile: Profile? = .clientSync, raises: [Reach.Dimension] = [],
        _ happens: @escaping @Sendable (inout ClientPlanner) -> Void
    ) -> ClientFeature {
        ClientFeature(name: name, needs: ["background", "foreground"], profile: profile, raises: raises, isAway: true) {
            $0.leave()
            happens(&$0)
        } end: {
            $0.comeBack()
        }
    }
}

// Typed messages, and their fate.
extension ClientFeature {
    private static let typing = [
        ClientFeature(
            name: "typed offline", needs: ["networkDown", "networkUp"], raises: [.typedOffline], isAway: true,
            isPossible: { $0.isRunning && $0.hasNetwork }
        ) {
            $0.loseNetwork()
            guard $0.isSeen else { return }
            for _ in 0..<$0.amount(of: .typedOffline, usually: $0.one(of: 1, 3)) {
                if $0.happens(40), $0.grammar.allows("selectSession") { _ = $0.choose() }
                $0.say()
            }
            // The app ends before it can send them.
            if !$0.isYoung, $0.grammar.allows("crash"), $0.happens(40) { $0.restartApp("crash") }
        } end: {
            $0.findNetwork()
        },
        ClientFeature(name: "a long outage", needs: ["networkDown", "networkUp"], isLong: true, isAway: true) {
            $0.when("chat", $0.one(of: "store", "drop"), times: 1)
            $0.say()
            $0.loseNetwork()
            $0.say()
            $0.add("watch", ["for": "resend"])
        } end: {
            $0.findNetwork()
        },
        ClientFeature(name: "questions before the first ack", raises: [.unacknowledged]) {
            let many = $0.amount(of: .unacknowledged, usually: 2)
            $0.when("chat", "drop", times: many)
            for _ in 0..<many { $0.say() }
        } end: {
            $0.reconnect()
        },
        ClientFeature(name: "a question cut") {
            $0.when("chat", $0.one(of: "store", "drop"), times: 1, ["cut": $0.cut(often: 100)])
            $0.say()
            $0.awaitConnection()
        },
        ClientFeature(name: "a new conversation", needs: ["selectSession"], raises: [.sessions], isCalm: true) {
            $0.add("select", ["session": JSONValue.null])
            $0.say()
            $0.steering.raise(.sessions)
        },
        // A message begins a conversation, perhaps with the same text as another one, and everything that would name
        // the session is lost.
        ClientFeature(name: "a nameless beginning", needs: ["selectSession", "networkDown", "networkUp"], isAway: true)
        {
            $0.add("select", ["session": JSONValue.null])
            $0.when("chat", "store", times: 1)
            let opening = $0.happens(60) ? $0.any($0.openings) : nil
            let name = $0.say(opening?.text, isAwaited: true)
            $0.loseNetwork()
            $0.add("finish", ["turn": name, "to": "none"])
            // The session with the latest message is the first in the list.
            if $0.happens(60) { $0.writeElsewhere(1, in: $0.happens(50) ? opening?.session : nil) }
            if $0.happens(50) { $0.when("read", "delay", times: 1, ["milliseconds": 700]) }
        } end: {
            $0.findNetwork()
            $0.add("watch", ["for": $0.time(of: $0.one(of: 600, 3_000, 10_000))])
        },
        ClientFeature(name: "equal words", isCalm: true) {
            $0.say(Words.repeated)
            $0.say(Words.repeated)
            let said: [JSONValue] = [("u", "user"), ("a", "assistant")].map { letter, role in
                ["id": .string(letter + "${next}"), "role": .string(role), "text": .string(Words.repeated)]
            }
            for session in ["s1", "s2"] {
                $0.add("elsewhere", ["session": session, "messages": JSONValue.array(said)])
            }
        },
        ClientFeature(name: "kinds of text", raises: [.kindsOfText], isCalm: true) {
            let long = "typed at length" + String(repeating: ", and so on", count: 4_000)
            for text in ["👍🏽 both ends ", $0.any(Words.said + [long])] { $0.say(text) }
            guard $0.bound != nil else { return }
            // The first is too long for a frame of a life; later ones nearly fill it.
            let isFirst = $0.steering.count(of: "kinds of text") == 0
            $0.say(String(repeating: "long ", count: isFirst ? 1_700 : 1_500))
            $0.steering.raise(.kindsOfText)
        },
        ClientFeature(name: "a session chosen", needs: ["selectSession"], isCalm: true, isPossible: \.isSeen) {
            _ = $0.choose()
        },
        // The person opens a conversation, another, and the first again, while its read takes long.
        ClientFeature(name: "a slow return", needs: ["selectSession"], isCalm: true, isPossible: \.isSeen) {
            let first = $0.choose()
            $0.add("awaitState", ["session": first, "within": "pong", "optional": true])
            $0.add("watch", ["for": 400])
            for _ in 0..<$0.one(of: 1, 1, 8) {
                _ = $0.choose()
                $0.add("watch", ["for": $0.one(of: 20, 400)])
            }
            let (late, times) = $0.one(of: ($0.time(of: 7_000), 3), (900, 1), (900, 1))
            $0.when("read", "delay", times: times, ["milliseconds": late, "session": first])
            $0.screen = first
            $0.add("select", ["session": first])
            $0.add("watch", ["for": times > 1 ? $0.time(of: 5_500) : $0.one(of: 150, 600)])
        },
        ClientFeature(name: "a turn that runs", isCalm: true) {
            $0.ask()
        } end: {
            $0.add("finish")
        },
        // The turn on the screen ends, and that of another session goes on.
        ClientFeature(
            name: "turns in two sessions", needs: ["selectSession"], isLong: true, isCalm: true
        ) {
            let first = $0.ask()
            _ = $0.choose()
            let second = $0.happens(70) ? $0.ask() : nil
            $0.add("watch", ["for": 150])
            if second != nil { $0.add("finish") }
            $0.add("watch", ["for": "resend"])
            $0.add("finish", ["turn": first])
        },
    ]

    private static let failing = [
        ClientFeature(name: "a question that never arrives", needs: ["sendAgain"]) {
            $0.when("chat", $0.one(of: "store", "drop"), times: 1, ["cut": "reset"])
            $0.when("chat", "drop")
            $0.when("post", "reset")
            $0.say()
            $0.noteFailure()
        } end: {
            $0.serve("chat")
            $0.serve("post")
            $0.sayAgain()
        },
        ClientFeature(name: "a failure seen live", needs: ["sendAgain"], isCalm: true) {
            $0.fail()
        } end: {
            $0.sayAgain()
        },
        ClientFeature(name: "a failure replayed", needs: ["sendAgain"], profile: .clientSync) {
            $0.fail(unheard: true)
        } end: {
            $0.sayAgain()
        },
        ClientFeature(name: "a failure read", needs: ["sendAgain"]) {
            $0.fail(unheard: true)
            $0.add("forget", ["upTo": $0.ref("lastSeq")])
        } end: {
            $0.awaitConnection()
            $0.sayAgain()
        },
        ClientFeature(name: "a rate limit", isCalm: true) {
            $0.when("chat", "refuse", times: 1, ["frame": $0.refusal("rate_limited")])
            $0.say()
        } end: {
            $0.add("watch", ["for": 1_800])
        },
        ClientFeature(name: "a limit over REST") {
            $0.when("upgrade", "refuse", ["status": 503])
            $0.when("chat", "drop", times: 1, ["cut": "reset"])
            $0.when("post", "refuse", times: 1, ["status": 429, "retryAfter": 1])
            $0.say()
        } end: {
            $0.add("watch", ["for": 1_300])
            $0.serve("upgrade")
            $0.awaitConnection()
        },
        ClientFeature(name: "an answer that never arrives", isLong: true) {
            $0.ask()
            $0.when("read", "fail", ["status": 503])
            if $0.happens(50) { $0.when("upgrade", "refuse", ["status": 503]) }
            $0.add("end", ["how": "reset"])
            $0.awaitConnection()
        } end: {
            $0.add("awaitState", ["thinking": false, "within": $0.bound ?? "polling", "optional": true])
            $0.serve("read")
            $0.serve("upgrade")
            $0.awaitConnection()
        },
        ClientFeature(name: "a refusal", needs: ["sendAgain"], isCalm: true) {
            $0.when("chat", "refuse", times: 1, ["frame": $0.refusal($0.any(ClientPlanner.retried) ?? "internal")])
            $0.say()
            $0.noteFailure()
        } end: {
            $0.sayAgain()
        },
        ClientFeature(name: "a final refusal") {
            $0.when("chat", "refuse", times: 1, ["frame": $0.refusal($0.any(ClientPlanner.final) ?? "too_large")])
            $0.say()
        } end: {
            // The refused question must not arrive on the next connection.
            $0.reconnect()
            $0.add("watch", ["for": "resend"])
        },
    ]
}

// The contents of the stream and of reads.
extension ClientFeature {
    private static let streaming = [
        away("a page with something unknown") {
            $0.writeElsewhere(1)
            $0.add("tell", ["frame": ["type": "mood", "mood": "calm"] as JSONValue, "numbered": true])
            $0.writeElsewhere(1)
            $0.when("sync", "page", times: 6, ["size": $0.one(of: 2, 3)])
        },
        ClientFeature(
            name: "many pages", needs: ["background", "foreground"], profile: .clientSync, raises: [.pages],
            isAway: true
        ) {
            $0.leave()
            $0.writeElsewhere($0.amount(of: .pages, usually: 6) / 2)
            $0.when("sync", "page", ["size": 1])
        } end: {
            $0.comeBack()
            $0.add("watch", ["for": 300])
            $0.serve("sync")
        },
        away("far behind", profile: nil, raises: [.sessionMessages]) {
            let times = $0.steering.isReached(.sessionMessages) ? 3 : 120
            $0.writeElsewhere(times, in: "s1")
            $0.steering.raise(.sessionMessages, by: times * 2)
        },
        ClientFeature(name: "frames during a sync", profile: .clientSync, raises: [.framesDuringSync]) {
            $0.when("sync", "hold", times: 1)
            $0.reconnect()
            $0.add("await", ["comes": "sync", "within": "scheduling", "optional": true])
            $0.writeElsewhere($0.amount(of: .framesDuringSync, usually: 4) / 2)
            $0.add("release", ["comes": "sync", "as": "asked", "optional": true])
            // A client that stores at each frame lags for a while, and would notice the end of its connection late.
            $0.add("watch", ["for": 600])
        },
        away("a gap before pages") {
            $0.writeElsewhere(2)
            $0.add("forget", ["upTo": $0.ref("lastSeq-1")])
            $0.writeElsewhere(2)
            $0.when("sync", "page", times: 1, ["size": $0.one(of: 1, 2), "reason": "evicted"])
        },
        ClientFeature(name: "a late sync", profile: .clientSync, raises: [.connections]) {
            $0.when("sync", "delay", times: 1, ["milliseconds": 600])
            $0.reconnect()
        },
        away("forgotten frames") {
            $0.writeElsewhere(2)
            $0.add("forget", ["upTo": $0.ref($0.one(of: "lastSeq", "lastSeq-1"))])
        },
        ClientFeature(name: "a restart", profile: .clientSync, raises: [.epochs, .connections]) {
            $0.epochs += 1
            $0.steering.raise(.epochs, to: $0.epochs)
            $0.add("restart", ["epoch": "e\($0.epochs)", "lastSeq": $0.one(of: 0, 0, 3)])
            $0.awaitConnection()
        },
        ClientFeature(name: "a read beside live frames", needs: ["selectSession"], isCalm: true) {
            $0.when("read", "delay", times: 1, ["milliseconds": 400])
            $0.writeElsewhere(1, in: $0.choose())
        } end: {
            $0.add("watch", ["for": 500])
        },
        // Each session is opened briefly: an app may allow few requests at once, and some of these never end.
        ClientFeature(name: "reads that fail", needs: ["selectSession"], raises: [.failedReads], isCalm: true) {
            let many = $0.amount(of: .failedReads, usually: 2)
            let (then, status) = $0.one(of: ("fail", 503 as Int?), ("fail", 503), ("reset", nil))
            $0.when("read", then, times: many, ["status": status])
            for _ in 0..<(many + 1) / 2 {
                _ = $0.choose()
                $0.add("watch", ["for": 100])
            }
        },
        // The position must not move before a read has returned what the stream lost.
        ClientFeature(
            name: "a gap that no read fills", needs: ["background", "foreground"], profile: .clientSync, isAway: true
        ) {
            $0.leave()
            $0.writeElsewhere(2, in: $0.screen)
            $0.add("forget", ["upTo": $0.ref("lastSeq")])
            $0.when("read", "fail", times: 3, ["status": 503])
        } end: {
            $0.comeBack()
            $0.add("watch", ["for": 200])
            $0.writeElsewhere(1, in: $0.screen)
            $0.add("watch", ["for": 200])
            $0.reconnect()
        },
    ]

    // MARK: the app and the phone

    private static let going = [
        ClientFeature(name: "away", needs: ["background", "foreground"], isAway: true, isPossible: \.isSeen) {
            $0.leave(isDeaf: false)
        } end: {
            if $0.isRunning, !$0.isForeground, $0.grammar.profiles.contains(.clientPush), $0.happens(25),
                $0.grammar.allows("openPush")
            {
                $0.push("openPush")
            }
            $0.comeBack()
        },
        // A connection, a session and a turn are a minute old when the person returns.
        ClientFeature(
            name: "a long absence", needs: ["background", "foreground"], isLong: true, isAway: true,
            isPossible: \.isSeen
        ) {
            $0.ask()
            $0.leave(isDeaf: $0.happens(50))
            $0.add("watch", ["for": $0.time(of: 6_500)])
        } end: {
            $0.comeBack()
            $0.add("finish")
        },
        ClientFeature(
            name: "many returns", needs: ["background", "foreground"], raises: [.returns, .connections],
            isPossible: \.isSeen
        ) {
            for _ in 0..<$0.amount(of: .returns, usually: 2) {
                $0.leave(isDeaf: false)
                $0.comeBack()
            }
        },
        ClientFeature(name: "a quit", needs: ["quit"], raises: [.restarts], isPossible: \.isRunning) {
            $0.restartApp("quit")
        },
        ClientFeature(name: "a crash", needs: ["crash"], raises: [.restarts], isPossible: \.isRunning) {
            $0.restartApp("crash")
        },
        ClientFeature(
            name: "a notification tapped", needs: ["openPush"], profile: .clientPush,
            isPossible: \.isRunning
        ) {
            $0.push("openPush")
            guard $0.screen != ClientPlanner.unknownSession else { return }
            $0.add("awaitState", ["session": $0.screen, "within": $0.bound ?? "pong", "optional": true])
        },
        ClientFeature(
            name: "a notification", needs: ["receivePush"], profile: .clientPush,
            isCalm: true, isPossible: { $0.isSeen && !$0.answers.isEmpty }
        ) { $0.push("receivePush") },
        ClientFeature(name: "many connections", raises: [.connections, .cuts]) { life in
            for _ in 0..<4 { life.reconnect() }
        },
        ClientFeature(name: "failed attempts", needs: ["networkDown", "networkUp"], raises: [.attempts]) {
            $0.when("upgrade", "refuse", ["status": 503])
            let steps: JSONValue = [
                ["do": "networkDown"], ["do": "networkUp"],
                ["do": "await", "comes": "attempt", "within": "foregroundReconnect", "optional": true],
            ]
            $0.add("repeat", ["times": 10, "steps": steps])
            $0.steering.raise(.attempts, by: 10)
        } end: {
            $0.serve("upgrade")
            $0.awaitConnection()
        },
    ]

    // MARK: the server and other devices

    private static let serving = [
        ClientFeature(
            name: "another device in new sessions", raises: [.sessions], isCalm: true, isPossible: { _ in true }
        ) {
            let name = $0.newName("x")
            // Two of them are equal except for case.
            for session in [name, name.uppercased(), $0.newName("x"), $0.newName("x")] { $0.begin(session) }
            $0.steering.raise(.sessions, by: 4)
        },
        ClientFeature(
            name: "much from another device", raises: [.sessionMessages], isCalm: true, isPossible: { _ in true }
        ) {
            let times = $0.steering.isReached(.sessionMessages) ? 3 : 12
            $0.writeElsewhere(times, in: $0.sessions.first)
            $0.steering.raise(.sessionMessages, by: times * 2)
            // A client that stores everything at each frame lags for a while.
            $0.add("watch", ["for": 400])
        },
        // A bound counts only if nothing interrupts the wait.
        ClientFeature(name: "a quiet while", isLong: true, isCalm: true) {
            $0.add("watch", ["for": "resend"])
        },
        ClientFeature(name: "silence while a turn runs", isLong: true) {
            $0.ask()
            $0.add("end", ["how": "silence"])
            $0.awaitConnection()
        } end: {
            $0.add("finish")
        },
        ClientFeature(name: "silence") {
            $0.add("end", ["how": "silence"])
            $0.writeElsewhere(1)
        },
        ClientFeature(name: "another greeting", raises: [.connections]) {
            let greeting: JSONValue = $0.one(
                of: ["motd": "hello", "heartbeatSeconds": 20], ["motd": ["of": "today"]],
                ["epoch": nil, "lastSeq": nil], ["limits": ["maxFrameBytes": 600]], ["lastSeq": 1])
            $0.when("auth", "serve", times: 1, ["greeting": greeting])
            $0.reconnect()
            // One message nearly fills a frame of 600 bytes, and one is too long for it.
            for count in [70, 200] { $0.say(String(repeating: "long ", count: count)) }
        },
        ClientFeature(name: "a late greeting", raises: [.connections]) {
            $0.when("auth", "delay", times: 1, ["milliseconds": 900])
            $0.add("end", ["how": "reset"])
            $0.add("await", ["comes": "auth", "within": "scheduling", "optional": true])
            $0.add("watch", ["for": 300])
        } end: {
            $0.awaitConnection()
        },
        ClientFeature(name: "another device's turn fails", isCalm: true, isPossible: { _ in true }) {
            $0.add("elsewhere", ["session": $0.screen ?? $0.existingSession(), "messages": ["u${next}"]])
            $0.add("fail", ["code": $0.one(of: "agent_failed", "internal")])
        },
        trouble("refused for long", ["comes": "upgrade", "then": "refuse", "status": 503]),
        trouble("reset for long", ["comes": "upgrade", "then": "reset"]),
        trouble("closed for long", ["comes": "upgrade", "then": "close", "code": 1011]),
        trouble("never greeted", ["comes": "auth", "then": "close", "code": 1011]),
        trouble("greeted and cut", ["comes": "sync", "then": "cut", "cut": "reset"], profile: .clientSync),
        ClientFeature(name: "a terminal close", needs: ["quit"], raises: [.restarts], isLong: true) {
            let (error, code) = $0.one(of: ("unsupported_version", 4010), ("auth_failed", 4001))
            if $0.happens(50) {
                $0.add("end", ["how": "close", "code": code])
            } else {
                $0.when("auth", "refuse", ["error": error, "code": code])
                $0.add("end", ["how": "reset"])
            }
            $0.add("watch", ["for": "attempts"])
        } end: {
            $0.serve("auth")
            $0.restartApp("quit")
        },
        ClientFeature(name: "an unknown frame", profile: .clientSync, raises: [.connections]) {
            $0.tell(["type": "mood", "mood": $0.one(of: "calm", ["of": "me"])])
        } end: {
            $0.reconnect()
        },
        ClientFeature(name: "a tool with an object", profile: .clientSync, raises: [.connections]) {
            let session = JSONValue.string($0.screen ?? $0.existingSession())
            let input: JSONValue = $0.one(
                of: ["url": "x", "list": [1, ["a": nil]]], "https://weather.example", 1.5, nil)
            $0.tell(["type": "toolUse", "tool": "webFetch", "sessionId": session, "turnId": "t900", "input": input])
        } end: {
            $0.reconnect()
        },
        ClientFeature(
            name: "a long text", raises: [.textBytes, .readBytes, .receivedBytes], isCalm: true,
            isPossible: { _ in true }
        ) {
            // Reading a screen with such texts is slow, so only one session has them.
            let isBelowGoal = !$0.steering.isReached(.readBytes)
            let size = isBelowGoal ? $0.steering.goals[.textBytes] ?? 0 : 22_000
            let answer: JSONValue = [
                "id": "a${next}", "role": "assistant",
                "text": .string(String(repeating: "and so on, ", count: size / 11 + 1)),
            ]
            let isNew = isBelowGoal && $0.steering.reached[.readBytes] == nil
            $0.add(
                "elsewhere",
                [
                    "session": isBelowGoal ? Self.longSession : $0.existingSession(), "messages": ["u${next}", answer],
                    "new": isNew.orAbsent,
                ])
            if isBelowGoal {
                $0.steering.raise(.textBytes, to: size)
                $0.steering.raise(.receivedBytes, by: size)
                $0.steering.raise(.readBytes, by: size)
            }
        },
    ]
}

extension ClientPlanner {
    /// The person asks a question whose turn goes on; returns its name.
    @discardableResult
    mutating func ask() -> String {
        when("chat", "ack", times: 1)
        return say(isAwaited: true)
    }

    /// A time in milliseconds, shortened to a third in a life, whose timers run faster.
    func time(of milliseconds: Int) -> Int { bound == nil ? milliseconds : milliseconds / 3 }

    /// A question fails, and is resent at the end of the feature; if `unheard`, the connection ends before the failure.
    mutating func fail(unheard: Bool = false) {
        ask()
        if unheard {
            // The client sees the turn at work, but not its end.
            add("tool", ["tool": "webFetch"])
            add("end", ["how": "reset"])
        }
        add("fail", ["code": one(of: "agent_failed", "internal")])
        noteFailure()
    }

    mutating func noteFailure() { failed += asked.suffix(1).map(\.name) }

    mutating func sayAgain() {
        guard let name = failed.popLast(), isSeen else { return }
        add("awaitState", ["failed": name, "within": bound ?? "polling", "optional": true])
        add("sendAgain", ["as": name])
    }

    /// Another device writes this often in a session: usually the one last on the screen.
    mutating func writeElsewhere(_ times: Int, in session: String? = nil) {
        let session = session ?? (happens(60) ? screen : nil) ?? existingSession()
        let step: JSONValue = ["do": "elsewhere", "session": .string(session), "messages": ["u${next}", "a${next}"]]
        add("repeat", ["times": max(1, times), "steps": [step]])
    }

    /// The server sends a numbered frame, then a message: a client that got the message has got the frame too.
    mutating func tell(_ frame: JSONValue) {
        add("tell", ["frame": frame, "numbered": true])
        writeElsewhere(1, in: screen)
        add("watch", ["for": 200])
    }

    mutating func loseNetwork() {
        add("networkDown")
        hasNetwork = false
    }

    mutating func findNetwork() {
        add("networkUp")
        hasNetwork = true
        awaitConnection()
    }

    /// Waits for a connection, unless something is known to prevent one.
    mutating func awaitConnection() {
        guard isSeen, hasNetwork, !activeRules.contains("upgrade"), hasLostConnection else { return }
        add("await", ["comes": "connection", "within": bound ?? "backoff", "optional": true])
        steering.raise(.connections)
    }

    /// Whether the last awaited connection has ended since.
    private var hasLostConnection: Bool {
        for step in steps.reversed() {
            let verb = step["do"]?.stringValue ?? ""
            if verb == "await", step["comes"] == "connection" { return false }
            if step["cut"] != nil || ["end", "foreground", "networkUp", "launch", "restart"].contains(verb) {
                return true
            }
        }
        return false
    }

    mutating func reconnect() {
        let code = bound != nil && happens(40) ? one(of: 1001, 1011, 1012, 1013, 4000) : nil
        add("end", ["how": code == nil ? one(of: "reset", "reset", "fin") : "close", "code": code])
        awaitConnection()
    }

    /// The app goes to the background; if `isDeaf`, its connection goes silent, so that nothing reaches it.
    mutating func leave(isDeaf: Bool = true) {
        add("background")
        if isDeaf { add("end", ["how": "silence"]) }
        isForeground = false
    }

    mutating func comeBack() {
        if isRunning, !isForeground { add("foreground") }
        isForeground = true
        awaitConnection()
    }

    mutating func restartApp(_ end: String) {
        add(end)
        launch()
        steering.raise(.restarts)
        steering.raise(.connections)
    }
}
