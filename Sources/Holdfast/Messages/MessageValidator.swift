import HoldfastJSON
import HoldfastJSONSchema

/// Validates messages one after another, fast and in reused memory.
///
/// For most valid messages it allocates nothing. A false result may mean only an unusual notation;
/// ``MessageSchemas/validate(bytes:as:)`` decides, and explains the problems.
public struct MessageValidator: ~Copyable {
    private let schemas: MessageSchemas
    private let name: String?
    private var tape = JSONTape()

    /// A validator for messages of any type, or only for those of one name.
    public init(_ schemas: MessageSchemas, as name: String? = nil) { (self.schemas, self.name) = (schemas, name) }

    /// Whether a message is certainly valid.
    public mutating func isSurelyValid(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        tape.withTokens(of: bytes) { [schemas, name] view in
            guard let view, let name = name ?? schemas.name(of: view), let entry = schemas[name] else { return false }
            return entry.surelyAccepts(view)
        }
    }
}

extension MessageSchemas.Entry {
    /// Whether a message is certainly valid; a schema alone cannot decide about integers written as fractions.
    func surelyAccepts(_ view: TapeView) -> Bool { schema.isValid(view) && !view.hasFractionToken }
}

extension MessageSchemas {
    /// The kind of a socket message, as in ``name(of:)``; nil without a plain `type`.
    fileprivate func name(of view: TapeView) -> String? {
        guard let type = view.text(of: "type"), view.member("aps") == nil else { return nil }
        if type == "error", profiles.contains(.rateLimit), view.text(of: "code") == "rate_limited" {
            return "rateLimit"
        }
        return type
    }
}
