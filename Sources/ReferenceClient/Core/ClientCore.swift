import HoldfastJSON

/// The whole client without its sockets, disk, clock and screen: takes inputs, returns effects.
///
/// All decisions are made here, one input at a time, in files by concern:
/// * `ClientCore+Connection` keeps one connection, with bounded retries;
/// * `ClientCore+Outbox` delivers what the user typed, once, despite lost connections and requests;
/// * `ClientCore+Frames` handles frames, and `ClientCore+Answers` REST answers;
/// * `ClientCore+Sync` keeps a correct position in the stream of numbered frames;
/// * `ClientCore+Reading` reads histories when something may be missing, a limited number of times;
/// * `ClientCore+Pushes` handles notifications, and `ClientCore+Screen` the visible state.
///
/// Slow work is an effect whose outcome returns as an input. So each rule can be tested without a network, and an app
/// can adopt this code file by file.
struct ClientCore: Sendable {
    let rules: ClientRules
    var dice: Dice

    var now = 0
    var effects: [Effect] = []
    var link = Link()
    var stream = StreamState()
    var outbox: [Question] = []
    /// Every conversation the client knows, by the client's own number.
    var conversations: [Int: Conversation] = [:]
    var shown = 0
    var purposes: [Int: Purpose] = [:]
    /// Errors outside any conversation.
    var errors: [ScreenError] = []

    var isRunning = false
    var isForeground = true
    var hasNetwork = true
    /// Whether the user has not chosen a conversation yet, so that the start may choose one.
    var isUntouched = true
    /// Whether the list for the start is still missing.
    var startIsDue = false
    /// Whether state that survives the app has changed.
    var needsSaving = false
    var lastFrameAt = Int.min / 2

    private var lastConversation = 0
    private var lastRequest = 0

    enum Purpose: Sendable, Equatable {
        case read(session: String, conversation: Int)
        /// These three read the list: to choose a start, to find changes without a socket, to find a question.
        case start, list, search(conversation: Int)
        case post(key: String, conversation: Int)

        var isPost: Bool { if case .post = self { true } else { false } }
    }

    /// A client with the stored memory of an earlier run; nil after installation.
    init(rules: ClientRules, memory: String? = nil, dice: Dice = Dice()) {
        self.rules = rules
        self.dice = dice
        shown = newConversation()
        if let memory { recall(memory) }
    }

    mutating func handle(_ input: Input, at moment: Int) -> [Effect] {
        now = moment
        return collecting { $0.take(input) }
    }

    /// Returns the effects of a change; if state must be saved, that is the first one.
    mutating func collecting(_ action: (inout ClientCore) -> Void) -> [Effect] {
        action(&self)
        // Save before sending anything that relies on it.
        if needsSaving { effects.insert(.save(memory), at: 0) }
        needsSaving = false
        defer { effects.removeAll(keepingCapacity: true) }
        return effects
    }

    private mutating func take(_ input: Input) {
        switch input {
        case .launched(let payload): launch(opened: payload)
        case .foreground: foreground()
        case .background: background()
        case .networkDown: networkDown()
        case .networkUp: networkUp()
        case .opened(let socket): opened(socket)
        case .received(let socket, let text): received(text, on: socket)
        case .ended(let socket, let code): ended(socket, code: code)
        case .answered(let request, let answer): answered(request, answer)
        case .elapsed(let timer): elapsed(timer)
        case .typed(let text): enqueue(text)
        case .resent(let key): resend(key)
        case .selected(let session): select(session)
        case .pushReceived(let payload): pushReceived(payload)
        case .pushOpened(let payload): pushOpened(payload)
        }
    }

    // MARK: what the parts share

    /// Whether the client may send requests now.
    var mayRequest: Bool { isRunning && isForeground && hasNetwork && link.phase != .refused }

    func uses(_ variation: ClientVariation) -> Bool { rules.variations.contains(variation) }

    /// Starts a timer in the client's own scaled time.
    mutating func wait(_ timer: ClientTimer, _ milliseconds: Int) {
        effects.append(.wait(timer, ms: rules.real(milliseconds)))
    }

    mutating func stopWaiting(_ timer: ClientTimer) { effects.append(.stopWaiting(timer)) }

    mutating func newConversation(session: String? = nil) -> Int {
        lastConversation += 1
        conversations[lastConversation] = Conversation(number: lastConversation, session: session)
        return lastConversation
    }

    mutating func conversation(of session: String) -> Int { knownNumber(session) ?? newConversation(session: session) }

    func knownNumber(_ session: String) -> Int? {
        conversations.values.first { $0.session == session }?.number
    }

    mutating func ask(_ method: String, _ path: String, body: JSONValue? = nil, for purpose: Purpose) -> Int {
        lastRequest += 1
        purposes[lastRequest] = purpose
        var body = body
        if uses(.addsMembers) { body?["note"] = ["nobody": "knows"] }
        let request = RESTRequest(
            method: method, url: rules.base + path, token: rules.token, body: body?.text() ?? "")
        let limit = rules.real(method == "POST" ? rules.post : rules.read)
        effects.append(.request(lastRequest, request, limit: limit))
        return lastRequest
    }

    mutating func showError(_ text: String, code: String? = nil, key: String? = nil, in conversation: Int? = nil) {
        let complaint = ScreenError(text: text, code: code, key: key)
        guard let conversation, conversations[conversation] != nil else {
            errors = (errors.filter { $0 != complaint } + [complaint]).suffix(20)
            return
        }
        let others = conversations[conversation]?.errors.filter { $0.key == nil || $0.key != key } ?? []
        conversations[conversation]?.errors = (others.filter { $0 != complaint } + [complaint]).suffix(20)
    }

    private mutating func launch(opened payload: JSONValue?) {
        isRunning = true
        for question in outbox {
            if case .limited(let until) = question.phase {
                // The time was stored in whole milliseconds, rounded down.
                effects.append(.wait(.retry(key: question.key), ms: max(1, until - now + 1)))
            }
        }
        connect()
        if let payload {
            follow(payload)
        } else {
            startNormally()
        }
        resume()
    }

    private mutating func elapsed(_ timer: ClientTimer) {
        switch timer {
        case .reconnect: if link.phase == .waiting { connect() }
        case .greeting: if link.live == nil { giveUpConnection() }
        case .confirmation(let key): confirmationIsLate(key)
        case .retry(let key): retry(key)
        case .poll(let conversation): tick(conversation)
        case .degraded: pollList()
        case .silence(let key): silenceIsLong(key)
        case .connectionSilence: checkSilence()
        }
    }
}
