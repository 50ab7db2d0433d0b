import JSON

/// Makes what declared profiles demand a part of a schema.
///
/// `"x-profiles": {"sync": {"required": ["seq"]}}` adds to `required` of the schema it stands in when `sync` is declared. Only
/// names are added, so a message that is valid under more profiles is valid under fewer.
package enum ProfileOverlay {
    /// The schema under the given profiles.
    package static func apply(_ profiles: Set<Profile>, to schema: JSONValue) -> JSONValue {
        switch schema {
        case .array(let values): return .array(values.map { apply(profiles, to: $0) })
        case .object(let object):
            var result = JSONObject()
            for (name, value) in object {
                // Examples and constants are values, not schemas; a member called x-profiles there means nothing.
                result[name] =
                    name == "examples" || name == "const" || name == "enum" ? value : apply(profiles, to: value)
            }
            if let overlays = object["x-profiles"]?.objectValue {
                var required = result["required"]?.arrayValue ?? []
                for (name, overlay) in overlays {
                    guard let profile = Profile(rawValue: name), profiles.contains(profile) else { continue }
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
