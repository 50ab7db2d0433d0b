import Holdfast
import HoldfastJSON
import HoldfastJudge

/// Something that may happen in a round of a client's life, around what others do meanwhile.
struct ClientFeature: SteeredFeature, Sendable {
    let name: String
    /// Commands without which it cannot be.
    var needs: [String] = []
    var profile: Profile?
    var raises: [Reach.Dimension] = []
    /// Whether it takes as long as several rounds.
    var isLong = false
    /// Whether the app, the network and the connection stay.
    var isCalm = false
    /// Whether it can be now: mostly while the person has the app before them, with a network.
    var isPossible: @Sendable (ClientDrawing) -> Bool = { $0.isSeen && $0.hasNetwork }
    let begin: @Sendable (inout ClientLifeDrawing) -> Void
    /// The steps that end it, after the others of its round.
    var end: @Sendable (inout ClientLifeDrawing) -> Void = { _ in }

    /// The session with texts as long as they may be.
    private static let longSession = "long"

    static let all = typing + failing + streaming + going + serving
}

// Typed messages, and their fate.
extension ClientFeature {
    private static let typing = [
        ClientFeature(name: "typed offline", needs: ["networkDown", "networkUp"], raises: [.typedOffline]) {
            $0.drawing.add("networkDown")
            $0.drawing.hasNetwork = false
            let many = $0.amount(of: .typedOffline, usually: 3)
            for _ in 0..<many {
                if $0.drawing.happens(20), $0.drawing.grammar.allows("selectSession") { _ = $0.choose() }
                $0.say()
            }
        } end: {
            $0.drawing.add("networkUp")
            $0.drawing.hasNetwork = true
            $0.awaitConnection()
        },
        ClientFeature(name: "a long outage", needs: ["networkDown", "networkUp"], isLong: true) {
            $0.drawing.when("chat", $0.drawing.one(of: "store", "drop"), times: 1)
            $0.say()
            $0.drawing.add("networkDown")
            $0.drawing.hasNetwork = false
            $0.say()
            $0.drawing.add("watch", ("for", 5_000))
        } end: {
            $0.drawing.add("networkUp")
            $0.drawing.hasNetwork = true
            $0.awaitConnection()
        },
        ClientFeature(name: "questions before the first ack", raises: [.unacknowledged]) {
            let many = $0.amount(of: .unacknowledged, usually: 2)
            $0.drawing.when("chat", "drop", times: many)
            for _ in 0..<many { $0.say() }
        } end: {
            $0.reconnect()
        },
        ClientFeature(name: "a question cut") {
            let deed = $0.drawing.one(of: "store", "drop")
            $0.drawing.when("chat", deed, times: 1, ("cut", $0.drawing.cut(often: 100)))
            $0.say()
            $0.awaitConnection()
        },
        ClientFeature(name: "a new conversation", needs: ["selectSession"], raises: [.sessions], isCalm: true) {
            $0.drawing.add("select", ("session", JSONValue.null))
            $0.say()
            $0.steering.raise(.sessions)
        },
        ClientFeature(name: "equal words", isCalm: true) {
            $0.drawing.say(fate: 100, text: Words.usual)
            $0.drawing.say(fate: 100, text: Words.usual)
        },
        ClientFeature(name: "kinds of text", raises: [.kindsOfText], isCalm: true) {
            let words = Words.all.filter { $0.contains { !$0.isWhitespace } }
            let long = "typed at length" + String(repeating: ", and so on", count: 4_000)
            for text in ["👍🏽 both ends ", $0.drawing.any(words + [long]) ?? ""] { $0.drawing.say(fate: 100, text: text) }
            $0.steering.raise(.kindsOfText)
        },
        ClientFeature(name: "a session chosen", needs: ["selectSession"], isCalm: true, isPossible: \.isSeen) {
            _ = $0.choose()
        },
        ClientFeature(name: "a turn that runs", isCalm: true) {
            $0.ask()
        } end: {
            $0.drawing.add("finish")
        },
    ]

