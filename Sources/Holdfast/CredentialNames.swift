/// Under which names credentials travel, however they are spelled: `apiKey`, `api_key` and `API-Key` are one.
public enum CredentialNames {
    /// Whether a member of any frame or body holds a credential by its name.
    public static func holds(_ name: String) -> Bool { members.contains(spelled(name)) }

    /// Whether a member of a frame that begins a conversation, or a name in a query, holds a credential.
    ///
    /// There `key` and `auth` are credentials; elsewhere they are words of an app.
    public static func opens(_ name: String) -> Bool {
        members.contains(spelled(name)) || openers.contains(spelled(name))
    }

    private static func spelled(_ name: String) -> String {
        name.lowercased().filter { $0 != "_" && $0 != "-" }
    }

    private static let members: Set<String> = [
        "token", "apikey", "accesstoken", "refreshtoken", "sessiontoken", "devicetoken", "authtoken", "idtoken",
        "authorization", "password", "secret", "clientsecret", "jwt", "bearer",
    ]
    private static let openers: Set<String> = ["key", "auth", "accesskey", "credential", "credentials"]
}
