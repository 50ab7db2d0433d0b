import Foundation
import TestSupport
import Testing

/// `conformance dialect`: lists, shows, and checks captures.
@Suite struct DialectCommandTests {
    @Test func `a check tells what it cannot map, and ends with 1`() async throws {
        let folder = try TemporaryDirectory()
        let notes = folder.path + "/notes.txt"
        try """
        A -> {"type":"ping"}
        A <- {"type":"pong"}
        A <- {"type":"notification","title":"T"}
        A <- {"type":"novelty"}
        """.write(toFile: notes, atomically: true, encoding: .utf8)
        let output = try await BuiltBinary.run(["dialect", "check", "nami", "--capture", notes])
        #expect(output.status == 1)
        #expect(output.out.contains("NOT MAPPED  1×    server novelty"))
        #expect(output.out.contains("4 in all: 2 understood, 1 ignored, 1 NOT MAPPED"))
    }

    @Test func `a bare frame of an unknown type is none that a check passes over`() async throws {
        let folder = try TemporaryDirectory()
        let frames = folder.path + "/frames.ndjson"
        try "{\"type\":\"pong\"}\n{\"type\":\"novelty\"}\n".write(toFile: frames, atomically: true, encoding: .utf8)
        let output = try await BuiltBinary.run(["dialect", "check", "nami", "--capture", frames])
        #expect(output.status == 1 && output.out.contains("nothing tells the direction"))
    }

    @Test func `a bad file is refused with its line`() async throws {
        let folder = try TemporaryDirectory()
        let file = folder.path + "/bad.json"
        try "{\n  \"name\": \"Bad\"\n}".write(toFile: file, atomically: true, encoding: .utf8)
        let output = try await BuiltBinary.run(["dialect", "check", file])
        #expect(output.status == 64)
        #expect(output.err.contains("bad.json:2:11 /name: found 'Bad'"))
    }

    @Test func `what is shown can be checked`() async throws {
        let folder = try TemporaryDirectory()
        let file = folder.path + "/mine.json"
        let shown = try await BuiltBinary.run(["dialect", "show", "adjutant"])
        #expect(shown.status == 0)
        try shown.out.write(toFile: file, atomically: true, encoding: .utf8)
        #expect(try await BuiltBinary.run(["dialect", "check", file]).status == 0)
        let list = try await BuiltBinary.run(["dialect", "list"])
        #expect(list.out.contains("nami") && list.out.contains("canonical"))
    }
}