    private static let failing = [
        ClientFeature(name: "a question that nobody takes", needs: ["sendAgain"]) {
            $0.drawing.when("chat", $0.drawing.one(of: "store", "drop"), times: 1, ("cut", "reset"))
            $0.drawing.when("chat", "drop")
            $0.drawing.when("post", "reset")
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
            $0.drawing.add("forget", ("upTo", $0.drawing.ref("lastSeq")))
        } end: {
            $0.awaitConnection()
            $0.sayAgain()
        },
        ClientFeature(name: "a limit told", isCalm: true) {
            let frame: JSONValue = [
                "type": "error", "error": "slow down", "code": "rate_limited", "clientMessageId": "${key}",
                "retryAfterMs": 1_500, "limit": 1, "windowMs": 60_000,
            ]
            $0.drawing.when("chat", "refuse", times: 1, ("frame", frame))
            $0.say()
        } end: {
            $0.drawing.add("watch", ("for", 1_800))
        },
        ClientFeature(name: "a limit over REST") {
            $0.drawing.when("upgrade", "refuse", ("status", 503))
            $0.drawing.when("chat", "drop", times: 1, ("cut", "reset"))
            $0.drawing.when("post", "refuse", times: 1, ("status", 429), ("retryAfter", 2))
            $0.say()
        } end: {
            $0.drawing.add("watch", ("for", 2_300))
            $0.serve("upgrade")
            $0.awaitConnection()
        },
        ClientFeature(name: "an answer that nothing brings", isLong: true) {
            $0.ask()
            $0.drawing.when("read", "fail", ("status", 503))
            if $0.drawing.happens(50) { $0.drawing.when("upgrade", "refuse", ("status", 503)) }
            $0.drawing.add("end", ("how", "reset"))
            $0.awaitConnection()
        } end: {
            $0.drawing.add("awaitState", ("thinking", false), ("within", "polling"), ("optional", true))
            $0.serve("read")
            $0.serve("upgrade")
            $0.awaitConnection()
        },
        ClientFeature(name: "a refusal", needs: ["sendAgain"], isCalm: true) {
            let code = $0.drawing.one(of: "persist_failed", "internal", "something_new")
            let frame: JSONValue = [
                "type": "error", "error": .string("no, because of \(code)"), "code": .string(code),
                "clientMessageId": "${key}",
            ]
            $0.drawing.when("chat", "refuse", times: 1, ("frame", frame))
            $0.say()
            $0.noteFailure()
        } end: {
            $0.sayAgain()
        },
        ClientFeature(name: "a final refusal") {
            let code = $0.drawing.one(of: "bad_request", "too_large")
            let frame: JSONValue = [
                "type": "error", "error": "no", "code": .string(code), "clientMessageId": "${key}",
            ]
            $0.drawing.when("chat", "refuse", times: 1, ("frame", frame))
            $0.say()
        } end: {
            // Nothing of it comes on the next connection.
            $0.reconnect()
            $0.drawing.add("watch", ("for", "resend"))
        },
    ]
}

