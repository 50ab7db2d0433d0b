/// Names of members and fields with credentials, in any spelling: `apiKey`, `api_key` and `API-Key` are equal.
public enum CredentialNames {
    /// Whether a member of any frame, body or form contains a credential, judging by its name.
    public static func holds(_ name: some StringProtocol) -> Bool { members.contains(normalized(name)) }

    /// Whether bytes of a JSON string may be such a name; a fast check without false negatives.
    package static func mayHold(_ name: UnsafeRawBufferPointer) -> Bool {
        // An escape or a letter beyond ASCII may stand for one of these.
        name.contains { $0 >= 0x80 || $0 == UInt8(ascii: "\\") } || digests.contains(digest(of: name))
    }

    private static let digests = Set(members.map { digest(of: $0.utf8) })

    /// A hash of a name, independent of its spelling.
    private static func digest(of name: some Sequence<UInt8>) -> UInt64 {
        var digest: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in name where byte != UInt8(ascii: "_") && byte != UInt8(ascii: "-") {
            let isUpper = byte >= 0x41 && byte <= 0x5A
            digest = (digest ^ UInt64(isUpper ? byte | 0x20 : byte)) &* 0x100_0000_01b3
        }
        return digest
    }

    /// Whether a member of a conversation's first frame, or a query parameter, contains a credential.
    ///
    /// There, `key` and `auth` are credentials; elsewhere they are ordinary words.
    public static func holdsAtStart(_ name: some StringProtocol) -> Bool {
        let name = normalized(name)
        return members.contains(name) || openers.contains(name)
    }

    /// Whether a header field contains a credential.
    public static func isCredentialHeader(_ name: String) -> Bool {
        let name = normalized(name)
        return heads.contains(name) || members.contains(name.hasPrefix("x") ? String(name.dropFirst()) : name)
    }

    /// Whether the name is `token`, which answers also use for text.
    public static func isToken(_ name: some StringProtocol) -> Bool { normalized(name) == "token" }

    /// Whether it names a device token, which does not identify a principal.
    public static func isDevice(_ name: some StringProtocol) -> Bool { normalized(name) == "devicetoken" }

    private static func normalized(_ name: some StringProtocol) -> String {
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
