extension Services.Address {
    /// An address as a flag gives it: `host:port`, or a port of this machine.
    init(_ text: String, flag: String) throws {
        try self.init(plain: text, flag: flag, expected: "a port, or host:port such as 127.0.0.1:9100")
    }

    /// The same with `,tls` behind it where TLS is to be spoken.
    init(maybeSecure text: String, flag: String) throws {
        let isSecure = text.hasSuffix(",tls")
        try self.init(
            plain: isSecure ? String(text.dropLast(4)) : text, flag: flag,
            expected: "a port, or host:port such as 127.0.0.1:9100, and ,tls behind it for TLS")
        self.isSecure = isSecure
    }

    private init(plain text: String, flag: String, expected: String) throws {
        let cut = text.lastIndex(of: ":")
        let host = cut.map { String(text[..<$0]) } ?? "127.0.0.1"
        let number = cut.map { text[text.index(after: $0)...] } ?? text[...]
        guard let port = Int(number), (0...65_535).contains(port), !host.isEmpty else {
            throw Tool.refuse(
                flag, "'\(text)' is no address", expected: expected,
                fix: "write it so; port 0 takes a free one")
        }
        self.init(host: host, port: port)
    }
}
