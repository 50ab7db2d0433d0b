import Foundation
import Synchronization
import TestSupport
import Testing

@testable import HoldfastTransport

@Suite struct ProgressLineTests {
    private static let wipe = "\r\u{1B}[2K"

    /// What was drawn each time, and what stands on the terminal in the end.
    private struct Screen {
        let drawn: [Substring]
        var rows: [String] = []

        init(_ seen: String) {
            // A carriage return and a line feed are one character to Swift.
            let text = seen.replacing("\r\n", with: "\n")
            drawn = text.split(separator: wipe, omittingEmptySubsequences: false).dropFirst().map {
                $0.prefix { $0 != "\n" }
            }
            for row in text.split(separator: "\n", omittingEmptySubsequences: false) {
                rows.append(String(row.split(separator: wipe, omittingEmptySubsequences: false).last ?? ""))
            }
        }
    }

    private enum Step { case wide, narrow, over }

    /// The server takes connections and says nothing, so the line stands for as long as it takes to look at it.
    @Test func `progress is as wide as the terminal, also when that changes, and is gone in the end`() async throws {
        let listener = try await RawListener.start { connection in
            guard (try? await connection.acceptWebSocket()) != nil else { return }
            while await connection.next() != nil {}
        }
        let step = Mutex((Step.wide, draws: 0))
        let seen = try await PseudoTerminal.run(["server", "ws://127.0.0.1:\(listener.port)/ws"], columns: 80) {
            seen, terminal in
            let drawn = Screen(seen).drawn
            step.withLock { step in
                switch step.0 {
                case .wide where drawn.contains(where: { $0.count > 40 }):
                    terminal.resize(columns: 40)
                    step = (.narrow, drawn.count)
                case .narrow where drawn.dropFirst(step.draws).contains(where: { (1..<40).contains($0.count) }):
                    terminal.interrupt()
                    step = (.over, drawn.count)
                default: break
                }
            }
        }
        await listener.stop()
        let screen = Screen(seen)
        #expect(step.withLock { $0.0 } == .over, "\(seen.suffix(2000))")
        let progress = screen.drawn.filter { $0.contains(/^\d+\/\d+/) }
        #expect(progress.allSatisfy { $0.count < 80 }, "\(progress)")
        #expect(progress.last.map { $0.count < 40 } == true, "\(progress)")
        #expect(screen.rows.first?.contains("(interrupted)") == true, "\(screen.rows)")
        #expect(!screen.rows.contains { $0.contains(/^\d+\/\d+/) }, "\(screen.rows)")
    }
}
