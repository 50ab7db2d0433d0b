import Stage
import Synchronization

/// The progress line of a running suite.
final class SuiteProgress: Sendable {
    private let isShown: Bool
    private let running = Mutex<[String]>([])

    init(isShown: Bool) {
        self.isShown = isShown
    }

    func note(_ step: SuiteRun.Progress) {
        guard isShown else { return }
        running.withLock { running in
            switch step {
            case .started(let name, let done, let total):
                running.append(name)
                Console.progress("\(done)/\(total)  \(running.joined(separator: "  "))")
            case .finished(let name, let done, let total):
                running.removeAll { $0 == name }
                Console.progress("\(done)/\(total)  \(running.joined(separator: "  "))")
            }
        }
    }

    func end() {
        if isShown { Console.endProgress() }
    }
}