// The contents of the stream and of reads.
extension ClientFeature {
    private static let streaming = [
        ClientFeature(name: "a page with something unknown", needs: ["background", "foreground"], profile: .clientSync)
        {
            $0.leave()
            $0.speak(1)
            $0.drawing.add("tell", ("frame", ["type": "mood", "mood": "calm"]), ("numbered", true))
            $0.speak(1)
            $0.drawing.when("sync", "page", times: 6, ("size", JSONValue($0.drawing.one(of: 2, 3))))
        } end: {
            $0.comeBack()
        },
        ClientFeature(name: "many pages", needs: ["background", "foreground"], profile: .clientSync, raises: [.pages]) {
            $0.leave()
            $0.speak($0.amount(of: .pages, usually: 6) / 2)
            $0.drawing.when("sync", "page", ("size", 1))
        } end: {
            $0.comeBack()
            $0.drawing.add("watch", ("for", 300))
            $0.serve("sync")
        },
        ClientFeature(name: "frames during a sync", profile: .clientSync, raises: [.framesDuringSync]) {
            $0.drawing.when("sync", "hold", times: 1)
            $0.reconnect()
            $0.drawing.add("await", ("comes", "sync"), ("within", "scheduling"), ("optional", true))
            $0.speak($0.amount(of: .framesDuringSync, usually: 4) / 2)
            $0.drawing.add("release", ("comes", "sync"), ("as", "asked"), ("optional", true))
            // A client that stores at each frame is behind for a while, and would see the end of its connection late.
            $0.drawing.add("watch", ("for", 600))
        },
        ClientFeature(name: "a gap before pages", needs: ["background", "foreground"], profile: .clientSync) {
            $0.leave()
            $0.speak(2)
            $0.drawing.add("forget", ("upTo", $0.drawing.ref("lastSeq-1")))
            $0.speak(2)
            $0.drawing.when("sync", "page", times: 1, ("size", 1), ("reason", "evicted"))
        } end: {
            $0.comeBack()
        },
        ClientFeature(name: "a late sync", profile: .clientSync, raises: [.connections]) {
            $0.drawing.when("sync", "delay", times: 1, ("milliseconds", 600))
            $0.reconnect()
        },
        ClientFeature(name: "forgotten frames", needs: ["background", "foreground"], profile: .clientSync) {
            $0.leave()
            $0.speak(2)
            $0.drawing.add("forget", ("upTo", $0.drawing.ref("lastSeq-1")))
        } end: {
            $0.comeBack()
        },
        ClientFeature(name: "a restart", profile: .clientSync, raises: [.connections]) {
            $0.drawing.restart()
            $0.awaitConnection()
        },
        ClientFeature(name: "a read beside live frames", needs: ["selectSession"], isCalm: true) {
            $0.drawing.when("read", "delay", times: 1, ("milliseconds", 400))
            $0.speak(1, in: $0.choose())
        } end: {
            $0.drawing.add("watch", ("for", 500))
        },
        ClientFeature(name: "reads that fail", needs: ["selectSession"], isCalm: true) {
            $0.drawing.when("read", "fail", times: 2, ("status", 503))
            _ = $0.choose()
        },
    ]

    // MARK: the app and the phone

