/// The names under which credentials stand in members of JSON, in forms, in queries and in heads.
enum CredentialNames {
    /// Whether a member of JSON or of a form is called like a credential, in whatever spelling.
    static func contains(_ name: some StringProtocol) -> Bool { names.contains(plain(name)) }

    /// Whether a member of a query is; there, shorter names are usual too.
    static func containsInQuery(_ name: some StringProtocol) -> Bool {
        let name = plain(name)
        return names.contains(name) || name == "auth" || name == "key"
    }

    /// Whether a field of a head is.
    static func containsInHead(_ name: String) -> Bool {
        let name = plain(name)
        return ["setcookie", "cookie", "authorization", "proxyauthorization"].contains(name)
            || names.contains(name.hasPrefix("x") ? String(name.dropFirst()) : name)
    }

    /// Whether it is the one name that answers use for their words too.
    static func isToken(_ name: some StringProtocol) -> Bool { plain(name) == "token" }

    /// Whether it is that of a device, which tells nobody apart.
    static func isDevice(_ name: some StringProtocol) -> Bool { plain(name) == "devicetoken" }

    private static func plain(_ name: some StringProtocol) -> String {
        name.lowercased().filter { $0 != "_" && $0 != "-" }
    }

    private static let names: Set<String> = [
        "token", "apikey", "accesstoken", "refreshtoken", "idtoken", "authtoken", "bearertoken", "authorization",
        "password", "passwd", "newpassword", "oldpassword", "secret", "clientsecret", "jwt", "sessiontoken",
        "devicetoken",
    ]
}
