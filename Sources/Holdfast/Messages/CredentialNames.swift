/// Under which names credentials travel, however they are spelled: `apiKey`, `api_key` and `API-Key` are one.
public enum CredentialNames {
    /// Whether a member of any frame, body or form holds a credential by its name.
    public static func holds(_ name: some StringProtocol) -> Bool { members.contains(spelled(name)) }

    /// Whether a member of a frame that begins a conversation, or a name in a query, holds a credential.
    ///
    /// There `key` and `auth` are credentials; elsewhere they are words of an app.
    public static func opens(_ name: some StringProtocol) -> Bool {
        let name = spelled(name)
        return members.contains(name) || openers.contains(name)
    }

    /// Whether a field of the head of a request or an answer holds one.
    public static func isInHead(_ name: String) -> Bool {
        let name = spelled(name)
        return heads.contains(name) || members.contains(name.hasPrefix("x") ? String(name.dropFirst()) : name)
    }

    /// Whether it is the one name that answers use for their words too.
    public static func isToken(_ name: some StringProtocol) -> Bool { spelled(name) == "token" }

    /// Whether it is that of a device, which tells nobody apart.
    public static func isDevice(_ name: some StringProtocol) -> Bool { spelled(name) == "devicetoken" }

    private static func spelled(_ name: some StringProtocol) -> String {
        name.lowercased().filter { $0 != "_" && $0 != "-" }
    }

    private static let members: Set<String> = [
        "token", "apikey", "accesstoken", "refreshtoken", "sessiontoken", "devicetoken", "authtoken", "idtoken",
        "bearertoken", "authorization", "password", "passwd", "newpassword", "oldpassword", "secret", "clientsecret",
        "jwt", "bearer",
    ]
    private static let openers: Set<String> = ["key", "auth", "accesskey", "credential", "credentials"]
    private static let heads: Set<String> = ["setcookie", "cookie", "authorization", "proxyauthorization"]
}
