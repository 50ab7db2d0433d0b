import HoldfastTranscript

/// Something that a history shows at one event.
///
/// Compare moments with these functions, not by number: an event that never happened is before none and after none.
package protocol HasEvent {
    var event: Int { get }
}

extension Frame: HasEvent {}

extension Int: HasEvent {
    package var event: Int { self }
}

extension Collection where Element: HasEvent {
    func before(_ event: Int) -> LazyFilterSequence<Self> { lazy.filter { $0.event < event } }

    func after(_ event: Int) -> LazyFilterSequence<Self> { lazy.filter { $0.event > event } }

    func between(_ first: Int, _ last: Int) -> LazyFilterSequence<Self> {
        lazy.filter { $0.event > first && $0.event < last }
    }

    var earliest: Element? { self.min { $0.event < $1.event } }
}

protocol HasRequest {
    var request: Int { get }
}

extension HasEvent {
    func isBefore(_ event: Int) -> Bool { self.event < event }
    func isAfter(_ event: Int) -> Bool { self.event > event }
}

extension HasRequest {
    func isAsked(before event: Int) -> Bool { request < event }
    func isAsked(after event: Int) -> Bool { request > event }
}

extension Collection where Element: HasRequest {
    func asked(after event: Int) -> LazyFilterSequence<Self> { lazy.filter { $0.request > event } }
}

extension Collection<Frame> {
    func on(_ connection: Int) -> LazyFilterSequence<Self> { lazy.filter { $0.connection == connection } }
}

extension Optional where Wrapped: HasEvent {
    func isBefore(_ event: Int) -> Bool { map { $0.event < event } ?? false }

    func isAfter(_ event: Int) -> Bool { map { $0.event > event } ?? false }

    /// Whether it had not happened by an event: it happened later or never.
    func isOpen(at event: Int) -> Bool { map { $0.event > event } ?? true }
}

func earliest(_ one: Int?, _ two: Int?, _ three: Int? = nil, _ four: Int? = nil) -> Int? {
    let first = min(min(one ?? .max, two ?? .max), min(three ?? .max, four ?? .max))
    return first < .max ? first : nil
}

func inOrder(_ all: (any HasEvent)?...) -> [any HasEvent] { all.compactMap(\.self).sorted { $0.event < $1.event } }
