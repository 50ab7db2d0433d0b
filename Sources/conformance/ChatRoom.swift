import ClientDriver
import Foundation
import JSON
import ReferenceClient
import Transport

/// What a person types into `conformance chat`.
struct ChatRoom: Sendable {
    let app: ReferenceApp
    let base: String
    let token: String?

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

    /// Returns when nothing is on its way any more, or after a minute.
    func settle() async {
        for _ in 0..<600 {
            guard let state = try? await app.state(), state.connection != .offline else { return }
            guard state.isThinking || state.messages.contains(where: { $0.status == .sending }) else { return }
            try? await Task.sleep(for: .milliseconds(100))
        }
    }

    /// The lines of standard input, read on a thread of its own.
    static func lines() -> AsyncStream<String> {
        AsyncStream { continuation in
            Thread.detachNewThread {
                while let line = readLine() { continuation.yield(line) }
                continuation.finish()
            }
        }
    }

    private func list() async {
        do {
            let headers = token.map { [("Authorization", "Bearer " + $0)] } ?? []
            let request = HTTPRequestSpec("GET", try Endpoint(base + "/api/sessions"), headers: headers)
            let answer = try await HTTPExchange.perform(request)
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
