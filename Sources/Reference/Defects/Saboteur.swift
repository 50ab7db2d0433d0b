import JSON

/// The one door through which defects reach the server; a healthy server has none and pays nothing for it.
///
/// Hooks that need only what they are given stand here as functions of values, those that need the state of the server are
/// extensions of ``ServerCore``. Each is in the file of the area it breaks, and does nothing unless its defect is asked for.
struct Saboteur: Sendable {
    let defects: Set<Defect>

    var isHealthy: Bool { defects.isEmpty }

    func has(_ defect: Defect) -> Bool { !defects.isEmpty && defects.contains(defect) }

    /// A frame or body as broken servers form it.
    func rewrite(_ frame: JSONValue) -> JSONValue {
        var frame = frame
        let type = frame["type"]?.stringValue
        rewriteENV(&frame, type)
        rewriteID(&frame, type)
        rewriteTURN(&frame, type)
        rewriteSYNC(&frame, type)
        rewriteREST(&frame)
        rewriteRATE(&frame, type)
        rewriteLIVE(&frame, type)
        return frame
    }
}

/// What defects remember between two inputs.
struct Mischief: Sendable {
    var burntKeys: Set<String> = []
    var knownClients: [String: String] = [:]
    var latestTurn: [String: TurnNames] = [:]
    var ghosts: Set<String> = []
    var repeatedTurns: Set<String> = []
    var postponed: [String: StoredRecord.Question] = [:]
    var lateAcks: Set<String> = []
    var lateRecords: [Int: StoredRecord] = [:]
    var deferred: [Int: (record: StoredRecord, purpose: ServerCore.Write)] = [:]
    var numbersBySession: [String: Int] = [:]
    var losesNextFrame: Set<Int> = []
    var sawFailedWrite = false
    var announced: [String: String] = [:]
    var heldSessions: [String: String] = [:]
    /// Principals that were refused for their rate.
    var spent: Set<String> = []
    /// The key of the last accepted question, by principal.
    var lastKeys: [String: String] = [:]
}
