/// An HTTP request as a dialect sees it; header fields are the same in all dialects.
public struct RESTRequest: Sendable, Equatable {
    /// The method, in capitals.
    public var method: String
    /// The path and query, percent-encoded as on the wire.
    public var path: String
    /// The body, when there is one.
    public var body: String?

    /// A request in the words of the specification, to be said in those of a dialect.
    public init(method: String, path: String, body: String? = nil) {
        (self.method, self.path, self.body) = (method, path, body)
    }
}

/// An HTTP response as a dialect sees it; header fields are the same in all dialects.
public struct RESTResponse: Sendable, Equatable {
    /// The status code.
    public var status: Int
    /// The body.
    public var body: String

    /// A response in the words of the specification.
    public init(status: Int, body: String) { (self.status, self.body) = (status, body) }
}
