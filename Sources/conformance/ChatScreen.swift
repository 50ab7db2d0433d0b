import ClientDriver
import Synchronization

/// A screen of lines: prints what is new in each state, and nothing twice.
final class ChatScreen: Sendable {
    private let memory = Mutex(Memory())

    private struct Memory {
        var connection: ClientState.Connection?
        var session: String?
        var printed: Set<String> = []
        var errors: [ShownError] = []
        var isThinking = false
    }

    /// Shows a state.
    func show(_ state: ClientState) {
        memory.withLock { memory in
            var lines: [String] = []
            if memory.connection != state.connection { lines.append("· \(state.connection.rawValue)") }
            if memory.session != state.sessionId, let session = state.sessionId { lines.append("· session \(session)") }
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
            for error in state.errors where !memory.errors.contains(error) { lines.append("! \(error.text)") }
            if state.isThinking, !memory.isThinking { lines.append("…") }
            memory.connection = state.connection
            memory.session = state.sessionId
            memory.errors = state.errors
            memory.isThinking = state.isThinking
            if !lines.isEmpty { Console.write(lines.joined(separator: "\n") + "\n") }
        }
    }
}
