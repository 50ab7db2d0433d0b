import Holdfast
import HoldfastTranscript

/// Signs of profiles that the server did not declare: not a verdict, but often an oversight in the declaration.
package enum Announcements {
    /// The first messages contain the greeting; later ones add nothing.
    private static let maxMessages = 5

    /// One line for each undeclared profile in a connection's first messages.
    package static func notes(on histories: [History], declared: Set<Profile>) -> [String] {
        var signs: [Profile: String] = [:]
        for history in histories {
            var read: [Lane: Int] = [:]
            for event in history.events {
                if case .opened = event.kind { read[event.lane] = 0 }
                guard case .text(.fromServer, let text) = event.kind, let count = read[event.lane] else { continue }
                read[event.lane] = count + 1 < maxMessages ? count + 1 : nil
                note(Frame(text), &signs)
            }
        }
        return signs.filter { !declared.contains($0.key) }.sorted { $0.key < $1.key }.map { profile, sign in
            "\(sign), which belongs to profile '\(profile.rawValue)'; the subject does not declare it, so nothing judges it"
        }
    }

    private static func note(_ frame: Frame, _ signs: inout [Profile: String]) {
        guard frame.type == "connected" else { return }
        let limits = frame["limits"]
        if limits?["messagesPerMinute"] != nil { signs[.rateLimit] = "'connected' announces limits.messagesPerMinute" }
        if limits?["replayMessages"] != nil || limits?["replaySeconds"] != nil {
            signs[.sync] = "'connected' announces a limit of replay"
        } else if frame.epoch != nil {
            signs[.sync] = "'connected' announces an epoch"
        }
        for name in frame["capabilities"]?.arrayValue?.compactMap(\.stringValue) ?? [] {
            guard let profile = Profile(rawValue: name), Profile.all(of: .server).contains(profile) else { continue }
            signs[profile] = "'connected' lists '\(name)' among its capabilities"
        }
    }
}
