import HoldfastPlatform

package enum LocalAddresses {
    /// Every IPv4 address, those that others can reach first.
    package static var all: [String] {
        let found = Network.addresses
        return found.filter { !$0.hasPrefix("127.") } + found.filter { $0.hasPrefix("127.") }
    }

    /// What to show and to use for a host that means every address; the host itself otherwise.
    package static func reachable(insteadOf host: String) -> String {
        ["0.0.0.0", "*", "::"].contains(host) ? all.first ?? "127.0.0.1" : host
    }
}
