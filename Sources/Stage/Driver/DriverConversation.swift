import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastPlatform

/// Commands and replies over one transport: numbered, validated both ways, one at a time.
final class DriverConversation: Sendable {
    private let transport: any DriverTransport
    private let location: String

    private struct State {
        var problem: DriverProblem?
        /// The shortest time in which the driver reported its state.
        var quickest: Duration?
        /// How long the driver had waited for a processor, and when that was read.
        var waiting: (times: WaitingTimes, at: ContinuousClock.Instant)?
    }

    private let ids = Counter()
    private let state = Mutex(State())

    /// The version of the driver protocol spoken here.
    static let version = 1

    init(over transport: any DriverTransport, location: String) {
        (self.transport, self.location) = (transport, location)
    }

    /// Nil while the conversation goes on.
    var problem: DriverProblem? { state.withLock { $0.problem } }

    func greet(within limit: Duration) async throws(DriverProblem) -> DriverGreeting {
        let reply = try await perform(["do": "hello", "driver": JSONValue(Self.version)], within: limit)
        switch reply {
        case .done(_, let answer):
            // A reply without a name has already been rejected.
            return DriverGreeting(answer) ?? DriverGreeting(name: "")
        case .unsupported(let reason), .failed(let reason):
            throw broken(DriverProblem(.refused(reason: reason), at: location, command: "hello"))
        }
    }

    func perform(_ command: JSONObject, within limit: Duration) async throws(DriverProblem) -> DriverReply {
        if let problem { throw problem }
        let name = command["do"]?.stringValue ?? ""
        let id = ids.next()
        var object: JSONObject = ["id": JSONValue(id)]
        for (key, value) in command { object[key] = value }
        let reasons = FileSchema.driverCommand.reasons(in: .object(object))
        guard reasons.isEmpty else {
            throw DriverProblem(.invalidCommand(reasons: reasons), at: location, command: name)
        }
        if let line = transport.arrivals.waiting() {
            _ = try reply(in: line, to: name)
            throw broken(.unasked(line: Self.shown(line), expected: nil), at: name)
        }
        let asked = ContinuousClock.now
        let deadline = ExtendedDeadline(limit)
        readWaitingTimes(at: asked)
        // If the command cannot be sent, the driver has stopped reading, and the arrivals show why.
        _ = await transport.send(JSONValue.object(object).text(), within: limit)
        var arrival = await transport.arrivals.next(within: min(max(deadline.rest, .milliseconds(100)), Self.freshness))
        // If the machine is late meanwhile, the driver does not get the processor either.
        while arrival == .late {
            noteDelay(until: .now, since: asked, isState: name == "state")
            guard deadline.rest > .zero else { break }
            arrival = await transport.arrivals.next(within: min(deadline.rest, Self.freshness))
        }
        switch arrival {
        case .line(let line):
            let now = ContinuousClock.now
            let value = try reply(in: line, to: name)
            guard value["id"]?.intValue == id else {
                throw broken(.unasked(line: Self.shown(line), expected: id), at: name)
            }
            let isState = name == "state"
            if isState { state.withLock { $0.quickest = min($0.quickest ?? (now - asked), now - asked) } }
            noteDelay(until: now, since: asked, isState: isState)
            return try meaning(of: value, in: line, to: name)
        case .late: throw broken(.hung(milliseconds: limit.milliseconds), at: name)
        case .interrupted: throw broken(.interrupted, at: name)
        case .end(.ended(let exit)): throw broken(.ended(exit), at: name)
        case .end(.disconnected): throw broken(.disconnected, at: name)
        case .end(.flooded(let bytes)): throw broken(.flooded(bytes: bytes), at: name)
        }
    }

    private func readWaitingTimes(at now: ContinuousClock.Instant) {
        guard state.withLock({ $0.waiting.map { now - $0.at >= Self.freshness } ?? true }) else { return }
        let times = transport.waitingTimes ?? WaitingTimes()
        state.withLock { $0.waiting = (times, now) }
    }

