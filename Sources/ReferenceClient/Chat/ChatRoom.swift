import ClientDriver
import HoldfastBasics
import HoldfastJSON
import HoldfastPlatform

package struct ChatRoom: Sendable {
    private let app: ReferenceApp
    private let network: NetworkTransport
    private let base: String
    private let token: String?
    private let show: @Sendable (String) -> Void

    package init(
        _ app: ReferenceApp, over network: NetworkTransport, base: String, token: String?,
        showing show: @escaping @Sendable (String) -> Void
    ) {
        (self.app, self.network, self.base, self.token, self.show) = (app, network, base, token, show)
    }

    /// Carries out a typed line; false if it ends the chat.
    package func carryOut(_ line: String) async throws -> Bool {
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
            show("! /sessions /open ID /new /background /foreground /offline /online /quit\n")
        default: try await app.send(line)
        }
        return true
    }

    /// Returns once nothing is pending, after at most a minute, or after ten seconds without any connection.
    package func settle(hasConnected: () -> Bool) async {
        for round in 0..<600 {
            if round >= 100, !hasConnected() { return }
            guard let state = try? await app.state(), state.connection != .offline else { return }
            guard state.isThinking || state.messages.contains(where: { $0.status == .sending }) else { return }
            try? await Task.sleep(for: .milliseconds(100))
        }
    }

    private func list() async {
        do {
            let request = RESTRequest(method: "GET", url: base + "/api/sessions", token: token)
            let answer = try await network.perform(request, within: .seconds(10))
            let list = (try? JSONParser.value(answer.body))?["sessions"]?.arrayValue ?? []
            for entry in list {
                let words = [entry["id"]?.stringValue, entry["updatedAt"]?.stringValue, entry["title"]?.stringValue]
                show("  " + words.compactMap { $0.map { visible($0) } }.joined(separator: "  ") + "\n")
            }
            if list.isEmpty { show("  no sessions\n") }
        } catch {
            show("! \(error)\n")
        }
    }
}

/// Prints what is new in each state, and nothing twice.
package final class ChatScreen: Sendable {
    private let memory = Mutex(Memory())
    private let show: @Sendable (String) -> Void

    package init(showing show: @escaping @Sendable (String) -> Void) { self.show = show }

    package var hasConnected: Bool { memory.withLock { $0.hasConnected } }

    private struct Memory {
        var hasConnected = false
        var last: ClientState?
        /// The messages printed, each with its status, and `said KEY` for each text that the user typed.
        var printed: Set<String> = []
    }

    /// Prints what a state adds, with control characters from the server escaped.
    package func take(_ state: ClientState) {
        memory.withLock { memory in
            var lines: [String] = []
            if state.connection == .connected { memory.hasConnected = true }
            if memory.last?.connection != state.connection { lines.append("· \(state.connection.rawValue)") }
            if memory.last?.sessionId != state.sessionId, let session = state.sessionId {
                lines.append("· session \(visible(session))")
            }
            for message in state.messages {
                let name = message.clientMessageId ?? message.id ?? message.text
                let entry = "\(state.sessionId ?? "") \(name) \(message.status == .failed)"
                guard memory.printed.insert(entry).inserted else { continue }
                // The typed text is already on the terminal.
                guard message.status != .sending else {
                    memory.printed.insert("\(state.sessionId ?? "") \(name) false")
                    continue
                }
                let who = message.role == .user ? "you" : "agent"
                if !memory.printed.contains("said \(name)") || message.status == .failed {
                    let text = visible(message.text, keeping: ["\n", "\t"])
                    lines.append("\(who)\(message.status == .failed ? " (failed)" : ""): \(text)")
                }
            }
            for message in state.messages where message.status == .sending {
                memory.printed.insert("said \(message.clientMessageId ?? "")")
            }
            for error in state.errors where memory.last?.errors.contains(error) != true {
                lines.append("! \(visible(error.text))")
            }
            if state.isThinking, memory.last?.isThinking != true { lines.append("…") }
            memory.last = state
            if !lines.isEmpty { show(lines.joined(separator: "\n") + "\n") }
        }
    }
}