    private static let going = [
        ClientFeature(name: "a quit", needs: ["quit"], raises: [.restarts], isPossible: \.isRunning) { $0.end("quit") },
        ClientFeature(name: "a crash", needs: ["crash"], raises: [.restarts], isPossible: \.isRunning) {
            $0.end("crash")
        },
        ClientFeature(
            name: "a notification tapped", needs: ["openPush"], profile: .clientPush,
            isPossible: \.isRunning
        ) {
            $0.push("openPush")
            $0.drawing.isForeground = true
        },
        ClientFeature(
            name: "a notification", needs: ["receivePush"], profile: .clientPush,
            isCalm: true, isPossible: \.isSeen
        ) { $0.push("receivePush") },
        ClientFeature(name: "many connections", raises: [.connections, .cuts]) { life in
            for _ in 0..<4 { life.reconnect() }
        },
        ClientFeature(name: "failed attempts", needs: ["networkDown", "networkUp"], raises: [.attempts]) {
            $0.drawing.when("upgrade", "refuse", ("status", 503))
            let steps: JSONValue = [
                ["do": "networkDown"], ["do": "networkUp"],
                ["do": "await", "comes": "attempt", "within": "foregroundReconnect", "optional": true],
            ]
            $0.drawing.add("repeat", ("times", 10), ("steps", steps))
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
            let name = $0.drawing.newName("x")
            // Two of them are equal except for case.
            for session in [name, name.uppercased(), $0.drawing.newName("x"), $0.drawing.newName("x")] {
                $0.drawing.sessions.append(session)
                $0.drawing.add(
                    "elsewhere", ("session", .string(session)), ("messages", ["u${next}", "a${next}"]), ("new", true))
            }
            $0.steering.raise(.sessions, by: 4)
        },
        ClientFeature(
            name: "much from another device", raises: [.sessionMessages], isCalm: true, isPossible: { _ in true }
        ) {
            let times = $0.steering.isReached(.sessionMessages) ? 3 : 12
            $0.speak(times, in: "s1")
            $0.steering.raise(.sessionMessages, by: times * 2)
            // A client that stores all at each frame is behind for a while.
            $0.drawing.add("watch", ("for", 400))
        },
        // A bound counts only where nothing interrupts it; it is long beside the other rounds.
        ClientFeature(name: "a quiet while", isCalm: true) { _ in
        } end: {
            guard $0.drawing.isSeen, $0.drawing.hasNetwork, $0.drawing.happens(25) else { return }
            $0.drawing.add("watch", ("for", "resend"))
        },
        ClientFeature(name: "silence") {
            $0.drawing.add("end", ("how", "silence"))
            $0.speak(1)
        },
        ClientFeature(name: "another greeting", raises: [.connections]) {
            let greeting: JSONValue = $0.drawing.one(
                of: ["motd": "hello", "heartbeatSeconds": 20], ["epoch": nil, "lastSeq": nil],
                ["limits": ["maxFrameBytes": 600]], ["lastSeq": 1])
            $0.drawing.when("auth", "serve", times: 1, ("greeting", greeting))
            $0.reconnect()
            // One nearly fills the smallest frame, and one is too long for it.
            for count in [70, 200] { $0.drawing.say(fate: 100, text: String(repeating: "long ", count: count)) }
        },
        ClientFeature(name: "a late greeting", raises: [.connections]) {
            $0.drawing.when("auth", "delay", times: 1, ("milliseconds", 900))
            $0.drawing.add("end", ("how", "reset"))
            $0.drawing.add("await", ("comes", "auth"), ("within", "scheduling"), ("optional", true))
            $0.drawing.add("watch", ("for", 300))
        } end: {
            $0.awaitConnection()
        },
        ClientFeature(name: "another device's turn fails", isCalm: true, isPossible: { _ in true }) {
            $0.drawing.add("elsewhere", ("session", .string($0.screen)), ("messages", ["u${next}"]))
            $0.drawing.add("fail", ("code", .string($0.drawing.one(of: "agent_failed", "internal"))))
        },
        ClientFeature(name: "only requests work", isLong: true) {
            $0.drawing.when("upgrade", "refuse", ("status", 503))
            $0.drawing.add("end", ("how", "reset"))
            $0.speak(1, in: $0.screen)
            if $0.drawing.grammar.profiles.contains(.clientPush), $0.drawing.grammar.allows("receivePush") {
                $0.push("receivePush")
            }
            $0.drawing.add("watch", ("for", 4_000))
        } end: {
            $0.serve("upgrade")
            $0.awaitConnection()
        },
        ClientFeature(name: "no socket") {
            $0.drawing.when("upgrade", "reset")
            $0.drawing.add("end", ("how", "reset"))
            $0.say()
        } end: {
            $0.serve("upgrade")
            $0.awaitConnection()
        },
        ClientFeature(name: "a terminal close", needs: ["quit"], raises: [.restarts], isLong: true) {
            let (error, code): (JSONValue, JSONValue) = $0.drawing.one(
                of: ("unsupported_version", 4010), ("auth_failed", 4001))
            if $0.drawing.happens(50) {
                $0.drawing.add("end", ("how", "close"), ("code", code))
            } else {
                $0.drawing.when("auth", "refuse", ("error", error), ("code", code))
                $0.drawing.add("end", ("how", "reset"))
            }
            $0.drawing.add("watch", ("for", "attempts"))
        } end: {
            $0.serve("auth")
            $0.end("quit")
        },
        ClientFeature(name: "an unknown frame", profile: .clientSync, raises: [.connections]) {
            $0.tell(["type": "mood", "mood": "calm"])
        } end: {
            $0.reconnect()
        },
        ClientFeature(name: "a tool with an object", profile: .clientSync, raises: [.connections]) {
            let input: JSONValue = ["url": "x", "list": [1, ["a": nil]]]
            $0.tell([
                "type": "toolUse", "tool": "webFetch", "sessionId": .string($0.screen), "turnId": "t900",
                "input": input,
            ])
        } end: {
            $0.reconnect()
        },
        ClientFeature(name: "a long text", raises: [.textBytes, .readBytes], isCalm: true, isPossible: { _ in true }) {
            life in
            // Each look at a screen with such texts is slow, and so only one session has them.
            let isBehind = !life.steering.isReached(.readBytes)
            let size = isBehind ? life.steering.goals[.textBytes] ?? 0 : 22_000
            let answer: JSONValue = [
                "id": "a${next}", "role": "assistant",
                "text": .string(String(repeating: "and so on, ", count: size / 11 + 1)),
            ]
            let session = isBehind ? Self.longSession : life.drawing.any(life.drawing.sessions) ?? "s1"
            let isNew = isBehind && life.steering.reached[.readBytes] == nil
            life.drawing.add(
                "elsewhere", ("session", .string(session)), ("messages", ["u${next}", answer]),
                ("new", life.drawing.given(isNew, true)))
            if isBehind {
                life.steering.raise(.textBytes, to: size)
                life.steering.raise(.readBytes, by: size)
            }
        },
    ]
}

