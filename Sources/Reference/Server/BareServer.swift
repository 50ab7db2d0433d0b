/// The reference server without its sockets, disk and clock, for callers that supply these.
///
/// One value is one process: it starts with the lines of its disk and loses its memory when it ends.
package struct BareServer: Sendable {
    package enum Happening: Sendable {
        case opened(socket: Int)
        case text(socket: Int, String)
        case binary(socket: Int, [UInt8])
        case invalidText(socket: Int)
        case tooLarge(socket: Int, bytes: Int)
        /// A sign of life other than a message.
        case heard(socket: Int)
        case ended(socket: Int)
        case asked(request: Int, method: String, path: String, query: String?, token: String?, body: String)
        /// A REST client disconnected before its answer.
        case left(request: Int)
        case stored(write: Int, succeeded: Bool)
        /// The push service answered; a nil status means that the connection was lost.
        case pushed(turn: String, device: String, status: Int?, reason: String?)
        /// The push service did not answer in time.
        case pushedInVain(turn: String, device: String)
        case elapsed(timer: Int)
        /// Time passed; expected at least once a second.
        case beat
        /// The server is asked to stop.
        case stopping
    }

    /// An action for the caller to perform.
    package enum Deed: Sendable {
        case send(sockets: [Int], String)
        case ping(socket: Int)
        case close(socket: Int, code: UInt16, reason: String)
        case cut(socket: Int)
        case endProcess
        case answer(request: Int, status: Int, headers: [(String, String)], body: String)
        /// Append lines to the disk, all or none, and report the outcome.
        case store(write: Int, [String])
        case wait(timer: Int, milliseconds: Int)
        case push(device: String, turn: String, headers: [(String, String)], body: String)
    }

    private var core: FaultyCore

    /// The close code for all connections when the server stops.
    package let goodbye: UInt16

    /// A process that starts with the contents of its disk; equal seeds draw equal ids.
    package init(_ configuration: ReferenceConfiguration, disk lines: [String], seed: UInt64) {
        let rules = configuration.rules
        goodbye = rules.goodbye
        core = FaultyCore(
            rules, records: lines.compactMap { StoredRecord(line: Array($0.utf8)) }, ids: IDSource(seed: seed),
            defects: configuration.defects)
        core.core.replies = configuration.replies
    }

    package var isIdle: Bool { core.isIdle }

    /// Starts, and ends the turns that the last process left open.
    package mutating func start(steady: Int, wall: Int) -> [Deed] { handle(.started, steady, wall) }

    /// Handles an event at a time on two clocks, in microseconds; returns the actions in order.
    package mutating func handle(_ happening: Happening, steady: Int, wall: Int) -> [Deed] {
        let input: Input
        switch happening {
        case .opened(let socket): input = .opened(socket: socket, principal: nil)
        case .text(let socket, let text): input = .received(socket: socket, .text(text))
        case .binary(let socket, let bytes): input = .received(socket: socket, .binary(bytes))
        case .invalidText(let socket): input = .received(socket: socket, .invalidText)
        case .tooLarge(let socket, let bytes):
            input = .received(socket: socket, .tooLarge(bytes: bytes))
        case .heard(let socket): input = .heard(socket: socket)
        case .ended(let socket): input = .ended(socket: socket)
        case .asked(let request, let method, let path, let query, let token, let body):
            let asked = RESTRequest(method: method, path: path, query: query, token: token, body: Array(body.utf8))
            input = .asked(request: request, asked)
        case .left(let request): input = .left(request: request)
        case .stored(let write, let succeeded): input = .stored(write: write, succeeded: succeeded)
        case .pushed(let turn, let device, let status, let reason):
            input = .pushed(turn: turn, device: device, status.map { .answered(status: $0, reason: reason) } ?? .lost)
        case .pushedInVain(let turn, let device): input = .pushed(turn: turn, device: device, .late)
        case .elapsed(let timer): input = .elapsed(timer: timer)
        case .beat: input = .beat
        case .stopping: input = .stopping
        }
        return handle(input, steady, wall)
    }

    private mutating func handle(_ input: Input, _ steady: Int, _ wall: Int) -> [Deed] {
        core.handle(input, at: Moment(steady: steady, wall: wall)).map { effect in
            switch effect {
            case .send(let sockets, let said): .send(sockets: sockets, said.text)
            case .ping(let socket): .ping(socket: socket)
            case .close(let socket, let code, let reason): .close(socket: socket, code: code, reason: reason)
            case .cut(let socket): .cut(socket: socket)
            case .endProcess: .endProcess
            case .answer(let request, let answer):
                .answer(
                    request: request, status: answer.status, headers: Self.inOrder(answer.headers), body: answer.body)
            case .store(let write, let records): .store(write: write, records.map(\.line))
            case .wait(let timer, let ms): .wait(timer: timer, milliseconds: ms)
            case .push(let device, let notice):
                .push(
                    device: device, turn: notice.turn, headers: Self.inOrder(notice.headers), body: notice.payload)
            }
        }
    }

    private static func inOrder(_ headers: [String: String]) -> [(String, String)] {
        headers.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
