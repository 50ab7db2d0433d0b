import HoldfastJSON

/// Makes what declared profiles demand a part of a schema.
///
/// `"x-profiles": {"sync": {"required": ["seq"]}}` adds to `required` of the schema it stands in when `sync` is declared, and
/// other keywords that this schema does not have. So a message that is valid under more profiles is valid under fewer.
package enum ProfileOverlay {
    /// The schema under the given profiles.
    ///
    /// With `closesSets`, an open set (`x-extensible-enum`) holds no more than it lists: a reader takes every value of it, and who
    /// sends one keeps to the list of the version.
    package static func apply(
        _ profiles: Set<Profile>, to schema: JSONValue, closesSets: Bool = false
    ) -> JSONValue {
        switch schema {
        case .array(let values):
            return .array(values.map { apply(profiles, to: $0, closesSets: closesSets) })
        case .object(let object):
            var result = JSONObject()
            for (name, value) in object {
                // Examples and constants are values, not schemas; a member called x-profiles there means nothing.
                result[name] =
                    name == "examples" || name == "const" || name == "enum"
                    ? value : apply(profiles, to: value, closesSets: closesSets)
            }
            if closesSets, let values = object["x-extensible-enum"], values.arrayValue != nil {
                result["enum"] = values
            }
            if let overlays = object["x-profiles"]?.objectValue {
                var required = result["required"]?.arrayValue ?? []
                for (name, overlay) in overlays {
                    guard let profile = Profile(rawValue: name), profiles.contains(profile) else { continue }
                    for (keyword, value) in overlay.objectValue ?? [:] where object[keyword] == nil {
                        result[keyword] = value
                    }
                    for member in overlay["required"]?.arrayValue ?? [] where !required.contains(member) {
                        required.append(member)
                    }
                }
                if !required.isEmpty { result["required"] = .array(required) }
            }
            return .object(result)
        default: return schema
        }
    }
}
