import HoldfastJSON

/// The members of this version's messages and bodies, as listed in its schemas.
package enum MessageMembers {
    /// The members of a frame; nil for a type that this side never sends.
    package static func ofFrame(_ type: String, sentBy sender: Role) -> Set<String>? {
        bySchema["messages/" + type].flatMap { $0.sender == sender && type != "rateLimit" ? $0.names : nil }
    }

    /// The members of a body, by its schema in `schemas/rest/`.
    package static func ofBody(_ name: String) -> Set<String> { bySchema["rest/\(name)"]?.names ?? [] }

    package static let ofLimits: Set<String> = names(in: root("messages/connected")?["properties"]?["limits"])

    private static let bySchema: [String: (sender: Role?, names: Set<String>)] = {
        let names = SpecificationFiles.embedded.names(in: "schemas").filter { !$0.hasPrefix("files/") }
        return Dictionary(
            uniqueKeysWithValues: names.map { name in
                let root = root(name)
                return (name, (root?["x-direction"]?.stringValue.flatMap(Role.init), Self.names(in: root)))
            })
    }()

    private static func root(_ name: String) -> JSONValue? {
        SpecificationFiles.embedded.json("schemas/\(name).json")
    }

    private static func names(in schema: JSONValue?) -> Set<String> {
        Set(schema?["properties"]?.objectValue?.keys ?? [])
    }
}
