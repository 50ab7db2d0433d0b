import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastTranscript
import HoldfastTransport

struct StepContext: Sendable {
    let performer: ScenarioPerformer
    let pointer: JSONPointer
    let local: ScenarioVariables

    var recorder: Recorder { performer.recorder }
    var subject: ServerSubject { performer.subject }
    /// The step's name in problems.
    var location: String { "\(performer.scenario) \(pointer)" }

    func perform(_ action: ScenarioStep.Action) async throws {
        switch action {
        case .connect(let connect): try await self.connect(connect)
        case .chat(let question, let lane): try await chat(question, on: lane)
        case .send(let frame, let bytes, let lane): try await send(frame, bytes: bytes, on: lane)
        case .sendText(let fragments, let times, let lane):
            try await sendText(fragments, times: times, on: lane)
        case .sendBinary(let content, let lane):
            let bytes: [UInt8]
            switch content {
            case .bytes(let given): bytes = Array(try wire(spelledOut: [given]).joined())
            case .frame(let frame): bytes = Array(try wire(spelledOut: try filled(frame)).text.utf8)
            }
            try await sending(on: lane) { lane throws(TransportProblem) in
                try await lane.send(binary: bytes)
            }
        case .ping(let lane): try await sending(on: lane) { lane throws(TransportProblem) in try await lane.ping() }
        case .await(let awaited, let lane): try await self.await(awaited, on: lane)
        case .awaitClose(let bound, let stated, let lane): try await awaitClose(bound, after: stated, on: lane)
        case .watch(let stated): try await watch(stated)
        case .mute(let lane): try open(lane).mute()
        case .fence(let lane):
            guard await performer.fence(try open(lane)) else { throw StepEnd.unmet("\(pointer): no pong in time") }
        case .http(let exchange): try await http(exchange)
        case .postChat(let question, let credential, let save):
            try await postChat(question, credential, save: save)
        case .leave(let question, let how): try await leave(question, how)
        case .readUntil(let read): try await readUntil(read)
        case .sync(let position, let epoch, let limit, let lane):
            try await sync(position, epoch: epoch, limit: limit, on: lane)
        case .cut(let how, let lane): try open(lane).cut(how)
        case .close(let code, let lane): await (try open(lane)).close(code: code, timeout: performer.limit("close"))
        case .stopReading(let lane): try open(lane).stopReading()
        case .resumeReading(let lane): try open(lane).resumeReading()
        case .together(let branches): try await together(branches.map { ($0, local) })
        case .repeat(let times, let counter, let until, let isParallel, let steps):
            try await self.repeat(times: times, counter: counter, until: until, isParallel: isParallel, steps)
        case .alive(let principal): try await alive(principal)
        case .process(let step): try await process(step)
        case .pushAnswer(let answer): try pushAnswer(answer)
        case .awaitPush(let awaited): try await awaitPush(awaited)
        }
    }

    // MARK: steps that contain steps

    private func together(_ branches: [([ScenarioStep], ScenarioVariables)]) async throws {
        try await performTogether(branches) { steps, local in try await performer.perform(steps, with: local) }
    }

    private func `repeat`(
        times: JSONValue, counter: String?, until: String?, isParallel: Bool, _ steps: [ScenarioStep]
    ) async throws {
        let times = try number(times, in: 0...100_000)
        let rounds = (0..<times).map { $0 + 1 }.map { number in
            var inner = local
            if let counter { inner[counter] = JSONValue(number) }
            return (steps, inner)
        }
        if isParallel { return try await together(rounds) }
        for (steps, inner) in rounds {
            if let until, performer.variables(with: local)[until] != nil { return }
            try await performer.perform(steps, with: inner)
        }
    }

    // MARK: references

    /// Refuses to send a frame of the stage that its schema rejects.
    ///
    /// A session is requested by the name that the subject gave it, whatever its form (ID-7).
    func check(_ value: JSONValue, as name: String) throws {
        guard let problem = performer.schemas.problem(of: value, as: name, at: location) else { return }
        let saved = performer.savedNames.compactMap { performer.variables(with: local)[$0] }
        if let session = value["sessionId"], case .string(let id) = session,
            (1...Self.longestName).contains(id.utf8.count),
            saved.contains(session)
        {
            var proper = value
            proper["sessionId"] = "s"
            if performer.schemas.accepts(proper, as: name) { return }
        }
        guard !value.members.contains(where: saved.contains) else {
            throw StepEnd.unmet("\(pointer): with the server's values, this is not a valid '\(name)' frame to send")
        }
        throw StepEnd.harness(problem)
    }

    private static let longestName = 1024

    func filled(_ text: String) throws -> String {
        try filling { () throws(ScenarioVariables.Problem) in try performer.variables(with: local).text(text) }
    }

