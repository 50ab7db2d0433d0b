import JSON

/// A name as one principal knows it: of a session, a turn, a message or a question.
struct OwnName: Hashable {
    let principal: String
    let name: String

    init(_ name: String, of principal: String) { (self.name, self.principal) = (name, principal) }

    init(principal: String, name: String) { self.init(name, of: principal) }
}

/// The name as the areas call it.
enum TurnNames { typealias Key = OwnName }

/// Whether a text has the form of a session id: `[A-Za-z0-9_-]{1,128}`.
func isSessionID(_ text: String) -> Bool {
    (1...128).contains(text.utf8.count)
        && text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
}

/// What a content says: the text itself, or the texts of its parts joined.
func plainText(of content: JSONValue?) -> String {
    content?.stringValue ?? (content?.arrayValue ?? []).compactMap { $0.string("text") }.joined()
}

extension JSONValue {
    /// The text of a member; nil when it is absent or no string.
    func string(_ name: String) -> String? { self[name]?.stringValue }
}

extension JSONObject {
    /// The text of a member; nil when it is absent or no string.
    func string(_ name: String) -> String? { self[name]?.stringValue }
}
