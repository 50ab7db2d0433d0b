import HoldfastTranscript

/// Something that a history shows at one event.
///
/// Compare moments with these functions instead of by number: an event that never happened is neither before nor after
/// another.
protocol EventOrdered {
    var event: Int { get }
}

extension ClientDelivery: EventOrdered {}
extension ClientNotice: EventOrdered {}
extension ClientQuestion: EventOrdered {}
extension ClientQuestion.Fact: EventOrdered {}
extension Frame: EventOrdered {}
extension NumberedFrame: EventOrdered {}
extension Observations.Look: EventOrdered {}
extension ObservedClient.Act: EventOrdered {}
extension ObservedClient.State: EventOrdered {}
extension ObservedClient.Stored: EventOrdered {}
extension ObservedConnection.Ending: EventOrdered {}
extension ObservedListRead: EventOrdered {}
extension ObservedPush: EventOrdered {}
extension ObservedRequest: EventOrdered {}
extension ObservedSessionRead: EventOrdered {}
extension ObservedTurn: EventOrdered {}
extension Repeat: EventOrdered {}
extension SubjectLives.End: EventOrdered {}
extension TurnAnswer: EventOrdered {}

extension Collection where Element: EventOrdered {
    func before(_ event: Int) -> LazyFilterSequence<Self> { lazy.filter { $0.event < event } }

    func after(_ event: Int) -> LazyFilterSequence<Self> { lazy.filter { $0.event > event } }

    func between(_ first: Int, _ last: Int) -> LazyFilterSequence<Self> {
        lazy.filter { $0.event > first && $0.event < last }
    }

    var earliest: Element? { self.min { $0.event < $1.event } }
}

protocol RequestOrdered {
    var request: Int { get }
}

extension ObservedExchange: RequestOrdered {}
extension ObservedListRead: RequestOrdered {}
extension ObservedSessionRead: RequestOrdered {}

extension EventOrdered {
    func isBefore(_ event: Int) -> Bool { self.event < event }
    func isAfter(_ event: Int) -> Bool { self.event > event }
}

extension RequestOrdered {
    func isAsked(before event: Int) -> Bool { request < event }
    func isAsked(after event: Int) -> Bool { request > event }
}

extension Collection where Element: RequestOrdered {
    func asked(after event: Int) -> LazyFilterSequence<Self> { lazy.filter { $0.request > event } }
}

extension Collection<Int> {
    func between(_ first: Int, _ last: Int) -> LazyFilterSequence<Self> { lazy.filter { $0 > first && $0 < last } }
}

extension Collection<Frame> {
    func on(_ connection: Int) -> LazyFilterSequence<Self> { lazy.filter { $0.connection == connection } }
}

extension Int {
    func isBefore(_ event: Int) -> Bool { self < event }
    func isAfter(_ event: Int) -> Bool { self > event }
}

extension Int? {
    func isBefore(_ event: Int) -> Bool { map { $0 < event } ?? false }

    func isAfter(_ event: Int) -> Bool { map { $0 > event } ?? false }

    /// Whether it had not happened by an event: it happened later or never.
    func isOpen(at event: Int) -> Bool { map { $0 > event } ?? true }
}

func earliest(_ events: Int?...) -> Int? { events.lazy.compactMap(\.self).min() }

func inOrder(_ events: Int?...) -> [Int] { events.compactMap(\.self).sorted() }
