import HoldfastJSON

/// The result of a search for a value.
enum Outcome: Sendable {
    /// A value that is as asked.
    case found(JSONValue)
    /// Proved: there is none.
    case none
    /// Neither found nor ruled out, and why.
    case unknown(String)

    /// The question cost more than it may.
    static let outOfSteps = Outcome.unknown("the schemas are too complex to compare")
}

/// Ways that are tried one after the other, until one leads to a value.
struct Tries {
    /// Why the first way that was not ruled out led to no value.
    private(set) var doubt: String?

    /// The value a way led to; nil when the next one is to be tried.
    mutating func value(_ outcome: Outcome) -> JSONValue? {
        switch outcome {
        case .found(let value): return value
        case .none: break
        case .unknown(let reason): leave(reason)
        }
        return nil
    }

    /// Notes that something was not tried.
    mutating func leave(_ reason: String) { doubt = doubt ?? reason }

    /// The result of all ways if none of them led to a value.
    var outcome: Outcome { doubt.map { .unknown($0) } ?? .none }
}
