import JSON
import JSONSchema

/// The members that name the kind of a message.
enum Tags {
    /// The members that the root of a program demands with one fixed value, by name.
    static func of(_ program: Program) -> [(name: String, value: JSONValue)] {
        let space = SchemaSpace(program)
        let view = SchemaView([program.root], space)
        return view.required.keys.sorted().compactMap { name in
            guard let fixed = SchemaView(view.members(name), space).fixed, fixed.count == 1 else { return nil }
            return (name.string, fixed[0])
        }
    }
}
