/// A path and query with placeholders: `/api/messages?agentId={id}&limit=200`.
///
/// Values stay percent-encoded. A query parameter `limit={=200}` is written as 200, and matches any value or none.
struct TargetTemplate: Sendable, Equatable {
    let text: String
    private let segments: [Substring]
    private let parameters: [(name: Substring, value: Substring)]

    init(_ text: String) {
        self.text = text
        let (path, query) = Self.split(text)
        segments = Self.segments(of: path)
        parameters = Self.parameters(of: query)
    }

    /// The values of the placeholders in a matching target; nil for other targets.
    func match(_ target: String) -> [String: String]? {
        let (path, query) = Self.split(target)
        var values: [String: String] = [:]
        func fits(_ template: Substring, _ actual: Substring) -> Bool {
            guard let name = Self.placeholder(template) else { return template == actual }
            values[String(name)] = String(actual)
            return !actual.isEmpty
        }
        let actual = Self.segments(of: path)
        guard actual.count == segments.count, zip(segments, actual).allSatisfy({ fits($0, $1) }) else { return nil }
        var given = Self.parameters(of: query)
        for parameter in parameters {
            guard let index = given.firstIndex(where: { $0.name == parameter.name }) else {
                if Self.defaultValue(parameter.value) != nil { continue }
                return nil
            }
            let value = given.remove(at: index).value
            guard Self.defaultValue(parameter.value) != nil || fits(parameter.value, value) else { return nil }
        }
        // An extra parameter makes it a different request, unless the template has no query; then it is ignored.
        return parameters.isEmpty || given.isEmpty ? values : nil
    }

    func filled(_ values: [String: String]) -> String? {
        let path = segments.compactMap { Self.filled($0, values) }
        let query = parameters.compactMap { name, value in Self.filled(value, values).map { "\(name)=\($0)" } }
        guard path.count == segments.count, query.count == parameters.count else { return nil }
        return path.joined(separator: "/") + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    }

    var placeholders: Set<String> {
        Set((segments + parameters.map(\.value)).compactMap(Self.placeholder).map(String.init))
    }

    static func == (left: TargetTemplate, right: TargetTemplate) -> Bool { left.text == right.text }

    private static func split(_ target: String) -> (path: Substring, query: Substring?) {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        return (parts[0], parts.count > 1 ? parts[1] : nil)
    }

    private static func segments(of path: Substring) -> [Substring] {
        path.split(separator: "/", omittingEmptySubsequences: false)
    }

    private static func parameters(of query: Substring?) -> [(name: Substring, value: Substring)] {
        (query ?? "").split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (parts[0], parts.count > 1 ? parts[1] : "")
        }
    }

    private static func placeholder(_ text: Substring) -> Substring? {
        text.hasPrefix("{") && text.hasSuffix("}") && defaultValue(text) == nil ? text.dropFirst().dropLast() : nil
    }

    /// The value to write for a parameter that matches any value; nil for other parameters.
    private static func defaultValue(_ text: Substring) -> Substring? {
        text.hasPrefix("{=") && text.hasSuffix("}") ? text.dropFirst(2).dropLast() : nil
    }

    private static func filled(_ template: Substring, _ values: [String: String]) -> String? {
        if let defaultValue = defaultValue(template) { return String(defaultValue) }
        guard let name = placeholder(template) else { return String(template) }
        return values[String(name)]
    }
}
