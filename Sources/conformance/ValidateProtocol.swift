import Holdfast

/// Judges by the schemas of the protocol.
struct ProtocolJudge: ValidateJudge {
    let schemas: MessageSchemas
    let name: String?

    func faults(in message: UnsafeBufferPointer<UInt8>) -> [ValidateFault] {
        schemas.validate(bytes: Array(message), as: name).map { problem in
            let place = problem.location.map { "\($0): " } ?? ""
            let words = problem.description
            return ValidateFault(
                location: problem.location,
                words: words.hasPrefix(place) ? String(words.dropFirst(place.count)) : words)
        }
    }
}
