import Holdfast

/// Judges by the schemas of the protocol: the quick way first, and by words only what is not surely valid.
final class ProtocolJudge: ValidateJudge {
    private let schemas: MessageSchemas
    private let name: String?
    private var validator: MessageValidator

    init(schemas: MessageSchemas, name: String?) {
        self.schemas = schemas
        self.name = name
        validator = MessageValidator(schemas, as: name)
    }

    func faults(in message: UnsafeBufferPointer<UInt8>) -> [ValidateFault] {
        guard !validator.isSurelyValid(message) else { return [] }
        return schemas.validate(bytes: Array(message), as: name).map { problem in
            let place = problem.location.map { "\($0): " } ?? ""
            let words = problem.description
            return ValidateFault(
                location: problem.location,
                words: words.hasPrefix(place) ? String(words.dropFirst(place.count)) : words)
        }
    }
}
