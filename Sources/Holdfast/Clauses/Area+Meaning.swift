extension Area {
    /// What its clauses are about, in a few words.
    package var meaning: String {
        switch self {
        case .ENV: "frames and their limits"
        case .ID: "the four ids"
        case .TURN: "a question and its answer"
        case .ORDER: "the order of frames"
        case .SYNC: "catching up after a disconnect"
        case .IDEM: "resends without duplicates"
        case .PERSIST: "stored before it is announced"
        case .REST: "reading stored sessions"
        case .RATE: "rate limits"
        case .PUSH: "notifications"
        case .AUTH: "tokens and who may see what"
        case .LIVE: "staying connected and closing cleanly"
        case .CLIENT: "what the app does and shows"
        }
    }
}
