import HoldfastBasics
import HoldfastJSON

/// Adds the rules of declared profiles to a schema.
///
/// `"x-profiles": {"sync": {"required": ["seq"]}}` contains a schema that also applies when `sync` is declared, like an
/// entry of `allOf`. So a message that is valid with more profiles is valid with fewer.
package enum ProfileOverlay {
    package static let keyword = "x-profiles"

    /// The schema for the given profiles.
    ///
    /// With `closesSets`, an open set (`x-extensible-enum`) allows only the listed values: a reader accepts all values,
    /// but a sender uses those of its version.
    package static func apply(
        _ profiles: Set<Profile>, to schema: JSONValue, closesSets: Bool = false,
        at pointer: JSONPointer = JSONPointer()
    ) -> JSONValue {
        switch schema {
        case .array(let values):
            return .array(
                values.enumerated().map {
                    apply(profiles, to: $1, closesSets: closesSets, at: pointer.appending(String($0)))
                })
        case .object(let object):
            var result = JSONObject()
            for (name, value) in object {
                // Examples and constants are values, not schemas, so x-profiles has no meaning there.
                result[name] =
                    name == "examples" || name == "const" || name == "enum"
                    ? value : apply(profiles, to: value, closesSets: closesSets, at: pointer.appending(name))
            }
            if closesSets, let values = object["x-extensible-enum"], values.arrayValue != nil {
                result["enum"] = values
            }
            let declared = (object[keyword]?.objectValue ?? [:]).keys.filter { name in
                profiles.contains { $0.rawValue == name }
            }
            if !declared.isEmpty {
                let references = declared.map { name -> JSONValue in
                    let target = pointer.appending(keyword).appending(name)
                    return ["$ref": .string("#" + percentEncoded(target.description, keeping: "/"))]
                }
                result["allOf"] = .array((result["allOf"]?.arrayValue ?? []) + references)
            }
            return .object(result)
        default: return schema
        }
    }
}
