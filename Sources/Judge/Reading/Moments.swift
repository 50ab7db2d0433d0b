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
    func before(_ event: Int) -> LazyFilterSequence<Self> { lazy.filter { $0.event < event } }

    func after(_ event: Int) -> LazyFilterSequence<Self> { lazy.filter { $0.event > event } }

    func between(_ first: Int, _ last: Int) -> LazyFilterSequence<Self> {
        lazy.filter { $0.event > first && $0.event < last }
    }

    var earliest: Element? { self.min { $0.event < $1.event } }
}

protocol Asked {
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
