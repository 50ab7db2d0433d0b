import Stage

extension ServerSubject {
    /// Where it is reached, as reports say it: without the query, which may carry a token.
    var shownAddress: String {
        guard let start else { return webSocket.place }
        return String(start.url.prefix { $0 != "?" })
    }
}
