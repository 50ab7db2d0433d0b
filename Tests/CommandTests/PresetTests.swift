import Foundation
import HoldfastJSON
import HoldfastTransport
import TestSupport
import Testing

@Suite struct PresetTests {
    @Test func `serve speaks the wire of a preset, and null ends the process`() async throws {
        let folder = try TemporaryDirectory()
        let (frames, output) = try await Serving.run(["--preset", "nami"], in: folder) { serving in
            let url = try serving.url() + "?key=" + serving.token()
            let connection = try await WebSocketConnection.open(try Endpoint(url))
            try await connection.send(text: #"{"type":"ping"}"#)
            var frames: [String] = []
            while let arrival = try await connection.next(within: .seconds(20), "the end") {
                guard case .text(let text) = arrival.event else { break }
                frames.append(text)
                try await connection.send(text: "null")
            }
            return frames
        }
        #expect(frames == [#"{"type":"pong"}"#])
        #expect(output.err.contains("a defect ended this process"))
        #expect(output.status == 1)
        let subject = try JSONParser.value(String(contentsOfFile: output.subjectFile(in: folder), encoding: .utf8))
        #expect(subject["dialect"]?.stringValue == "nami")
        #expect(subject["profiles"]?.arrayValue?.map(\.stringValue) == ["core", "auth"])
    }

    @Test func `a preset speaks its own dialect and no other`() async throws {
        let run = try await BuiltBinary.run(["serve", "--preset", "nami", "--dialect", "adjutant"])
        #expect(run.status == 64)
        #expect(run.err.hasPrefix("--preset: 'nami' does not speak 'adjutant'\n  expected: its own dialect\n"))
        let unknown = try await BuiltBinary.run(["serve", "--preset", "namo"])
        #expect(unknown.status == 64)
        #expect(unknown.err.contains("did you mean 'nami'?"))
    }
}

extension BuiltBinary.Output {
    /// The subject file that a server wrote there.
    fileprivate func subjectFile(in folder: TemporaryDirectory) throws -> String {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        return folder.path + "/" + (names.first { $0.hasPrefix("subject-") } ?? "no subject file")
    }
}
