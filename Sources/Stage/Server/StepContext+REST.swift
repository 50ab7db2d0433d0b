import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastTranscript
import HoldfastTransport

extension StepContext {
    func body(of question: ScenarioStep.Question) throws -> JSONObject {
        try question.body(
            obeysScripts: subject.hasScriptedAgent, filled: { try filled($0) }, key: { performer.key(of: $0) },
            count: { try count($0) })
    }

    /// Reads a number of tools; rejects one so large that its turn would take minutes.
    private func count(_ template: JSONValue) throws -> Int {
        let count = try number(template)
        guard count <= 20_000 else {
            throw StepEnd.unsuitable("it needs a turn of \(count) tools; the stage asks for at most 20,000")
        }
        return max(0, count)
    }

    // MARK: exchanges

    func http(_ exchange: ScenarioStep.Exchange) async throws {
        let body = try exchange.body.map { try filled($0).text() } ?? exchange.bodyText.map { try filled($0) }
        let path = try filledPath(exchange.path)
        if exchange.save.isEmpty { try checkWire(exchange.method, path, body) }
        let (answer, lane) = try await request(
            exchange.method, path, exchange.credential, body: body, within: performer.limit(exchange.bounds))
        try save(exchange.save, from: answer, of: "response", on: lane)
    }

    func postChat(
        _ question: ScenarioStep.Question, _ credential: ScenarioStep.Credential, save pointers: [String: JSONPointer]
    ) async throws {
        let members = try self.body(of: question)
        if question.bytes == nil, case .own = credential.token {
            performer.noteUse(credential.principal)
            performer.noteAsked(members, by: credential.principal)
        }
        var body = JSONValue.object(members)
        try check(body, as: "chatRequest")
        if let bytes = question.bytes, let padded = try lengthened(body, toBytes: try number(bytes), from: body.text())
        {
            body = padded
        }
        if question.bytes == nil { try checkSize(body.text().utf8.count) }
        performer.addScriptWait(question.waitMs)
        let post = try question.name.map { performer.beginPost(of: try filled($0)) }
        let (answer, lane) = try await request(
            "POST", "/api/chat", credential, body: body.text(), within: performer.limit(["turn", "rest"]),
            pending: post)
        if post?.wasAbandoned == true { return try noteMissing(pointers, of: "response") }
        try save(pointers, from: answer, of: "response", on: lane)
    }

    /// Ends the connection of a question that was sent, unless it already has a response.
    func leave(_ name: String, _ how: Cut) async throws {
        let post = performer.post(of: try filled(name))
        guard let (connection, lane) = await post.sent.wait(within: performer.limit("rest")) else {
            if Task.isCancelled { throw StepEnd.interrupted }
            throw StepEnd.unmet("\(pointer): the question '\(name)' was not sent over REST")
        }
        guard post.end(.abandoned) else { return }
        recorder.note(.act("cut", ["how": .string(how.rawValue)]), on: lane)
        connection.cut(how)
    }

    func readUntil(_ read: ScenarioStep.ReadUntil) async throws {
        let path = "/api/sessions/\(try filledPath(read.session))"
        let session = try filled(read.session)
        let credential = ScenarioStep.Credential(principal: read.principal)
        let deadline = ExtendedDeadline(performer.limit(read.bound.within))
        var pause = Duration.milliseconds(5)
        while true {
            let isLast = deadline.rest <= .zero
            let (answer, lane) = try await request(
                "GET", path, credential, body: nil, within: performer.limit("rest"))
            let refused = read.countsRefused ? recorder.busyQuestions.count(in: session) : 0
            if let answer, read.isMet(by: answer, refused: refused) {
                return try save(read.save, from: answer, of: "response", on: lane)
            }
            if isLast {
                let what = "session with \(read.messages) messages"
                try missed(what, on: lane, isOptional: read.bound.isOptional)
                return try noteMissing(read.save, of: what)
            }
            try? await Task.sleep(for: pause, clock: .continuous)
            pause = min(pause * 2, .milliseconds(250))
        }
    }

