import HoldfastJSON

/// The result of a search for a value.
enum Outcome: Sendable {
    case found(JSONValue)
    /// Proved: there is none.
    case none
    /// Neither found nor ruled out, with the reason.
    case unknown(String)

    static let outOfSteps = Outcome.unknown("the schemas are too complex to compare")
}

/// Attempts that are made one after another, until one finds a value.
struct Tries {
    /// The reason why the first unresolved attempt found no value; nil if all attempts were ruled out.
    private(set) var doubt: String?

    /// The value of an attempt; nil if the next one must be made.
    mutating func value(_ outcome: Outcome) -> JSONValue? {
        switch outcome {
        case .found(let value): return value
        case .none: break
        case .unknown(let reason): noteUnknown(reason)
        }
        return nil
    }

    /// Notes that the result of an attempt remains unknown.
    mutating func noteUnknown(_ reason: String) { doubt = doubt ?? reason }

    /// The result if no attempt found a value.
    var outcome: Outcome { doubt.map { .unknown($0) } ?? .none }
}
