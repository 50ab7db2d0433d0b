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
        #expect(output.status == 1 && output.out.contains("a frame without a direction"))
    }

    // MARK: Drafts

    private func draft(_ notes: String) async throws -> (output: BuiltBinary.Output, check: BuiltBinary.Output) {
        let folder = try TemporaryDirectory()
        let (capture, file) = (folder.path + "/notes.txt", folder.path + "/my-server.json")
        try notes.write(toFile: capture, atomically: true, encoding: .utf8)
        let output = try await BuiltBinary.run(["dialect", "new", capture])
        try output.out.write(toFile: file, atomically: true, encoding: .utf8)
        return (output, try await BuiltBinary.run(["dialect", "check", file, "--capture", capture]))
    }

    @Test func `a draft is a dialect that maps every type of its recording`() async throws {
        let (draft, check) = try await draft(
            """
            A -> {"event":"login","data":{"token":"x"}}
            A <- {"event":"welcome","data":{"sid":"1"}}
            A -> {"event":"message","data":{"text":"hello","conversationId":"7"}}
            A <- {"event":"typing","data":{}}
            A <- {"event":"reply","data":{"text":"hi","conversationId":"7","id":"m1"}}

            """)
        #expect(draft.status == 0, "\(draft.out)\(draft.err)")
        #expect(draft.err.contains("to decide: server typing (1×)"), "\(draft.err)")
        for words in [
            "\"typeAt\": \"event\"", "\"lastUserText\": \"/data/text\"", "\"sessionId\": \"/data/conversationId\"",
            "\"text\": \"/data/text\"", "DRAFT: say what it is", "DRAFT: what stands for error",
        ] {
            #expect(draft.out.contains(words), "\(words) in \(draft.out)")
        }
        #expect(check.status == 0, "\(check.out)\(check.err)")
        #expect(check.out.contains("5 in all: 4 understood, 1 ignored"), "\(check.out)")
        #expect(check.out.contains(" entries marked DRAFT: decide each before a run"), "\(check.out)")
    }

    @Test(arguments: [
        "A -> {\"type\":\"connection_init\"}\nA <- {\"type\":\"connection_ack\"}\n",
        "A <- {\"type\":\"auth_challenge\"}\nA -> {\"type\":\"auth_response\",\"apiKey\":\"k\"}\n",
    ])
    func `every draft is sound`(notes: String) async throws {
        let (draft, check) = try await draft(notes)
        #expect(draft.status == 0 && check.status == 0, "\(draft.out)\(draft.err)\(check.out)\(check.err)")
    }

    @Test func `types are split by what tells their messages apart`() async throws {
        let (draft, check) = try await draft(
            """
            {"dir":"<","frame":{"type":"event","event":"challenge","payload":{"nonce":"n"}}}
            {"dir":">","frame":{"type":"req","id":"1","method":"connect","params":{}}}
            {"dir":">","frame":{"type":"req","id":"2","method":"chat.send","params":{"message":"hello"}}}
            {"dir":"<","frame":{"type":"event","event":"chat","payload":{"state":"delta","text":"a"}}}
            {"dir":"<","frame":{"type":"event","event":"chat","payload":{"state":"final","text":"ab"}}}

            """)
        #expect(draft.status == 0 && check.status == 0, "\(draft.out)\(draft.err)\(check.out)\(check.err)")
        for words in [
            "\"method\": \"chat.send\"", "\"/payload/state\": \"final\"", "client req chat.send → chat",
            "server event chat final → done",
        ] {
            #expect((draft.out + draft.err).contains(words), "\(words) in \(draft.out)\(draft.err)")
        }
    }

    @Test func `messages that say no type cannot be drafted from`() async throws {
        let (draft, _) = try await draft("A -> {\"id\":1,\"connect\":{}}\nA <- {\"id\":1,\"connect\":{}}\n")
        #expect(draft.status == 64 && draft.err.contains("a member with its type"), "\(draft.out)\(draft.err)")
    }

    @Test func `a recording without directions cannot be drafted from`() async throws {
        let (draft, _) = try await draft("{\"type\":\"novelty\"}\n")
        #expect(draft.status == 64)
        #expect(draft.err.contains("shows who sent it") && draft.err.contains("conformance proxy"), "\(draft.err)")
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