    /// Notes why a reply is late: the driver has waited for a processor or a disk since the last reading, or a state
    /// report takes long, whatever the reason.
    private func noteDelay(until now: ContinuousClock.Instant, since asked: ContinuousClock.Instant, isState: Bool) {
        guard now - asked > Self.typicalDelay else { return }
        let meter = SchedulingMeter.shared
        if isState {
            let quickest = state.withLock { $0.quickest } ?? .zero
            let start = asked + max(Self.typicalDelay, quickest * 4)
            meter.noteDelay(from: start, to: min(now, start + Self.maxExcused))
        }
        guard let times = transport.waitingTimes else { return }
        let waited = state.withLock { state in
            let (before, at) = state.waiting ?? (times, now)
            state.waiting = (times, now)
            return times.longest(since: before, within: now - max(at, asked))
        }
        meter.noteDelay(from: now - waited, to: now)
    }

    /// The time between readings while a reply is due, and the maximum age of a reading when a command is sent.
    private static let freshness = Duration.milliseconds(200)
    /// The time that any driver may take to report its state.
    private static let typicalDelay = Duration.milliseconds(50)
    /// The longest delay of a state report that is blamed on the machine, besides its measured waits.
    private static let maxExcused = Duration.milliseconds(500)

    /// Throws unless the line is a reply.
    private func reply(in line: [UInt8], to name: String) throws(DriverProblem) -> JSONValue {
        let value: JSONValue
        do {
            value = try JSONParser.value(bytes: line, limits: JSONLimits(maxDepth: 64))
        } catch {
            throw badReply(line, ["\(error.location): \(error.sentence)"], to: name)
        }
        let reasons = FileSchema.driverReply.reasons(in: value)
        guard reasons.isEmpty else { throw badReply(line, reasons, to: name) }
        return value
    }

    private func meaning(of value: JSONValue, in line: [UInt8], to name: String) throws(DriverProblem) -> DriverReply {
        if let reason = value["error"]?.stringValue {
            return .failed(reason + DriverProblem.ending(transport.lastOutput.suffix(5)))
        }
        if let reason = value["unsupported"]?.stringValue { return .unsupported(reason) }
        if name == "hello", value["name"] == nil { throw badReply(line, ["a reply to hello without 'name'"], to: name) }
        if name == "state", value["state"] == nil {
            throw badReply(line, ["a reply to state without 'state'"], to: name)
        }
        if name != "hello", value["name"] != nil { throw badReply(line, ["'name' is only for hello"], to: name) }
        return .done(state: value["state"], answer: value)
    }

    private func badReply(_ line: [UInt8], _ reasons: [String], to name: String) -> DriverProblem {
        broken(.notAReply(line: Self.shown(line), reasons: reasons), at: name)
    }

    private func broken(_ code: DriverProblem.Code, at command: String) -> DriverProblem {
        broken(DriverProblem(code, at: location, command: command, output: transport.lastOutput))
    }

    private func broken(_ problem: DriverProblem) -> DriverProblem {
        state.withLock { $0.problem = problem }
        return problem
    }

    private static func shown(_ line: [UInt8]) -> String { excerpt(String(decoding: line, as: UTF8.self), limit: 200) }
}

/// A transport for lines to and from a driver: a pipe, a WebSocket, a function call.
protocol DriverTransport: Sendable {
    var arrivals: LineBox { get }

    /// Sends one line, given without a line terminator.
    /// - Returns: False if it cannot be sent within the limit; the arrivals show the reason.
    func send(_ line: String, within limit: Duration) async -> Bool

    /// The driver's last lines on other outputs, for error messages.
    var lastOutput: [String] { get }

    /// How long the driver has waited for a processor; nil if unknown.
    var waitingTimes: WaitingTimes? { get }
}

extension DriverTransport {
    var waitingTimes: WaitingTimes? { nil }
}
