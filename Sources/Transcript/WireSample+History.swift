import Holdfast

extension WireSample {
    /// The beginning of what passed in a history; of one side alone where the suite is the other one.
    package init(_ history: History, from side: Role? = nil) {
        self.init(isOneSided: side != nil)
        for event in history.events where !isFull { take(event, from: side) }
    }

    /// Takes the message or the address that an event brought.
    package mutating func take(_ event: Event, from side: Role? = nil) {
        switch event.kind {
        case .opening(let opening): take(path: opening.path)
        case .text(let direction, let text):
            if side == nil || side == direction.sender { take(text, sentBy: direction.sender) }
        default: break
        }
    }
}
