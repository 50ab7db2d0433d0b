import Foundation
import HoldfastJSON
import Subprocess
import TestSupport
import Testing

/// `conformance gate` on folders and on revisions of a repository made for the test.
@Suite struct GateCommandTests {
    /// A git that knows nothing of the person who runs the tests.
    private func git(_ arguments: [String], in folder: String) async throws {
        let outcome = try await Subprocess.run(
            .name("git"),
            arguments: Arguments(
                ["-C", folder, "-c", "user.name=t", "-c", "user.email=t@example", "-c", "commit.gpgsign=false"]
                    + arguments),
            environment: .inherit.updating([
                "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "GIT_DIR": nil, "GIT_WORK_TREE": nil,
            ]), output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
        #expect(outcome.terminationStatus == .exited(0), "git \(arguments): \(outcome.standardError)")
    }

    @Test func `revisions are read from the repository, and nothing is checked out`() async throws {
        let folder = try TemporaryDirectory()
        var small = SmallProtocol()
        try small.write(to: folder.path)
        try await git(["init", "-q", "-b", "main"], in: folder.path)
        try await git(["add", "-A"], in: folder.path)
        try await git(["commit", "-q", "-m", "first"], in: folder.path)
        try await git(["tag", "v1.0"], in: folder.path)

        let same = try await BuiltBinary.run(["gate", "v1.0", "--repository", folder.path])
        #expect(same.status == 0, "\(same.err)")
        #expect(same.out.hasPrefix("COMPATIBLE: v1.0 → ., version 1.0: nothing changed\n"))

        small.replace("A server MUST send the", by: "A server SHOULD send the", in: "Spec/clauses/ORDER.md")
        try small.write(to: folder.path)
        let report = folder.path + "/report.json"
        let broken = try await BuiltBinary.run([
            "gate", "v1.0", ".", "--repository", folder.path, "--format", "json=\(report)", "--format", "github=-",
        ])
        #expect(broken.status == 1)
        #expect(
            broken.out.hasPrefix(
                "NOT COMPATIBLE: v1.0 → ., version 1.0: 1 breaking change for clients; 2 versioning rules"))
        #expect(
            broken.out.contains(
                "\n::error file=Spec/clauses/ORDER.md,line=8,title=ORDER-3 is now a SHOULD%2C was a MUST (Spec/"))
        let value = try JSONParser.value(folder.text(of: "report.json"))
        #expect(value["findings"]?[0]?["rule"] == "clause-weakened")