    func filled(_ value: JSONValue) throws -> JSONValue {
        try filling { () throws(ScenarioVariables.Problem) in try performer.variables(with: local).value(value) }
    }

    /// A path in which each session name from the subject is one segment, whatever its form.
    func filledPath(_ template: String) throws -> String {
        var variables = performer.variables(with: local)
        for name in performer.savedNames where template.contains("${\(name)") {
            guard let text = variables[name]?.stringValue else { continue }
            variables[name] = .string(percentEncoded(text, keeping: ":@!$&'()*+,;="))
        }
        let known = variables
        return try filling { () throws(ScenarioVariables.Problem) in try known.text(template) }
    }

    private func filling<Result>(_ fill: () throws(ScenarioVariables.Problem) -> Result) throws -> Result {
        do {
            return try fill()
        } catch {
            switch error {
            case .unknown(let name, _):
                if let reason = performer.whyMissing(name) {
                    // A life goes on without the step.
                    throw performer.isLife ? StepEnd.inexpressible(reason) : StepEnd.unmet("\(pointer): \(reason)")
                }
            case .notANumber(let name) where performer.savedNames.contains(name):
                throw StepEnd.unmet("\(pointer): the server's '\(name)' is not an integer")
            default: break
            }
            throw StepEnd.harness(HarnessProblem(filling: error, at: location))
        }
    }

    func number(_ template: JSONValue, in range: ClosedRange<Int> = .min ... .max) throws -> Int {
        let value = try filled(template)
        guard let number = value.intValue, range.contains(number) else { throw unusable(template, value) }
        return number
    }

    /// The end of a step whose value is not a usable number: the subject's fault if the subject sent the value.
    func unusable(_ template: JSONValue, _ value: JSONValue) -> StepEnd {
        let isOurs = template.stringValue?.contains("${") != true
        return isOurs
            ? .harness(HarnessProblem(.notANumber(name: "\(template)"), at: location))
            : .unmet(
                "\(pointer): the server's values give \(excerpt(value.text(), limit: 40)) here, which is not usable")
    }

    /// Keeps values for later steps; if one is absent or has the wrong type, steps that need it end the scenario.
    func save(_ pointers: [String: JSONPointer], from root: JSONValue?, of what: String, on lane: Lane) throws {
        for (name, pointer) in pointers.sorted(by: { $0.key < $1.key }) {
            let name = try filled(name)
            let value = root?[pointer] ?? subject.fallback("\(pointer)")
            if let value, Self.isUsable(value, at: pointer) {
                performer.save(value, as: name)
                continue
            }
            recorder.note(.wait(awaited: "\(pointer) of \(what)", met: false), on: lane)
            performer.noteMissing(
                name,
                because: value.map {
                    "\(what) has \(excerpt($0.text(), limit: 40)) as \(pointer), which later steps cannot use"
                }
                    ?? ServerSubject.lacking("\(pointer)", in: what))
        }
    }

    /// Notes that an optional wait was unmet, so that its variables have no values.
    func noteMissing(_ pointers: [String: JSONPointer], of what: String) throws {
        for name in pointers.keys.sorted() { performer.noteMissing(try filled(name), because: "no \(what) in time") }
    }

    /// Members that are numbers; all other members that scenarios keep are texts.
    private static let numbers: Set<String> = [
        "seq", "lastSeq", "retryAfterMs", "windowMs", "heartbeatSeconds", "maxFrameBytes", "messagesPerMinute",
        "replayMessages",
    ]

    /// Whether later steps can use a value: an integer that JSON preserves, or a text.
    private static func isUsable(_ value: JSONValue, at pointer: JSONPointer) -> Bool {
        let member = "\(pointer)".split(separator: "/").last.map(String.init) ?? ""
        guard numbers.contains(member) else { return value.stringValue != nil }
        return value.intValue.map { (0...9_007_199_254_740_991).contains($0) } ?? false
    }

    /// Records an unmet wait, which shows how long the stage watched; throws unless the wait is optional.
    func missed(_ what: String, on lane: Lane, isOptional: Bool, instead: String? = nil) throws {
        if Task.isCancelled { throw StepEnd.interrupted }
        recorder.note(.wait(awaited: what, met: false), on: lane)
        guard !isOptional else { return }
        throw StepEnd.unmet("\(pointer): no \(what) in time" + (instead.map { ", but \($0)" } ?? ""))
    }
}

extension JSONValue {
    /// The values of its members, and of theirs.
    fileprivate var members: [JSONValue] {
        let own = objectValue.map { $0.map(\.value) } ?? arrayValue ?? []
        return own + own.flatMap(\.members)
    }
}
