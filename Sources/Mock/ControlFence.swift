import HoldfastTransport

/// Keeps everybody away from a control port who is not a program or a page of this machine.
///
/// The port listens on the loopback address alone, but every web page in a browser of this machine can send requests there. So
/// the `Host` has to be a name of the loopback (a page that binds its own name to 127.0.0.1 says its own name), and what acts has
/// to come from a page of this port or from no page at all; browsers say so in `Origin` and `Sec-Fetch-Site`.
enum ControlFence {
    /// Why a request is refused; nil when it may pass.
    static func refusal(of request: HTTPServerRequest, port: Int) -> String? {
        let hosts = ["127.0.0.1", "localhost", "[::1]"].map { "\($0):\(port)" }
        let named = request.headers.filter { $0.0.lowercased() == "host" }.map { $0.1.lowercased() }
        guard named.count == 1, hosts.contains(named[0]) else {
            return "'Host' must be one of \(hosts.joined(separator: ", "))"
        }
        for (name, value) in request.headers {
            switch name.lowercased() {
            case "origin":
                guard value.lowercased() == "http://\(named[0])" else {
                    return "requests from other pages are not allowed"
                }
            case "sec-fetch-site":
                // Addresses that are typed come from no site; reading is all they can do.
                guard ["same-origin", "none"].contains(value.lowercased()) else {
                    return "requests from other pages are not allowed"
                }
            default: continue
            }
        }
        guard request.method == "POST", !request.body.isEmpty else { return nil }
        let type = request.header("Content-Type")?.prefix { $0 != ";" }.lowercased()
        return type == "application/json" ? nil : "a body must have 'Content-Type: application/json'"
    }
}
