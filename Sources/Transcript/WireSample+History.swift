import Holdfast

extension WireSample {
    /// The start of a history's traffic; only the messages from one side if the suite is the other side.
    package init(_ history: History, from side: Role? = nil) {
        self.init(isOneSided: side != nil)
        for event in history.events where !isFull { take(event, from: side) }
    }

    package mutating func take(_ event: Event, from side: Role? = nil) {
        switch event.kind {
        case .opening(let opening): take(path: opening.path)
        case .text(let direction, let text):
            if side == nil || side == direction.sender { take(text, sentBy: direction.sender) }
        default: break
        }
    }
}
