import Foundation
import HoldfastJSON
import HoldfastJSONSchema

/// Measures parsing and validating on one thread, and a peer for comparison if one is installed.
@main
struct Benchmark {
    static func main() async throws {
        switch CommandLine.arguments.dropFirst().first {
        case "proxy": return try await ProxyBenchmark.run()
        case "commands": return try WholeCommand.run(CommandLine.arguments.dropFirst(2).first)
        case "judge": return try JudgeBenchmark.run(CommandLine.arguments.dropFirst(2).first)
        default: break
        }
        let corpus = try Corpus.load()
        let schema = try Schema(corpus.schema)
        print("corpus: \(corpus.name)")
        let rounds = 3
        var ours: [String: [Double]] = [:]
        var theirs: [String: [Double]] = [:]
        var peer: String?
        // The two take turns, so that a machine that slows down slows both.
        for _ in 0..<rounds {
            for (key, rate) in try measure(corpus, schema) { ours[key, default: []].append(rate) }
            guard let folder = corpus.folder, let measured = Peer.measure(folder) else { continue }
            peer = measured.name
            for (key, rate) in measured.rates { theirs[key, default: []].append(rate) }
        }
        print("peer: \(peer ?? "none; install the Python packages orjson and jsonschema-rs, and use the bench corpus")")
        print("one thread, messages per second, medians of \(rounds) rounds of 7 runs\n")
        print(row("", width: 28, ["MB/s", "ours", "peer", "ratio"]))
        for (name, messages) in corpus.sets {
            let size = Double(messages.map(\.count).reduce(0, +)) / Double(messages.count)
            for work in ["parse", "validate", "parse + validate"] {
                let key = "\(name) \(work)"
                let rate = Stopwatch.median(ours[key] ?? [0])
                let other = theirs[key].map { Stopwatch.median($0) }
                print(
                    row(
                        key, width: 28,
                        [
                            rounded(rate * size / 1e6), rounded(rate), other.map { rounded($0) } ?? "-",
                            other.map { String(format: "%.1f", rate / $0) } ?? "-",
                        ]))
            }
        }
    }

    private static func measure(_ corpus: Corpus, _ schema: Schema) throws -> [String: Double] {
        var rates: [String: Double] = [:]
        for (name, messages) in corpus.sets {
            let count = Double(messages.count)
            let texts = messages.map { ReadText($0) }
            let problem = "corpus: a message of the set '\(name)' is not valid\n  expected: only valid messages"
            guard texts.allSatisfy({ $0.isValid(schema) }) else { throw BenchmarkProblem(description: problem) }
            var tape = JSONTape()
            var validator = ByteValidator(schema)
            var found = 0
            rates["\(name) parse"] =
                count * Stopwatch.rate { for text in texts where tape.isSound(text.bytes) { found += 1 } }
            rates["\(name) validate"] =
                count * Stopwatch.rate { for text in texts where text.isValid(schema) { found += 1 } }
            rates["\(name) parse + validate"] =
                count * Stopwatch.rate { for text in texts where validator.isValid(text.bytes) { found += 1 } }
            guard found > 0 else { throw BenchmarkProblem(description: problem) }
        }
        return rates
    }

    private static func rounded(_ value: Double) -> String {
        Int(value.rounded()).formatted(.number.locale(Locale(identifier: "en_US")))
    }
}

/// A text that has been read once, to be validated again and again.
final class ReadText {
    let bytes: [UInt8]
    private let copy: UnsafeMutableBufferPointer<UInt8>
    private var tape = JSONTape()
    private let view: TapeView?

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        copy = .allocate(capacity: bytes.count)
        _ = copy.initialize(from: bytes)
        // The view stays valid: this object keeps the copy, and never uses the tape for another text.
        view = tape.withTokens(of: UnsafeBufferPointer(copy)) { $0 }
    }

    deinit {
        copy.deallocate()
    }

    func isValid(_ schema: Schema) -> Bool {
        view.map { schema.isValid($0) } ?? false
    }
}
