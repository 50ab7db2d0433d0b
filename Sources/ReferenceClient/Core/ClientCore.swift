import HoldfastJSON

/// The whole client without its sockets, its disk, its clock and its screen: inputs go in, effects come out.
///
/// Everything that decides is here, in files by concern, and runs one input after the other:
/// * `ClientCore+Connection` has one connection, or tries to, at a bearable pace;
/// * `ClientCore+Outbox` brings what the person typed to the server, once, whatever happens to connections and
/// requests; * `ClientCore+Frames` takes in what the server says, `ClientCore+Answers` what it answers over REST; *
/// `ClientCore+Sync` keeps the cursor in the stream of numbered frames, honestly; * `ClientCore+Reading` reads
/// histories when something may be missing, and stops asking in the end; * `ClientCore+Pushes` follows notifications,
/// `ClientCore+Screen` tells what a person sees.
///
/// What takes time is an effect whose outcome comes back as an input. So each rule can be tested without a network, and
/// an app can take this file by file.
struct ClientCore: Sendable {
    let rules: ClientRules
    var dice: Dice

    var now = 0
    var effects: [Effect] = []
    var link = Link()
    var cursor = Cursor()
    var outbox: [Question] = []
    /// Every conversation the client knows, by the client's own number.
    var conversations: [Int: Conversation] = [:]
    /// The conversation on the screen.
    var shown = 0
    /// What REST requests under way are for.
    var errands: [Int: Errand] = [:]
    /// Errors that belong to no conversation.
    var errors: [Complaint] = []

    var isRunning = false
    var isForeground = true
    var hasNetwork = true
    /// Whether nobody has chosen a conversation yet, so that the start may.
    var isUntouched = true
    /// Whether the list for the start could not be had yet.
    var startIsDue = false
    /// Whether something changed that survives the app.
    var needsSaving = false
    /// When the connection brought something last.
    var lastFrame = Int.min / 2

    private var lastConversation = 0
    private var lastRequest = 0

    /// What a REST request is for.
    enum Errand: Sendable, Equatable {
        /// The history of a session, for the conversation of that number.
        case read(session: String, conversation: Int)
        /// The list: where to start, what changed while there is no socket, or where a question went.
        case start
        case look
        case search(conversation: Int)
        /// A question over REST.
        case post(key: String, conversation: Int)
    }

    /// A client that knows what an earlier run of it has stored; nil after installation.
    init(rules: ClientRules, memory: String? = nil, dice: Dice = Dice()) {
        self.rules = rules
        self.dice = dice
        shown = newConversation()
        if let memory { recall(memory) }
    }

    /// Takes in what happened and tells what to do about it, in order.
    mutating func handle(_ input: Input, at moment: Int) -> [Effect] {
        now = moment
        return having { $0.take(input) }
    }

    /// What has to be done once something was done here.
    mutating func having(_ deed: (inout ClientCore) -> Void) -> [Effect] {
        deed(&self)
        // What is to be kept is kept before anything is sent that relies on it.
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
        case .said(let text): say(text)
        case .saidAgain(let key): sayAgain(key)
        case .selected(let session): select(session)
        case .pushReceived(let payload): pushReceived(payload)
        case .pushOpened(let payload): pushOpened(payload)
        }
    }

    // MARK: what the parts share

    /// Whether anything can be asked of a server now.
    var mayAsk: Bool { isRunning && isForeground && hasNetwork && link.phase != .refused }

    func differs(_ variation: ClientVariation) -> Bool { rules.variations.contains(variation) }

    /// Waits for so many milliseconds of the client's own time.
    mutating func wait(_ timer: ClientTimer, _ milliseconds: Int) {
        effects.append(.wait(timer, ms: rules.real(milliseconds)))
    }

    mutating func stopWaiting(_ timer: ClientTimer) { effects.append(.stopWaiting(timer)) }

    mutating func newConversation(session: String? = nil) -> Int {
        lastConversation += 1
        conversations[lastConversation] = Conversation(number: lastConversation, session: session)
        return lastConversation
    }

    /// The conversation of a session; a new one where there is none.
    mutating func conversation(of session: String) -> Int {
        known(session) ?? newConversation(session: session)
    }

    /// The conversation of a session, where there is one.
    func known(_ session: String) -> Int? {
        conversations.values.first { $0.session == session }?.number
    }

    mutating func ask(_ method: String, _ path: String, body: JSONValue? = nil, for errand: Errand) -> Int {
        lastRequest += 1
        errands[lastRequest] = errand
        var body = body
        if differs(.addsMembers) { body?["note"] = ["nobody": "knows"] }
        let request = RESTRequest(
            method: method, url: rules.base + path, token: rules.token, body: body?.text() ?? "")
        let limit = rules.real(method == "POST" ? rules.post : rules.read)
        effects.append(.request(lastRequest, request, limit: limit))
        return lastRequest
    }

    /// Tells the person of an error, in a conversation or for all.
    mutating func complain(_ text: String, code: String? = nil, key: String? = nil, in conversation: Int? = nil) {
        let complaint = Complaint(text: text, code: code, key: key)
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
                // It was written down in whole milliseconds.
                effects.append(.wait(.retry(key: question.key), ms: max(1, until - now + 1)))
            }
        }
        connect()
        if let payload {
            follow(payload)
        } else {
            startUsually()
        }
        resume()
    }

    private mutating func elapsed(_ timer: ClientTimer) {
        switch timer {
        case .reconnect: if link.phase == .waiting { connect() }
        case .greeting: greetingIsLate()
        case .sign(let key): signIsLate(key)
        case .retry(let key): retry(key)
        case .poll(let conversation): tick(conversation)
        case .degraded: look()
        case .silence(let key): silenceIsLong(key)
        case .stillness: listen()
        }
    }
}
