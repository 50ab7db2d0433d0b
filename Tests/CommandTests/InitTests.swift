import Foundation
import Holdfast
import HoldfastSuite
import TestSupport
import Testing

/// The files that a project begins with.
@Suite struct InitTests {
    private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    @Test func `answers become a subject file and a workflow, and the first command is shown`() async throws {
        let folder = try TemporaryDirectory()
        let answers = "nonsense://x\nws://127.0.0.1:8080/ws\nCHAT_TOKEN\nsync\n\n"
        let run = try await BuiltBinary.run(["init", "--out", folder.path], input: answers)
        #expect(run.status == 0, "\(run.out)\(run.err)")
        #expect(run.out.contains("conformance doctor --subject \(folder.path)/subject.json"))
        #expect(run.out.contains("export CHAT_TOKEN=…") && run.out.contains("start it first, in CI too"))
        let file = try SubjectFile(text(folder.path + "/subject.json"), file: "subject.json")
        #expect(file.url == "ws://127.0.0.1:8080/ws" && file.profiles == [.core, .sync] && file.name == nil)
        #expect(file.principals == [.init(name: "p1", token: .variable("CHAT_TOKEN"))])
        let workflow = try text(folder.path + "/.github/workflows/conformance.yml")
        #expect(
            workflow.contains("          CHAT_TOKEN: ${{ secrets.CHAT_TOKEN }}\n      - uses: actions/upload-artifact@")
        )
        #expect(workflow.contains("      - run: git clone -q ") && workflow.contains("holdfast/conformance.sh server"))
        let second = try await BuiltBinary.run(["init", "ws://127.0.0.1:8080/ws", "--out", folder.path])
        #expect(second.status == 64)
        #expect(second.err.contains("subject.json: the file exists"))
        #expect(second.err.contains("conformance.yml: the file exists"))
        #expect(try text(folder.path + "/subject.json").contains("CHAT_TOKEN"))
    }

    @Test func `with flags nothing is asked, and a command to start stands in the file`() async throws {
        let folder = try TemporaryDirectory()
        let run = try await BuiltBinary.run([
            "init", "--start", "./my-server --port {port}", "--ci", "gitlab", "--out", folder.path,
        ])
        #expect(run.status == 0 && !run.out.contains("?"), "\(run.out)\(run.err)")
        let file = try SubjectFile(text(folder.path + "/subject.json"), file: "subject.json")
        #expect(file.start?.command == ["./my-server", "--port", "{port}"] && file.profiles == nil)
        #expect(try text(folder.path + "/.gitlab/conformance.yml").contains("junit: results/junit.xml"))
    }

    @Test func `a CI gets the release that the program came from`() throws {
        var setup = ProjectSetup()
        try setup.take(url: "ws://x/ws")
        setup.origin = .release(url: "https://h/o/n/releases/download/v0.1.0")
        let workflow = try #require(setup.files.last?.text)
        #expect(
            workflow.contains(
                "curl -fsSL https://h/o/n/releases/download/v0.1.0/conformance-\(toolVersion)-linux-x86_64.tar.gz | tar -xz"
            ))
        #expect(workflow.contains("run: holdfast/conformance server --subject") && setup.missing == nil)
        setup.origin = .checkout(repository: "https://h/o/n", revision: "abc")
        let built = try #require(setup.files.last?.text)
        #expect(built.contains("git clone -q https://h/o/n holdfast && git -C holdfast checkout -q abc\n"))
        #expect(built.contains("    container: swift:6.3-noble\n    steps:"), "\(built)")
        setup.origin = .checkout(repository: nil, revision: "")
        #expect(setup.files.last?.text.contains("git clone -q \"$HOLDFAST_REPOSITORY\" holdfast\n") == true)
        #expect(setup.missing != nil)
    }

    @Test(arguments: [
        ("[remote \"origin\"]\n\turl = https://h/o/n\n", "https://h/o/n"),
        ("[remote \"other\"]\n\turl = https://h/o/n\n", nil),
        ("[remote \"origin\"]\n\turl = https://me:secret@h/o/n\n", nil),
        ("[remote \"origin\"]\n\turl = /srv/holdfast\n", nil),
        ("[remote \"origin\"]\n\turl = https://h/o/n?token=secret\n", nil),
        ("[remote \"origin\"]\n\turl = https://h/o/${{secrets.TOKEN}}\n", nil),
    ])
    func `the repository is one that others can clone`(configuration: String, url: String?) {
        #expect(GitOrigin.url(in: configuration) == url)
    }

    @Test(arguments: [
        (["init"], "standard input ended"), (["init", "ftp://x/"], "not the address of a WebSocket"),
        (["init", "ws://x/ws", "--token-env", "ey.secret"], "that is not a variable name"),
        (["init", "ws://x/ws", "--token-env", "eysecret1"], "no variable of that name is set"),
        (["init", "ws://me:ey.secret@x/ws"], "'ws://…@x/ws' is not the address"),
        (["init", "ws://x/ws?key=ey.secret"], "'ws://x/ws' has a query, which may hold a token"),
        (["init", "http://x/ws?key=ey.secret"], "'ws://x/ws' has a query, which may hold a token"),
        (["init", "ws://x/ws", "--profile", "synk"], "did you mean 'sync'?"),
        (["init", "ws://x/ws", "--ci", "githup"], "did you mean 'github'?"),
    ])
    func `what cannot be used is said, and nothing is written`(arguments: [String], words: String) async throws {
        let folder = try TemporaryDirectory()
        let run = try await BuiltBinary.run(arguments + ["--out", folder.path])
        #expect(run.status == 64, "\(run.out)")
        #expect(run.err.contains(words), "\(run.err)")
        #expect(!run.err.contains("ey.secret") && !run.err.contains("eysecret"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test func `where one file cannot be written none is`() async throws {
        let folder = try TemporaryDirectory()
        try folder.write("no folder", to: ".github")
        let run = try await BuiltBinary.run(["init", "ws://x/ws", "--out", folder.path])
        #expect(run.status == 64, "\(run.out)\(run.err)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [".github"])
    }

    @Test func `what was given as the name of a variable is not printed`() async throws {
        let run = try await BuiltBinary.run(["doctor", "ws://127.0.0.1:9/ws", "--token-env", "eysecret"])
        #expect(run.status == 64, "\(run.out)\(run.err)")
        #expect(run.err.contains("--token-env") && !run.err.contains("eysecret"), "\(run.err)")
    }
}
