import ClientDriver
@preconcurrency import Dispatch
import HoldfastJSON
import HoldfastPlatform
import HoldfastTransport
import ReferenceClient

/// What a person types into `conformance chat`.
struct ChatRoom: Sendable {
    let app: ReferenceApp
    let base: String
    let token: String?
    /// Sent with every request.
    let headers: [(String, String)]
    let tls: TLSOptions

    /// Does what a line says; false when it says to end.
    func hear(_ line: String) async throws -> Bool {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        switch words.first {
        case nil: return true
        case "/quit": return false
        case "/background": try await app.background()
        case "/foreground": try await app.foreground()
        case "/offline": try await app.networkDown()
        case "/online": try await app.networkUp()
        case "/new": try await app.selectSession(nil)
        case "/open" where words.count == 2: try await app.selectSession(words[1])
        case "/sessions": await list()
        case .some(let word) where word.hasPrefix("/"):
            Console.write("! /sessions /open ID /new /background /foreground /offline /online /quit\n")
        default: try await app.send(line)
        }
        return true
    }

    /// Returns when nothing is on its way any more, or after a minute; after ten seconds where there is nobody to talk to.
    func settle(hasConnected: () -> Bool) async {
        for round in 0..<600 {
            if round >= 100, !hasConnected() { return }
            guard let state = try? await app.state(), state.connection != .offline else { return }
            guard state.isThinking || state.messages.contains(where: { $0.status == .sending }) else { return }
            try? await Task.sleep(for: .milliseconds(100))
        }
    }

    /// The lines of standard input, read on a thread of its own.
    static func lines() -> AsyncStream<String> {
        AsyncStream { continuation in
            DispatchQueue(label: "holdfast.input").async {
                while let line = readLine() { continuation.yield(line) }
                continuation.finish()
            }
        }
    }

    private func list() async {
        do {
            let headers = headers + (token.map { [("Authorization", "Bearer " + $0)] } ?? [])
            let request = HTTPRequestSpec("GET", try Endpoint(base + "/api/sessions"), headers: headers)
            let answer = try await HTTPExchange.perform(request, tls: tls)
            let list = (try? JSONParser.value(answer.text))?["sessions"]?.arrayValue ?? []
            for entry in list {
                let words = [entry["id"]?.stringValue, entry["updatedAt"]?.stringValue, entry["title"]?.stringValue]
                Console.write("  " + words.compactMap { $0 }.joined(separator: "  ") + "\n")
            }
            if list.isEmpty { Console.write("  no sessions\n") }
        } catch {
            Console.write("! \(error)\n")
        }
    }
}

/// A screen of lines: prints what is new in each state, and nothing twice.
final class ChatScreen: Sendable {
    private let memory = Mutex(Memory())

    /// Whether a connection ever came about.
    var hasConnected: Bool { memory.withLock { $0.hasConnected } }

    private struct Memory {
        var hasConnected = false
        /// The state that was shown before.
        var last: ClientState?
        var printed: Set<String> = []
    }

    /// Shows a state.
    func show(_ state: ClientState) {
        memory.withLock { memory in
            var lines: [String] = []
            if state.connection == .connected { memory.hasConnected = true }
            if memory.last?.connection != state.connection { lines.append("· \(state.connection.rawValue)") }
            if memory.last?.sessionId != state.sessionId, let session = state.sessionId {
                lines.append("· session \(session)")
            }
            for message in state.messages {
                let name = message.clientMessageId ?? message.id ?? message.text
                let mark = "\(state.sessionId ?? "") \(name) \(message.status == .failed)"
                guard memory.printed.insert(mark).inserted else { continue }
                // What was just typed stands on the terminal already.
                guard message.status != .sending else {
                    memory.printed.insert("\(state.sessionId ?? "") \(name) false")
                    continue
                }
                let who = message.role == .user ? "you" : "agent"
                if !memory.printed.contains("said \(name)") || message.status == .failed {
                    lines.append("\(who)\(message.status == .failed ? " (failed)" : ""): \(message.text)")
                }
            }
            for message in state.messages where message.status == .sending {
                memory.printed.insert("said \(message.clientMessageId ?? "")")
            }
            for error in state.errors where memory.last?.errors.contains(error) != true {
                lines.append("! \(error.text)")
            }
            if state.isThinking, memory.last?.isThinking != true { lines.append("…") }
            memory.last = state
            if !lines.isEmpty { Console.write(lines.joined(separator: "\n") + "\n") }
        }
    }
}
