import Foundation
import HoldfastJSON
import Testing

/// The folder of public test suites, which is not part of this repository.
enum Suites {
    static let variable = "HOLDFAST_SUITES"

    /// In the folder named by the environment, else in the one that `Tests/Suites/fetch.sh` makes, else beside the package.
    static func folder(_ name: String) -> URL? {
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let roots = [
            ProcessInfo.processInfo.environment[variable].map { URL(filePath: $0) },
            package.appending(path: ".build/suites"),
            package.deletingLastPathComponent().appending(path: "shared/suites"),
        ]
        return roots.compactMap { $0?.appending(path: name) }.first {
            FileManager.default.fileExists(atPath: $0.path)
        }
    }

    static let parsing = folder("json-parsing/test_parsing")
}

@Suite(.enabled(if: Suites.parsing != nil, "the json-parsing suite is absent; fetch it with Tests/Suites/fetch.sh"))
struct `Public parsing suite` {
    static func files(_ prefix: String) throws -> [URL] {
        let folder = try #require(Suites.parsing)
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.lastPathComponent.hasPrefix(prefix) }
            .sorted { $0.path < $1.path }
    }

    @Test func `every y_ file is accepted`() throws {
        let files = try Self.files("y_")
        #expect(files.count >= 95)
        for file in files {
            let bytes = try [UInt8](Data(contentsOf: file))
            #expect(throws: Never.self, "\(file.lastPathComponent)") { try JSONParser.document(bytes: bytes) }
        }
    }

    @Test func `every n_ file is rejected with a place inside it`() throws {
        let files = try Self.files("n_")
        #expect(files.count >= 188)
        for file in files {
            let bytes = try [UInt8](Data(contentsOf: file))
            let problem = #expect(throws: JSONProblem.self, "\(file.lastPathComponent)") {
                try JSONParser.document(bytes: bytes)
            }
            #expect((problem?.location.byteOffset ?? 0) <= bytes.count, "\(file.lastPathComponent)")
        }
    }

    @Test func `every i_ file ends in a value or a problem`() throws {
        let files = try Self.files("i_")
        #expect(files.count >= 35)
        for file in files {
            let bytes = try [UInt8](Data(contentsOf: file))
            guard let document = try? JSONParser.document(bytes: bytes) else { continue }
            let again = try JSONParser.value(document.root.text())
            #expect(again == document.root, "\(file.lastPathComponent)")
        }
    }

    @Test func `the tape takes a file exactly when the strict parser does`() throws {
        var tape = JSONTape()
        for prefix in ["y_", "n_", "i_"] {
            for file in try Self.files(prefix) {
                let bytes = try [UInt8](Data(contentsOf: file))
                let value = try? JSONParser.value(bytes: bytes)
                #expect(`JSON tape`.read(bytes, &tape) == value, "\(file.lastPathComponent)")
            }
        }
    }

    @Test func `what was accepted is written back to an equal value`() throws {
        for file in try Self.files("y_") {
            let root = try JSONParser.document(bytes: Data(contentsOf: file)).root
            for pretty in [false, true] {
                #expect(try JSONParser.value(root.text(pretty: pretty)) == root, "\(file.lastPathComponent)")
            }
        }
    }
}
