import HoldfastJSON

/// The name of a session, turn, message or question, as one principal uses it.
struct ScopedName: Hashable {
    let principal: String
    let name: String

    init(_ name: String, of principal: String) { (self.name, self.principal) = (name, principal) }
}

/// The name of something, as one connection showed it.
struct NameOnConnection: Hashable {
    let name: String
    let connection: Int
}

extension JSONValue {
    /// The text of a member; nil if it is absent or not a string.
    func string(_ name: String) -> String? { self[name]?.stringValue }
}

extension JSONObject {
    func string(_ name: String) -> String? { self[name]?.stringValue }
}
