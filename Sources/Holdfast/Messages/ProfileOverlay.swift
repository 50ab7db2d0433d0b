import HoldfastBasics
import HoldfastJSON

/// Makes what declared profiles demand a part of a schema.
///
/// `"x-profiles": {"sync": {"required": ["seq"]}}` is a schema that holds too when `sync` is declared, as if `allOf` referred to it.
/// So a message that is valid under more profiles is valid under fewer.
package enum ProfileOverlay {
    /// The keyword that holds the schemas, by profile.
    package static let keyword = "x-profiles"

    /// The schema under the given profiles.
    ///
    /// With `closesSets`, an open set (`x-extensible-enum`) holds no more than it lists: a reader takes every value of it, and who
    /// sends one keeps to the list of the version.
    package static func apply(
        _ profiles: Set<Profile>, to schema: JSONValue, closesSets: Bool = false
    ) -> JSONValue {
        apply(profiles, to: schema, closesSets: closesSets, at: JSONPointer())
    }

    private static func apply(
        _ profiles: Set<Profile>, to schema: JSONValue, closesSets: Bool, at pointer: JSONPointer
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
                // Examples and constants are values, not schemas; a member called x-profiles there means nothing.
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
                    let place = pointer.appending(keyword).appending(name)
                    return ["$ref": .string("#" + percentEncoded(place.description, keeping: "/"))]
                }
                result["allOf"] = .array((result["allOf"]?.arrayValue ?? []) + references)
            }
            return .object(result)
        default: return schema
        }
    }
}