    /// The body is nil if it is not JSON.
    func request(
        _ method: String, _ path: String, _ credential: ScenarioStep.Credential, body: String?, within limit: Duration,
        pending post: PendingPost? = nil
    ) async throws -> (JSONValue?, Lane) {
        let asked = RESTRequest(method: method, path: inOneSegment(path), body: body)
        guard let wire = dialect.encode(asked) else { throw StepEnd.unmet("\(pointer): \(absence(of: method, path))") }
        let (method, path, body) = (wire.method, wire.path, wire.body)
        let lane = Lane.exchange(performer.exchanges.next())
        let request = subject.request(method, path, token: try token(credential), body: body)
        recorder.note(
            .request(
                Event.Request(method: method, path: path, principal: credential.shown, body: body)), on: lane)
        let began = ContinuousClock.now
        let answer: HTTPAnswer
        let kill = performer.armed.takeForExchange()
        let tripwire = performer.instance.flatMap { kill?.tripwire(for: $0, speaking: dialect, recorder: recorder) }
        // A connection that may be cut or watched has no other request.
        let kept = post == nil && tripwire == nil ? performer.keptConnection : nil
        do {
            answer = try await HTTPExchange.perform(
                request, tls: subject.tls, tripwire: tripwire, sent: post?.begin(on: lane), over: kept,
                maxBodyBytes: 8 << 20, timeout: limit, waitOut: ExtendedDeadline.waitOut)
            if post?.end(.finished) == false { return (nil, lane) }
        } catch {
            if Task.isCancelled { throw StepEnd.interrupted }
            if post?.end(.finished) == false { return (nil, lane) }
            if error.isLocal { throw StepEnd.harness(HarnessProblem(.cannotConnect(error.code), at: location)) }
            recorder.note(.failed(reason: error.name), on: lane)
            performer.noteLoss()
            // A subject that the scenario ended cannot answer, and the scenario goes on.
            if performer.instance?.wasEndedHere == true { return (nil, lane) }
            if case .tooLarge(let limit) = error.code {
                throw StepEnd.unmet(
                    "\(pointer): the response is larger than the \(limit >> 20) MiB that the suite reads")
            }
            let waited = readable(ContinuousClock.now - began)
            throw StepEnd.unmet("\(pointer): no response, \(error.name) after \(waited)")
        }
        if answer.wasOnKept { recorder.note(.act("reuse", [:]), on: lane) }
        let response = Event.Response(answer)
        guard recorder.record(.response(response), on: lane, at: answer.receivedAt) else {
            throw StepEnd.unmet("\(pointer): the subject sent more than the stage keeps")
        }
        let decoded =
            response.bodyIsText
            ? dialect.decode(RESTResponse(status: answer.status, body: response.body), to: wire).body : nil
        return (decoded.flatMap { try? JSONParser.document($0).root }, lane)
    }

    /// A path whose session id is one segment, even if a dialect uses ids with slashes, such as names of agents.
    private func inOneSegment(_ path: String) -> String {
        let base = "/api/sessions/"
        guard !dialect.isCanonical, path.hasPrefix(base) else { return path }
        return base + path.dropFirst(base.count).replacing("/", with: "%2F")
    }
}

extension Event.Response {
    init(_ answer: HTTPAnswer) {
        let text = String(utf8: answer.body)
        self.init(
            status: answer.status,
            headers: answer.headers.map { name, value in
                let name = name.lowercased()
                // A gateway may issue its own credential.
                return Event.Header(name: name, value: name == "set-cookie" ? "‹value of set-cookie›" : value)
            },
            body: text ?? answer.text, bodyIsText: text != nil)
    }
}

/// A question over REST whose connection the stage may end before the response arrives.
final class PendingPost: Sendable {
    enum End: Sendable { case finished, abandoned }

    let sent = Latch<(HTTPConnection, Lane)>()
    private let ending = Latch<End>()

    /// The closure takes the connection once the request is sent.
    func begin(on lane: Lane) -> @Sendable (HTTPConnection) -> Void {
        { [sent] connection in sent.set((connection, lane)) }
    }

    /// False if it has already ended.
    func end(_ end: End) -> Bool { ending.set(end) }

    var wasAbandoned: Bool { ending.value == .abandoned }
}
