extension Services.Address {
    /// An address as a flag gives it: `host:port`, or a port of this machine.
    init(_ text: String, flag: String) throws {
        let cut = text.lastIndex(of: ":")
        let host = cut.map { String(text[..<$0]) } ?? "127.0.0.1"
        let number = cut.map { text[text.index(after: $0)...] } ?? text[...]
        guard let port = Int(number), (0...65_535).contains(port), !host.isEmpty else {
            throw Tool.refuse(
                flag, "'\(text)' is no address", expected: "host:port, such as 127.0.0.1:9100",
                fix: "write it so; port 0 takes a free one")
        }
        self.init(host: host, port: port)
    }
}