        // Both states may be revisions, of a folder inside the repository too.
        small.release("2.0", saying: "ORDER-3 is a SHOULD.")
        try small.write(to: folder.path + "/protocol")
        try await git(["add", "-A", "protocol"], in: folder.path)
        try await git(["commit", "-q", "-m", "second"], in: folder.path)
        let announced = try await BuiltBinary.run([
            "gate", "v1.0", "HEAD:protocol", "--repository", folder.path, "--format", "markdown=-",
        ])
        #expect(announced.status == 0, "\(announced.out)")
        #expect(announced.out.hasPrefix("**ALLOWED: v1.0 → HEAD:protocol, 1.0 → 2.0: 1 breaking change announced"))
        #expect(announced.out.contains("\n## 2.0\n\n### Breaking\n\n- ORDER-3 is now a SHOULD, was a MUST."))
    }

    @Test func `what cannot be read is named, and nothing is written`() async throws {
        let folder = try TemporaryDirectory()
        try SmallProtocol().write(to: folder.path + "/protocol")
        let spec = folder.path + "/protocol"
        let report = folder.path + "/report.json"
        let here = ["--repository", folder.path, "--format", "json=\(report)"]
        let none = try await BuiltBinary.run(["gate", "v9", spec] + here)
        #expect(none.status == 64)
        #expect(none.err.hasPrefix("v9: is not a folder with Spec/, and this is not a git repository"))
        try await git(["init", "-q"], in: folder.path)
        let unknown = try await BuiltBinary.run(["gate", "v9", spec] + here)
        #expect(unknown.status == 64)
        #expect(unknown.err.hasPrefix("v9: the repository has no revision 'v9'\n  expected: a folder with Spec/"))
        let noGit = try await BuiltBinary.run(["gate", "v9", spec] + here, environment: ["PATH": folder.path])
        #expect(noGit.status == 64)
        #expect(noGit.err.contains("git cannot be started to look for a revision"))
        let form = try await BuiltBinary.run(["gate", spec, spec, "--format", "jnit=x"])
        #expect(form.status == 64)
        #expect(
            form.err == """
                --format: there is no format 'jnit'
                  expected: json, junit, github, sarif, markdown
                  fix: did you mean 'junit'?

                """)
        let archive = try await BuiltBinary.run(["gate", spec, spec, "--archive", folder.path + "/none"])
        #expect(archive.status == 64)
        try Data("| broken".utf8).write(to: URL(fileURLWithPath: spec + "/Spec/clauses/SYNC.md"))
        let broken = try await BuiltBinary.run(["gate", spec, spec] + here)
        #expect(broken.status == 64)
        #expect(broken.err.contains("\(spec): Spec/clauses/SYNC.md:1:1: no clause found"))
        #expect(!FileManager.default.fileExists(atPath: report))
    }

    @Test func `a comparison that cannot be made leaves no report of another, and an annotation`() async throws {
        let folder = try TemporaryDirectory()
        let spec = folder.path + "/protocol"
        try SmallProtocol().write(to: spec)
        let report = folder.path + "/gate.json"
        let annotations = folder.path + "/gate.txt"
        let formats = ["--format", "json=\(report)", "--format=github=\(annotations)"]
        #expect(try await BuiltBinary.run(["gate", spec, spec] + formats).status == 0)
        #expect(FileManager.default.fileExists(atPath: report))
        let failed = try await BuiltBinary.run(["gate", spec, folder.path + "/none"] + formats)
        #expect(failed.status == 64)
        #expect(!FileManager.default.fileExists(atPath: report))
        #expect(try folder.text(of: "gate.txt").hasPrefix("::error title=conformance gate ended with 64::"))
        // A flag that the parser refuses ends alike.
        #expect(try await BuiltBinary.run(["gate", spec, spec] + formats).status == 0)
        #expect(try await BuiltBinary.run(["gate", spec, spec, "--fail-on", "nothing"] + formats).status == 64)
        #expect(!FileManager.default.fileExists(atPath: report))
        #expect(try folder.text(of: "gate.txt").hasPrefix("::error title=conformance gate ended with 64::"))
    }

    @Test func `rules are listed, explained and weighed`() async throws {
        let folder = try TemporaryDirectory()
        let list = try await BuiltBinary.run(["gate", "--rules"])
        #expect(list.status == 0)
        #expect(list.out.contains("\ntimeout-tightened\terror\tbreaks the side it binds\t"))
        let rule = try await BuiltBinary.run(["explain", "timeout-tightened"])
        #expect(rule.out.hasPrefix("timeout-tightened (a rule of the gate; default severity: error)"))
        var small = SmallProtocol()
        try small.write(to: folder.path + "/old")
        small.replace("A server SHOULD answer", by: "A server SHOULD reply", in: "Spec/clauses/RATE.md")
        small.release("1.1", saying: "RATE-2 says reply.")
        try small.write(to: folder.path + "/new")
        let states = ["gate", folder.path + "/old", folder.path + "/new"]
        #expect(try await BuiltBinary.run(states).status == 0)
        #expect(try await BuiltBinary.run(states + ["--fail-on", "warning"]).status == 1)
        let file = folder.path + "/severities.json"
        try Data(
            #"{"format":"holdfast-gate-severities","version":1,"severities":{"clause-reworded":"information"}}"#.utf8
        ).write(to: URL(fileURLWithPath: file))
        #expect(
            try await BuiltBinary.run(states + ["--fail-on", "warning", "--severities", file]).status == 0)
        #expect(try await BuiltBinary.run(["gate"]).status == 64)
    }
}
