import Holdfast
import HoldfastJSON
import HoldfastPlatform
import HoldfastProxy
import HoldfastTranscript
import HoldfastTransport

/// Observes the traffic of a mock server, keeps the newest frames, and applies the rules for faults.
///
/// Credentials are replaced by their owner's name before anything is kept.
package final class MockRecord: Sendable {
    struct Connection: Sendable, Equatable {
        /// `A`, `B` and so on; never reused.
        let name: String
        let since: String
        /// In both directions.
        fileprivate(set) var messages = 0
        fileprivate(set) var isSilent = false
        fileprivate var failure: String?
    }

    private struct State {
        var credentials: ShownCredentials
        var faults: Rules
        var brief = FrameBrief()
        var connections: [Int: Connection] = [:]
        var exchanges: [Int: (lane: String, rule: Rule?)] = [:]
        var lastConnection = -1
        var lastExchange = 0
        var frames: [MockFrame] = []
        var lastFrame = 0
    }

    static let maxFrames = 500
    /// In scalars.
    package static let maxVerbatim = 8_000
    private static let maxBriefBytes = 1 << 20

    private let state: Mutex<State>
    private let dialect: Dialect
    private let notify: @Sendable (MockFrame) -> Void

    /// An empty record.
    ///
    /// * `owners`: Known credentials, with their owners' names.
    /// * `notify`: Gets each frame, in order; it must not wait.
    package init(
        dialect: Dialect = .canonical, faults: [Rule] = [], owners: [(name: String, token: String)] = [],
        notify: @escaping @Sendable (MockFrame) -> Void = { _ in }
    ) {
        self.dialect = dialect
        self.notify = notify
        var credentials = ShownCredentials(showsSecrets: false)
        for (name, token) in owners { credentials.learn(token, of: name) }
        state = Mutex(State(credentials: credentials, faults: Rules(faults)))
    }

    // MARK: reading

    var connections: [Int: Connection] { state.withLock { $0.connections } }

    /// The number of the newest frame, and the newest kept frames after a number.
    func frames(after number: Int, atMost count: Int) -> (last: Int, frames: [MockFrame]) {
        state.withLock { state in
            (state.lastFrame, Array(state.frames.drop { $0.number <= number }.suffix(count)))
        }
    }

    package var faults: Rules { state.withLock { $0.faults } }

    func add(_ rule: Rule) { state.withLock { $0.faults.add(rule) } }

    func removeFaults() { state.withLock { $0.faults = Rules() } }

    // MARK: writing

    func note(_ what: String, on number: Int? = nil) {
        state.withLock { state in
            write("!", what, on: number.flatMap { state.connections[$0]?.name } ?? "server", &state)
        }
    }

    func set(_ number: Int, isSilent: Bool) {
        state.withLock { $0.connections[number]?.isSilent = isSilent }
    }

    private func write(
        _ mark: String, _ brief: String, on lane: String, verbatim: String? = nil, _ state: inout State
    ) {
        state.lastFrame += 1
        let shown = verbatim.map { text in
            let cut = MockFrame.beginning(of: text, Self.maxVerbatim)
            return cut.utf8.count < text.utf8.count ? "\(cut) (\(text.utf8.count) bytes)" : text
        }
        let frame = MockFrame(
            number: state.lastFrame, time: SystemClock.timeOfDay, lane: lane, mark: mark, brief: brief, verbatim: shown)
        // Removed in blocks, because every removal at the front moves the rest.
        if state.frames.count >= 2 * Self.maxFrames { state.frames.removeFirst(Self.maxFrames) }
        state.frames.append(frame)
        notify(frame)
    }

    private static func short(_ text: String) -> String { MockFrame.beginning(of: text, 60) }

    private func frame(of event: WebSocketEvent, from side: RelaySide) -> JSONValue? {
        guard case .text(let text) = event, text.utf8.count <= Self.maxBriefBytes,
            let wire = try? JSONParser.document(text).root
        else { return nil }
        return dialect.frame(wire, sentBy: side == .client ? .client : .server)
    }

    private func write(
        _ event: WebSocketEvent, _ frame: JSONValue?, from side: RelaySide, on lane: String, _ state: inout State
    ) {
        let mark = side == .client ? ">" : "<"
        switch event {
        case .text(let text):
            let shown = state.credentials.applied(toFrame: text)
            let type = frame == nil ? (try? JSONParser.value(text))?["type"]?.stringValue : nil
            let brief =
                frame.flatMap { state.brief.words(for: $0) } ?? type.map {
                    "\(Self.short($0)) (no frame of the specification)"
                }
                ?? "no frame: \(Self.short(shown))"
            write(mark, brief, on: lane, verbatim: shown, &state)
        case .invalidText(let bytes): write(mark, "text that is not UTF-8, \(bytes.count) bytes", on: lane, &state)
        case .binary(let bytes): write(mark, "binary, \(bytes.count) bytes", on: lane, &state)
        case .tooLarge(let bytes): write(mark, "too large, \(bytes) bytes", on: lane, &state)
        case .close(let code, let reason):
            let words = [
                code.map { "close \($0)" } ?? "close", Self.short(state.credentials.applied(to: reason)),
            ]
            write(mark, words.filter { !$0.isEmpty }.joined(separator: " "), on: lane, &state)
        case .eof, .failed, .flooded, .ping, .pong: break
        }
    }

    private func mark(_ rule: Rule, on lane: String, _ state: inout State) {
        write("!", "fault: \(rule.text)", on: lane, &state)
    }
}

