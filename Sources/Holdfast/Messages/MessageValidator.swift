import HoldfastJSON
import HoldfastJSONSchema

/// Judges one message after another the quick way, in memory that it keeps.
///
/// It says of a valid message that it is, and asks for no memory to do so. What it does not take may still be valid, when it is spelled in
/// an unusual way; ``MessageSchemas/validate(bytes:as:)`` knows, and says what is wrong.
public struct MessageValidator: ~Copyable {
    private let schemas: MessageSchemas
    private let name: String?
    private var tape = JSONTape()

    /// A validator for messages of any type or, with a name, for what that name stands for.
    public init(_ schemas: MessageSchemas, as name: String? = nil) { (self.schemas, self.name) = (schemas, name) }

    /// Whether a message is surely valid.
    public mutating func isSurelyValid(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        tape.withTokens(of: bytes) { [schemas, name] view in
            guard let view, let name = name ?? schemas.name(of: view), let entry = schemas[name] else { return false }
            return entry.surelyTakes(view)
        }
    }
}

extension MessageSchemas.Entry {
    /// Whether a message is surely valid: where a whole number may be spelled as a fraction is more than a schema can say.
    func surelyTakes(_ view: TapeView) -> Bool { schema.isValid(view) && !view.hasFractionToken }
}

extension MessageSchemas {
    /// What a message of the socket is, as ``name(of:)`` says; nil for what has no plain `type`.
    fileprivate func name(of view: TapeView) -> String? {
        guard let type = view.text(of: "type"), view.member("aps") == nil else { return nil }
        if type == "error", profiles.contains(.rateLimit), view.text(of: "code") == "rate_limited" {
            return "rateLimit"
        }
        return type
    }
}
