import Foundation

/// Processes by number.
enum Processes {
    /// Whether a process is there; one that nobody has buried yet is not.
    static func isAlive(_ process: Int32) -> Bool {
        guard kill(process, 0) == 0 else { return false }
        guard let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return true }
        return status.split(separator: ")").last?.split(separator: " ").first != "Z"
    }

    /// Whether a process ends in half a minute.
    static func ends(_ process: Int32) async throws -> Bool {
        for _ in 0..<600 {
            if !isAlive(process) { return true }
            try await Task.sleep(for: .milliseconds(50))
        }
        return false
    }
}
