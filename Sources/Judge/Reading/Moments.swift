import HoldfastTranscript

/// Something that a history shows at one event.
///
/// Compare moments with these functions instead of by number: an event that never happened is neither before nor after
/// another.
protocol Moment {
    var event: Int { get }
}

extension ClientDelivery: Moment {}
extension ClientNotice: Moment {}
extension ClientQuestion: Moment {}
extension ClientQuestion.News: Moment {}
extension Frame: Moment {}
extension NumberedFrame: Moment {}
extension Observations.Look: Moment {}
extension ObservedClient.Act: Moment {}
extension ObservedClient.State: Moment {}
extension ObservedClient.Stored: Moment {}
extension ObservedConnection.Ending: Moment {}
extension ObservedListRead: Moment {}
extension ObservedPush: Moment {}
extension ObservedRequest: Moment {}
extension ObservedSessionRead: Moment {}
extension ObservedTurn: Moment {}
extension Repeat: Moment {}
extension SubjectLives.End: Moment {}
extension TurnAnswer: Moment {}

extension Collection where Element: Moment {
    /// The elements before an event.
    func before(_ event: Int) -> LazyFilterSequence<Self> { lazy.filter { $0.event < event } }

    /// The elements after an event.
    func after(_ event: Int) -> LazyFilterSequence<Self> { lazy.filter { $0.event > event } }

    /// The elements after one event and before another.
    func between(_ first: Int, _ last: Int) -> LazyFilterSequence<Self> {
        lazy.filter { $0.event > first && $0.event < last }
    }

    var earliest: Element? { self.min { $0.event < $1.event } }
}

/// Something that a client requested from the server.
protocol Asked {
    /// The event of the request.
    var request: Int { get }
}

extension ObservedExchange: Asked {}
extension ObservedListRead: Asked {}
extension ObservedSessionRead: Asked {}

extension Moment {
    func isBefore(_ event: Int) -> Bool { self.event < event }
    func isAfter(_ event: Int) -> Bool { self.event > event }
}

extension Asked {
    func isAsked(before event: Int) -> Bool { request < event }
    func isAsked(after event: Int) -> Bool { request > event }
}

extension Collection where Element: Asked {
    /// The reads that were requested after an event.
    func asked(after event: Int) -> LazyFilterSequence<Self> { lazy.filter { $0.request > event } }
}

extension Collection<Int> {
    /// The events after one and before another.
    func between(_ first: Int, _ last: Int) -> LazyFilterSequence<Self> { lazy.filter { $0 > first && $0 < last } }
}

extension Collection<Frame> {
    /// The frames on a connection.
    func on(_ connection: Int) -> LazyFilterSequence<Self> { lazy.filter { $0.connection == connection } }
}

extension Int {
    func isBefore(_ event: Int) -> Bool { self < event }
    func isAfter(_ event: Int) -> Bool { self > event }
}

extension Int? {
    /// Whether it happened before an event.
    func isBefore(_ event: Int) -> Bool { map { $0 < event } ?? false }

    /// Whether it happened after an event.
    func isAfter(_ event: Int) -> Bool { map { $0 > event } ?? false }

    /// Whether it had not happened by an event: it happened later or never.
    func isOpen(at event: Int) -> Bool { map { $0 > event } ?? true }
}

/// The first of some events; nil if none happened.
func earliest(_ events: Int?...) -> Int? { events.lazy.compactMap(\.self).min() }

/// The given events that happened, in order.
func inOrder(_ events: Int?...) -> [Int] { events.compactMap(\.self).sorted() }
