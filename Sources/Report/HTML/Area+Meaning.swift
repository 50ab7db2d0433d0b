import Holdfast

extension Area {
    /// What its clauses are about, in a few words.
    var meaning: String {
        switch self {
        case .ENV: "frames and their limits"
        case .ID: "the four ids"
        case .TURN: "a question and its answer"
        case .ORDER: "what comes before what"
        case .SYNC: "catching up after a gap"
        case .IDEM: "sending again without doing again"
        case .PERSIST: "stored before it is told"
        case .REST: "reading what is stored"
        case .RATE: "limits on how often"
        case .PUSH: "notifications"
        case .AUTH: "who may see what"
        case .LIVE: "connections that stay alive and end well"
        case .CLIENT: "what an app does"
        }
    }
}
