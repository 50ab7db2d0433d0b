import Holdfast
import HoldfastTranscript

/// A header for a server that declares everything, or what is given.
func header(_ profiles: Set<Profile> = [.core, .sync], role: Role = .server) -> History.Header {
    History.Header(subject: History.Subject(name: "golden", role: role, profiles: profiles))
}

/// The history a line of notation stands for.
func history(_ notation: String, _ profiles: Set<Profile> = [.core, .sync]) throws -> History {
    try NotationExpansion(notation, header: header(profiles)).history
}

/// The texts of a history's frames, in order.
func frames(_ notation: String, _ profiles: Set<Profile> = [.core]) throws -> [String] {
    try history(notation, profiles).events.compactMap { if case .text(_, let text) = $0.kind { text } else { nil } }
}
