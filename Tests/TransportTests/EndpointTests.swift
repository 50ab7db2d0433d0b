import Testing

@testable import HoldfastTransport

@Suite struct EndpointTests {
    @Test func `a URL is taken apart and put together again`() throws {
        let endpoint = try Endpoint("wss://chat.example:8443/api/ws?token=t&x=1")
        #expect(endpoint.scheme == .wss)
        #expect(endpoint.host == "chat.example")
        #expect(endpoint.port == 8443)
        #expect(endpoint.path == "/api/ws")
        #expect(endpoint.query == "token=t&x=1")
        #expect(endpoint.target == "/api/ws?token=t&x=1")
        #expect(endpoint.description == "wss://chat.example:8443/api/ws?token=t&x=1")
        #expect(endpoint.origin == "wss://chat.example:8443")
        #expect(endpoint.address == "wss://chat.example:8443/api/ws", "a query may carry a token and is not shown")
    }

    @Test(arguments: [("ws://h", 80), ("http://h", 80), ("wss://h", 443), ("https://h", 443), ("WS://h", 80)])
    func `ports and paths have defaults`(_ url: String, _ port: Int) throws {
        let endpoint = try Endpoint(url)
        #expect(endpoint.port == port)
        #expect(endpoint.target == "/")
        #expect(endpoint.authority == "h")
    }

    @Test func `an IPv6 address loses its brackets and gets them back`() throws {
        let endpoint = try Endpoint("ws://[::1]:8080?a")
        #expect(endpoint.host == "::1")
        #expect(endpoint.target == "/?a")
        #expect(endpoint.description == "ws://[::1]:8080/?a")
    }

    @Test func `the HTTP side has the same host and port`() throws {
        #expect(try Endpoint("ws://h:1/ws?t").httpBase.description == "http://h:1/")
        #expect(try Endpoint("wss://h/ws").httpBase.at("api/health").description == "https://h/api/health")
    }

    @Test(arguments: [("", "HOST:PORT/PATH"), ("127.0.0.1:8080/ws", "127.0.0.1:8080/ws")])
    func `a URL without a scheme is shown with one`(_ url: String, _ rest: String) {
        let problem = #expect(throws: TransportProblem.self) { try Endpoint(url) }
        #expect(problem?.code == .badURL(reason: "a URL without a scheme", fix: "begin with the scheme: ws://\(rest)"))
    }

    @Test(arguments: [
        ("ftp://h", "unknown scheme 'ftp'"),
        ("ws://", "a URL without a host"),
        ("ws:///ws", "a URL without a host"),
        ("ws://:80", "a URL without a host"),
        ("ws://h:0", "port '0' is not a number from 1 to 65535"),
        ("ws://h:65536", "port '65536' is not a number from 1 to 65535"),
        ("ws://h:", "port '' is not a number from 1 to 65535"),
        ("ws://h:+80", "port '+80' is not a number from 1 to 65535"),
        ("ws://h:a", "port 'a' is not a number from 1 to 65535"),
        ("ws://::1", "host ':' is neither a name nor an address"),
        ("ws://a[b", "host 'a[b' is neither a name nor an address"),
        ("ws://u:p@h", "a user name in the URL, which this module does not send"),
        ("ws://h/#top", "a fragment, which never reaches a server"),
        ("ws://h/a b", "a space, control character or non-ASCII character in the URL, which must be percent-encoded"),
        ("ws://h/ü", "a space, control character or non-ASCII character in the URL, which must be percent-encoded"),
    ])
    func `a bad URL says what is wrong`(_ url: String, _ reason: String) {
        let problem = #expect(throws: TransportProblem.self) { try Endpoint(url) }
        #expect(problem?.code == .badURL(reason: reason))
    }

    @Test func `the words for a bad URL name the fix and no query`() {
        let problem = #expect(throws: TransportProblem.self) { try Endpoint("htp://h/ws?token=secret") }
        #expect(
            problem?.description == """
                htp://h/ws: unknown scheme 'htp'
                  expected: ws://, wss://, http:// or https://, a host, and optionally a port and a path
                  fix: correct the URL
                """
        )
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("[::1]", true), ("10", false), ("1.2", false), ("1.2.3.4.5", false), ("1.2.3.x", false),
    ])
    func `an address has four numbers or a colon`(_ host: String, _ isAddress: Bool) throws {
        #expect(try Endpoint("wss://\(host)/").hostIsAddress == isAddress)
    }
}
