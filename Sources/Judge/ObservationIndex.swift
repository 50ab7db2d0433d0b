/// An index of the turns, reads and exchanges that checks look up often.
struct ObservationIndex: Sendable {
    private var turnsBySession: [String: [Int]] = [:]
    /// Turns whose session is unknown, in the order of asking.
    private(set) var unplaced: [Int] = []
    private var turnsByConnection: [Int: [Int]] = [:]
    private var connectionsByPrincipal: [String: [Int]] = [:]
    private var readsBySession: [OwnName: [ObservedSessionRead]] = [:]
    private var exchangesByResponse: [Int: Int] = [:]

    init() {}

    init(_ history: Observations) {
        for (index, turn) in history.turns.enumerated() {
            if let session = turn.session {
                turnsBySession[session, default: []].append(index)
            } else {
                unplaced.append(index)
            }
            for connection in Set(turn.requests.compactMap(\.connection)) {
                turnsByConnection[connection, default: []].append(index)
            }
        }
        for (index, connection) in history.connections.enumerated() {
            connectionsByPrincipal[connection.principal, default: []].append(index)
        }
        for read in history.sessionReads {
            guard let principal = read.principal else { continue }
            readsBySession[OwnName(read.sessionId, of: principal), default: []].append(read)
        }
        for (index, exchange) in history.exchanges.enumerated() {
            guard let response = exchange.response else { continue }
            exchangesByResponse[response] = exchangesByResponse[response] ?? index
        }
    }

    func turns(of session: String) -> [Int] { turnsBySession[session] ?? [] }

    /// The turns that were asked, or asked again, on a connection, in the order of asking.
    func turns(on connection: Int) -> [Int] { turnsByConnection[connection] ?? [] }

    /// The connections of a principal, in the order in which they were asked for.
    func connections(of principal: String) -> [Int] { connectionsByPrincipal[principal] ?? [] }

    /// The reads of a session by a principal, in the order of the responses.
    func reads(of session: String, by principal: String) -> [ObservedSessionRead] {
        readsBySession[OwnName(session, of: principal)] ?? []
    }

    func exchange(ofResponse event: Int) -> Int? { exchangesByResponse[event] }
}
