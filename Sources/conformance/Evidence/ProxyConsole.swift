import Holdfast
import HoldfastBasics
import HoldfastJudge
import HoldfastPlatform
import HoldfastProxy
import HoldfastReport
import HoldfastTranscript
import HoldfastTransport

/// What a proxy says while it runs.
final class ProxyConsole: Sendable {
    private let style: ConsoleStyle
    private let isQuiet: Bool
    private let lock = Mutex(())

    init(style: ConsoleStyle, isQuiet: Bool) {
        self.style = style
        self.isQuiet = isQuiet
    }

    func greet(_ proxy: Proxy, _ options: Proxy.Options) {
        guard !isQuiet else { return }
        let host = options.host.contains(":") ? "[\(options.host)]" : options.host
        let secure = proxy.isSecure ? "s" : ""
        let address = "\(host):\(proxy.port)"
        let file = options.transcript.map { ", transcript in \($0)" } ?? ""
        lock.withLock { _ in
            Console.write(
                "ws\(secure)://\(address)  http\(secure)://\(address)  to \(options.upstream.origin)\(file)\n")
        }
    }

    /// Says at once when nothing takes connections behind the proxy; it may come later.
    func warnIfDead(_ options: Proxy.Options) async {
        do {
            let connection = try await HTTPConnection.open(
                options.upstream.httpBase, tls: options.upstreamTLS, timeout: .seconds(2))
            connection.cut(.fin)
        } catch {
            lock.withLock { _ in Console.error("--upstream: \(error)") }
        }
    }

    func note(_ line: String) {
        guard !isQuiet else { return }
        lock.withLock { _ in Console.error(line) }
    }

    /// A violation or a warning, with what shows it.
    func tell(_ report: LiveJudge.Report) {
        let (clause, finding) = (report.clause, report.finding)
        let word = clause.keyword.isRequirement ? style.red("violation") : style.yellow("warning")
        let time = finding.cited.map { " at +\(readable(report.history.events[$0].at / 1000)) ms" } ?? ""
        var lines = [
            "\(word) \(style.bold(clause.id.description)) (\(clause.keyword.rawValue), \(clause.role.rawValue))\(time)",
            style.wrapped("“\(clause.sentence)”", indent: 2),
            style.wrapped(finding.what, indent: 2),
            style.wrapped("expected: \(finding.expected)", indent: 2),
            style.wrapped("actual: \(finding.actual)", indent: 2),
        ]
        lines += EventLines(report.history).lines(of: finding.events.suffix(6), width: style.width - 2).map {
            "  " + $0
        }
        lock.withLock { _ in Console.write(lines.joined(separator: "\n") + "\n") }
    }
}
