import JSONSchema

/// The known name closest to a mistyped one, for "did you mean"; nil when none is close.
public func nearestName(to name: String, among known: some Sequence<String>) -> String? {
    NearestName.to(name, among: known.sorted())
}
