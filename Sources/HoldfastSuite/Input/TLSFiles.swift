import Holdfast
import HoldfastTransport

extension TLSOptions {
    /// What is wrong with the files that flags name, each problem with its flag.
    package func problems() -> [InputProblem] {
        do {
            return try flaws { try Files.text(of: $0) }.map { flaw in
                let (flag, file) =
                    switch flaw.part {
                    case .trustRoots: ("--ca", trustRootsFile)
                    case .certificate: ("--client-certificate", identity?.certificateFile)
                    case .key: ("--client-key", identity?.keyFile)
                    }
                return InputProblem(
                    flag, "'\(file ?? "")' \(flaw.what)", expected: flaw.expected, fix: flaw.fix)
            }
        } catch {
            return [error as? InputProblem].compactMap(\.self)
        }
    }
}
