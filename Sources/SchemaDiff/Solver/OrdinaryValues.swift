import HoldfastJSON

extension JSONNumber {
    /// Whether readers that store numbers as doubles see the same number, in ordinary notation.
    var isOrdinary: Bool {
        if text.contains(where: { $0 == "e" || $0 == "E" }) { return false }
        if let whole = Int(text) { return whole.magnitude <= 1 << 53 }
        // Doubles preserve any fifteen digits.
        return text.count { $0.isNumber } <= 15
    }
}

extension JSONValue {
    /// Whether every reader of JSON sees the same value.
    var isOrdinary: Bool {
        switch self {
        case .number(let number): number.isOrdinary
        case .array(let values): values.allSatisfy(\.isOrdinary)
        case .object(let object): object.allSatisfy { $0.value.isOrdinary }
        default: true
        }
    }
}
