import Transport

extension Tool {
    /// Prints why nothing can listen where a flag says and gives the error that ends the command with 64.
    static func refuse(_ flag: String, _ problem: TransportProblem) -> any Error {
        guard case .cannotListen(let reason) = problem.code else {
            return end(.usage, saying: "\(flag): \(problem)")
        }
        return refuse(
            flag, "cannot listen on \(problem.place): \(reason)", expected: "a free port on an address of this machine",
            fix: "give another port, or 0 for a free one")
    }
}
