/// An answer that was sent to open sockets, and left out of the notices for that.
struct UnheardAnswer: Sendable {
    let names: TurnNames
    let principal: String
    let message: String
    let text: String
    let at: Int
    /// Those of the sockets that are still open.
    var sockets: Set<Int>
}