extension MockRecord: ServerWatcher {
    package func asks(_ request: UpgradeRequest) -> RelayChoice {
        state.withLock { state in
            _ = state.credentials.principal(of: request)
            guard let rule = state.faults.rule(for: Rule.Arrival(request: request.method, isUpgrade: true)) else {
                return .pass
            }
            mark(rule, on: "server", &state)
            return rule.choice
        }
    }

    package func opened(_ request: UpgradeRequest, number: Int) {
        state.withLock { state in
            state.lastConnection += 1
            let name = Lane.connection(number: state.lastConnection).description
            state.connections[number] = Connection(name: name, since: String(SystemClock.timeOfDay.prefix(8)))
            let path = state.credentials.applied(toPath: request.target)
            write(">", "open \(MockFrame.beginning(of: path, 200)) from \(request.remoteAddress)", on: name, &state)
        }
    }

    package func saw(_ event: WebSocketEvent, from side: RelaySide, number: Int) -> RelayAction {
        // Parsed outside the lock, for which every other connection waits.
        let frame = frame(of: event, from: side)
        return state.withLock { state in
            guard let connection = state.connections[number] else { return .pass }
            learn(event, from: side, &state)
            if case .failed(let problem) = event { state.connections[number]?.failure = problem.name }
            guard event.isMessage else {
                write(event, nil, from: side, on: connection.name, &state)
                return .pass
            }
            state.connections[number]?.messages += 1
            let rule = state.faults.rule(for: event, frame, from: side, on: number)
            let action = rule?.relayAction ?? .pass
            for _ in 0..<action.copies { write(event, frame, from: side, on: connection.name, &state) }
            if let rule { mark(rule, on: connection.name, &state) }
            if action.ending == .cut(.silence) { state.connections[number]?.isSilent = true }
            return action
        }
    }

    private func learn(_ event: WebSocketEvent, from side: RelaySide, _ state: inout State) {
        guard case .text(let text) = event else { return }
        if side == .client {
            _ = state.credentials.principal(ofFrame: text)
        } else {
            state.credentials.learn(fromServerFrame: text)
        }
    }

    package func ended(number: Int) {
        state.withLock { state in
            state.faults.forget(number)
            guard let connection = state.connections.removeValue(forKey: number) else { return }
            write("!", connection.failure.map { "gone: \($0)" } ?? "gone", on: connection.name, &state)
        }
    }

    package func asked(_ request: HTTPServerRequest, number: Int) -> RelayChoice {
        state.withLock { state in
            _ = state.credentials.principal(of: request)
            let body = request.body.count > Self.maxBriefBytes ? "" : String(decoding: request.body, as: UTF8.self)
            state.credentials.learn(inBody: body)
            state.lastExchange += 1
            let lane = String(state.lastExchange)
            let path = MockFrame.beginning(of: state.credentials.applied(toPath: request.target), 200)
            write(
                ">", "\(Self.short(request.method)) \(path)", on: lane,
                verbatim: body.isEmpty ? nil : state.credentials.applied(toBody: body), &state)
            let rule = state.faults.rule(for: Rule.Arrival(request: request.method, isUpgrade: false))
            if let rule { mark(rule, on: lane, &state) }
            state.exchanges[number] = (lane, rule)
            return rule?.choice ?? .pass
        }
    }

    package func answered(_ answer: HTTPServerResponse?, number: Int) -> RelayChoice {
        state.withLock { state in
            guard let (lane, rule) = state.exchanges.removeValue(forKey: number) else { return .pass }
            if let choice = rule?.choiceOfAnswer, case .cut = choice {
                write("!", "no answer", on: lane, &state)
                return choice
            }
            guard let answer else {
                write("!", "no answer", on: lane, &state)
                return .pass
            }
            let body = answer.body.count > Self.maxBriefBytes ? "" : String(decoding: answer.body, as: UTF8.self)
            state.credentials.learn(from: answer, body)
            write(
                "<", "\(answer.status), \(answer.body.count) bytes", on: lane,
                verbatim: body.isEmpty ? nil : state.credentials.applied(toBody: body), &state)
            return .pass
        }
    }
}

package struct MockFrame: Sendable, Equatable {
    /// Starts at 1, without gaps.
    package let number: Int
    package let time: String
    /// The connection, such as `A`, or the number of a request.
    package let lane: String
    /// `>` to the server, `<` from the server, `!` for a requested action.
    package let mark: String
    package let brief: String
    /// The text on the wire, without credentials and cut if it is long; nil for events without text.
    package let verbatim: String?

    /// Counts scalars, because a hostile character may have any length.
    static func beginning(of text: String, _ count: Int) -> String {
        let scalars = text.unicodeScalars
        let end = scalars.index(scalars.startIndex, offsetBy: count, limitedBy: scalars.endIndex) ?? scalars.endIndex
        return end == scalars.endIndex ? text : String(scalars[..<end]) + "…"
    }
}
