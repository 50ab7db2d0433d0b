import HoldfastJSON

/// A name as one principal uses it: of a session, a turn, a message or a question.
struct OwnName: Hashable {
    let principal: String
    let name: String

    init(_ name: String, of principal: String) { (self.name, self.principal) = (name, principal) }
}

extension JSONValue {
    /// The text of a member; nil if it is absent or not a string.
    func string(_ name: String) -> String? { self[name]?.stringValue }
}

extension JSONObject {
    /// The text of a member; nil if it is absent or not a string.
    func string(_ name: String) -> String? { self[name]?.stringValue }
}