// The parts of features.
extension ClientLifeDrawing {
    /// The person says something, of which nothing else was decided.
    mutating func say() {
        drawing.say(fate: 100)
    }

    /// The person asks something whose turn goes on.
    mutating func ask() {
        drawing.when("chat", "ack", times: 1)
        say()
        _ = drawing.awaitLastQuestion()
    }

    /// Each question fails, and is sent again at the end; without a connection nothing could report the failure.
    mutating func fail(unheard: Bool = false) {
        ask()
        if unheard { drawing.add("end", ("how", "reset")) }
        drawing.add("fail", ("code", .string(drawing.one(of: "agent_failed", "internal"))))
        noteFailure()
    }

    mutating func noteFailure() {
        failed += drawing.asked.suffix(1).map { .string($0.name) }
    }

    mutating func sayAgain() {
        guard let name = failed.popLast(), drawing.isSeen else { return }
        drawing.add("awaitState", ("failed", name), ("within", "scheduling"), ("optional", true))
        drawing.add("sendAgain", ("as", name))
    }

    /// Goes to a session.
    mutating func choose() -> String {
        screen = drawing.any(drawing.sessions) ?? "s1"
        drawing.add("select", ("session", .string(screen)))
        return screen
    }

    /// Another device speaks so often in a session, mostly in one that was on the screen last.
    mutating func speak(_ times: Int, in session: String? = nil) {
        let session = session ?? (drawing.happens(60) ? screen : drawing.any(drawing.sessions) ?? "s1")
        let step: JSONValue = ["do": "elsewhere", "session": .string(session), "messages": ["u${next}", "a${next}"]]
        drawing.add("repeat", ("times", JSONValue(max(1, times))), ("steps", [step]))
    }

    /// The server numbers a frame; what it says next on that connection shows that the frame was taken.
    mutating func tell(_ frame: JSONValue) {
        drawing.add("tell", ("frame", frame), ("numbered", true))
        speak(1, in: screen)
        drawing.add("watch", ("for", 200))
    }

    mutating func push(_ verb: String) {
        var answer = drawing.any(drawing.answers) ?? ("s1", "a1")
        if verb == "openPush", drawing.happens(25) { answer = (ClientDrawing.unknownSession, "a99") }
        if verb == "openPush", drawing.happens(25) { drawing.when("read", "fail", times: 3, ("status", 503)) }
        drawing.add(verb, ("session", .string(answer.session)), ("message", .string(answer.message)))
        if verb == "openPush" { screen = answer.session }
    }

    mutating func serve(_ comes: String) {
        drawing.add("when", ("comes", .string(comes)), ("then", "serve"))
        drawing.ruled.removeAll { $0 == comes }
    }

    /// Waits for a connection, where nothing is known to prevent one.
    mutating func awaitConnection() {
        guard drawing.isSeen, drawing.hasNetwork, !drawing.ruled.contains("upgrade"), hasLostConnection else { return }
        drawing.awaitConnection()
        steering.raise(.connections)
    }

    /// Whether the last connection that was waited for has ended since.
    private var hasLostConnection: Bool {
        for step in drawing.steps.reversed() {
            let verb = step["do"]?.stringValue ?? ""
            if verb == "await", step["comes"] == "connection" { return false }
            if step["cut"] != nil || ["end", "foreground", "networkUp", "launch", "restart"].contains(verb) {
                return true
            }
        }
        return false
    }

    mutating func reconnect() {
        drawing.add("end", ("how", .string(drawing.one(of: "reset", "reset", "fin"))))
        awaitConnection()
    }

    /// The app goes to the background, where nothing reaches it.
    mutating func leave() {
        drawing.add("background")
        drawing.add("end", ("how", "silence"))
        drawing.isForeground = false
    }

    mutating func comeBack() {
        if drawing.isRunning, !drawing.isForeground { drawing.add("foreground") }
        drawing.isForeground = true
        awaitConnection()
    }

    /// The app ends, one way or the other, and is launched again.
    mutating func end(_ how: String) {
        drawing.add(how)
        drawing.launch()
        steering.raise(.restarts)
        steering.raise(.connections)
    }
}
