import Foundation
import Holdfast
import HoldfastJSON
import TestSupport
import Testing

/// The captures of the real servers, where they lie beside the checkout: nothing in them is unknown to its dialect.
@Suite struct WireCaptureTests {
    private static let folder = SourceTree.root + "/../shared/wire"

    @Test(
        .enabled(if: FileManager.default.fileExists(atPath: folder)),
        arguments: [
            ("nami", "nami.txt"), ("adjutant", "adjutant-open-mode.txt"), ("adjutant", "adjutant-keyed.txt"),
            ("adjutant", "adjutant-frames.jsonl"),
        ])
    func `every frame of a capture is understood or ignored`(name: String, file: String) throws {
        let dialect = try SourceTree.specification().dialect(named: name)
        var coverage = DialectCoverage(dialect)
        let text = try String(contentsOfFile: "\(Self.folder)/\(file)", encoding: .utf8)
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let parts = line.split(separator: " ", maxSplits: 2)
            if file.hasSuffix(".jsonl"), !line.isEmpty {
                coverage.take(String(line), sentBy: .server, at: "\(number + 1)")
            } else if parts.count == 3, parts[1] == "->" || parts[1] == "<-", !parts[2].hasPrefix("b'") {
                coverage.take(String(parts[2]), sentBy: parts[1] == "->" ? .client : .server, at: "\(number + 1)")
            }
        }
        #expect(coverage.total > 10)
        #expect(coverage.unmapped.isEmpty, "\(coverage.unmapped)")
    }
}
