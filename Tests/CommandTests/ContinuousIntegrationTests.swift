import Foundation
import Holdfast
import HoldfastJSON
import HoldfastJSONSchema
import TestSupport
import Testing

/// The action, the workflows, the manifests and the page about them.
@Suite(.enabled(if: ExamplePython.has("yaml"), "needs a Python with PyYAML: Tests/Examples/python/setup.sh"))
struct ContinuousIntegrationTests {
    private static let action = ".github/actions/conformance/action.yml"
    private static let upload = "actions/upload-artifact@ea165f8d65b6e75b540449e92b4886f43607fa02"
    private static let page = "Sources/conformance/Documentation.docc/ContinuousIntegration.md"
    private static let folder = SourceTree.root + "/Tests/ContinuousIntegration"

    // MARK: files

    /// Every YAML file below `.github`, by its path from the root.
    private func documents() async throws -> [String: [JSONValue]] {
        let walker = FileManager.default.enumerator(atPath: SourceTree.root + "/.github")
        var files: [String] = []
        while let name = walker?.nextObject() as? String {
            if name.hasSuffix(".yml") || name.hasSuffix(".yaml") { files.append("\(SourceTree.root)/.github/\(name)") }
        }
        try #require(files.count >= 8)
        let read = try await ExamplePython.run(["\(Self.folder)/yaml_to_json.py"] + files.sorted())
        try #require(read.status == 0, "\(read.output)")
        let values = try #require(try JSONParser.value(read.output).objectValue)
        return Dictionary(
            uniqueKeysWithValues: values.map {
                (String($0.key.dropFirst(SourceTree.root.count + 1)), $0.value.arrayValue ?? [])
            })
    }

    private func schema(_ name: String) throws -> Schema {
        try Schema(JSONParser.value(String(contentsOfFile: "\(Self.folder)/Schemas/\(name).json", encoding: .utf8)))
    }

    private func kind(of file: String) -> String {
        file.hasSuffix("/action.yml") ? "action" : file.contains("kubernetes") ? "kubernetes" : "workflow"
    }

    @Test func `actions, workflows and manifests pass their schemas`() async throws {
        for (file, documents) in try await documents() {
            let schema = try schema(kind(of: file))
            #expect(!documents.isEmpty, "\(file)")
            for document in documents {
                #expect(schema.violations(in: document).map(\.description) == [], "\(file)")
            }
        }
    }

    @Test func `the schemas refuse what a runner or a cluster would`() async throws {
        let documents = try await documents()
        func refuses(_ file: String, _ part: String, _ other: String) throws {
            let before = try #require(documents[file]?.first).text()
            let after = before.replacing(part, with: other)
            try #require(after != before, "\(file) does not hold \(part)")
            #expect(try !schema(kind(of: file)).isValid(JSONParser.value(after)), "\(file): \(other)")
        }
        try refuses(Self.action, #""shell":"bash","#, "")
        try refuses(Self.action, #""required":true"#, #""required":false"#)
        try refuses(Self.action, #""using":"composite""#, #""using":"node""#)
        let server = ".github/examples/server.yml"
        try refuses(server, #""runs-on":"ubuntu-24.04","#, "")
        try refuses(
            server, #""run":"make my-server""#,
            #""run":"make","uses":"actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683""#)
        try refuses(server, #""push""#, #""psuh""#)
        let shards = ".github/examples/kubernetes-shards.yaml"
        try refuses(shards, #""completions":3,"#, "")
        try refuses(shards, #""restartPolicy":"Never""#, #""restartPolicy":"Always""#)
        try refuses(shards, #""image":"registry.example/conformance:0.1.0","#, "")
        try refuses(shards, #""name":"conformance-shards""#, #""name":"Conformance_Shards""#)
    }

    // MARK: what belongs together

    @Test func `workflows hand over what the action takes, and read what is there`() async throws {
        let documents = try await documents()
        let action = try #require(documents[Self.action]?.first)
        let inputs = try #require(action["inputs"]?.objectValue)
        let required = inputs.filter { $0.value["required"] == true }.map(\.key)
        var uses = 0
        for (file, documents) in documents where kind(of: file) == "workflow" {
            for job in documents.flatMap({ $0["jobs"]?.objectValue?.map(\.value) ?? [] }) {
                for step in job["steps"]?.arrayValue ?? []
                where step["uses"]?.stringValue?.contains("/.github/actions/conformance") == true {
                    uses += 1
                    let given = Set((step["with"]?.objectValue ?? [:]).keys)
                    #expect(given.isSubset(of: inputs.keys) && given.isSuperset(of: required), "\(file): \(given)")
                }
            }
        }
        #expect(uses >= 5)
        let steps = action["runs"]?["steps"]?.arrayValue ?? []
        let ids = Set(steps.compactMap { $0["id"]?.stringValue })
        for reference in action.text().matches(of: /(steps|inputs)\.([a-z-]+)/) {
            let known = reference.1 == "steps" ? ids : Set(inputs.keys)
            #expect(known.contains(String(reference.2)), "\(reference.0)")
        }
        for step in steps {
            let call = step["run"]?.stringValue ?? ""
            guard let script = call.firstMatch(of: /GITHUB_ACTION_PATH\/([a-z]+\.sh)/) else { continue }
            let path = SourceTree.root + "/.github/actions/conformance/\(script.1)"
            #expect(FileManager.default.isExecutableFile(atPath: path), "\(path)")
        }
        for (file, documents) in documents where kind(of: file) == "kubernetes" {
            for pod in documents.compactMap({ $0["spec"]?["template"]?["spec"] }) {
                let volumes = Set(pod["volumes"]?.arrayValue?.compactMap { $0["name"]?.stringValue } ?? [])
                let mounts = pod["containers"]?[0]?["volumeMounts"]?.arrayValue ?? []
                let used = Set(mounts.compactMap { $0["name"]?.stringValue })
                #expect(!used.isEmpty && used.isSubset(of: volumes), "\(file)")
            }
        }
    }

    @Test func `the page shows the files as they are`() async throws {
        let page = try SourceTree.text(Self.page)
        let blocks = page.matches(of: /```yaml\n(?<text>(?:.*\n)*?)```/).map { String($0.output.text) }
        let folder = SourceTree.root + "/.github/examples"
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        let texts = try files.map { try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8) }
        #expect(Set(blocks) == Set(texts))
        #expect(blocks.count == files.count)
        let subject = try #require(page.firstMatch(of: /```json\n(?<text>(?:.*\n)*?)```/)?.output.text)
        let home = try TemporaryDirectory()
        try Data(subject.utf8).write(to: URL(fileURLWithPath: home.path + "/subject.json"))
        let plan = try await BuiltBinary.run(["server", "--subject", home.path + "/subject.json", "--dry-run"])
        #expect(plan.status == 0, "\(plan.err)")
    }

    // MARK: command lines

    @Test func `every command line is one that the program takes`() async throws {
        let grammar = try await CommandGrammar.built()
        var lines: [[String]] = []
        for (file, documents) in try await documents() where kind(of: file) == "kubernetes" {
            for container in documents.compactMap({ $0["spec"]?["template"]?["spec"]?["containers"]?[0] }) {
                let arguments = container["args"]?.arrayValue?.compactMap(\.stringValue) ?? []
                if container["command"] == nil { lines.append(arguments) } else { lines += commands(in: arguments[0]) }
            }
        }
        #expect(lines.count == 2)
        lines += commands(in: try SourceTree.text(Self.page))
        #expect(lines.count > 8)
        for line in lines { #expect(grammar.refusal(of: line) == nil, "conformance \(line.joined(separator: " "))") }
    }

    @Test func `the pods of Kubernetes end with 0 beside a healthy server, and so does the whole`() async throws {
        let documents = try await documents()
        func container(_ file: String) throws -> JSONValue {
            try #require(
                documents[".github/examples/kubernetes-\(file).yaml"]?.first?["spec"]?["template"]?["spec"]?[
                    "containers"]?[0])
        }
        let folder = try TemporaryDirectory()
        let here = { (text: String) in text.replacing("/results", with: folder.path + "/results") }
        let count = try #require(
            documents[".github/examples/kubernetes-shards.yaml"]?.first?["spec"]?["completions"]?.intValue)
        let shard = try container("shards")
        let command = (shard["command"]?.arrayValue ?? []).compactMap(\.stringValue)
        #expect(command == ["/bin/sh", "-c"])
        let script = try here(#require(shard["args"]?[0]?.stringValue))
        let tools = try TemporaryDirectory()
        try tools.write(binary, to: "conformance")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: tools.path + "/conformance")
        let python = """
            import os, subprocess, sys
            index, path, script = sys.argv[1:]
            os.environ.update(JOB_COMPLETION_INDEX=index, PATH=path + ":" + os.environ["PATH"])
            sys.exit(subprocess.run(["/bin/sh", "-c", script]).returncode)
            """
        for index in 0..<count {
            // Each pod has a server of its own, which asks for no token.
            let profiles = ["--profile", "core", "--profile", "sync"]
            let run = try await Serving.run(profiles, in: folder) { server in
                let script = try script.replacing("ws://127.0.0.1:8080/ws", with: server.url())
                return try await ExamplePython.run(["-c", python, "\(index)", tools.path, script])
            }.result
            #expect(run.status == 0, "\(run.output)")
            #expect(
                FileManager.default.fileExists(atPath: "\(folder.path)/results/shard-\(index)/report.json"),
                "\(run.output)")
        }
        let arguments = (try container("whole")["args"]?.arrayValue ?? []).compactMap(\.stringValue).map(here)
        let whole = try await BuiltBinary.run(arguments)
        #expect(whole.status == 0, "\(whole.out)\(whole.err)")
        #expect(whole.out.hasPrefix("conforms"), "\(whole.out)")
        #expect(FileManager.default.fileExists(atPath: folder.path + "/results/whole/junit.xml"))
    }

    /// The arguments of each `conformance` in the lines of a script.
    private func commands(in script: String) -> [[String]] {
        script.replacing("\\\n", with: "").split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ").map(String.init)
            let starts = words.indices.filter { ["conformance", "./conformance.sh"].contains(words[$0]) }
            // The image is called as its program is.
            guard let start = starts.last, start == 0 || words.starts(with: ["docker", "run"]) else { return nil }
            return Array(words[(start + 1)...].prefix { !["||", "|", "#", ">", "&&"].contains($0) })
        }
    }

    // MARK: the steps of the action

    /// Runs the shell steps of the action in a folder, with programs that come first on the path.
    private func run(
        _ inputs: [String: String], in folder: TemporaryDirectory, tools: [String: String],
        environment: [String: String] = [:]
    ) async throws -> JSONValue {
        var action = try #require(try await documents()[Self.action]?.first)
        action["path"] = .string(SourceTree.root + "/.github/actions/conformance")
        let given = JSONValue.object(
            JSONObject(inputs.sorted { $0.key < $1.key }.map { (key: $0.key, value: JSONValue.string($0.value)) }))
        try folder.write(action.text(), to: "action.json")
        try folder.write(given.text(), to: "inputs.json")
        let (bin, work) = (folder.path + "/bin", folder.path + "/work")
        for path in [bin, work] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        for (name, text) in tools {
            try folder.write(text, to: "bin/\(name)")
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: "\(bin)/\(name)")
        }
        let variables = JSONValue.object(
            JSONObject(environment.sorted { $0.key < $1.key }.map { (key: $0.key, value: JSONValue.string($0.value)) }))
        let program = [
            "import os, runpy, sys", "os.environ['PATH'] = sys.argv[1] + ':/usr/bin:/bin'",
            "os.environ.update(\(variables.text()))", "sys.argv = sys.argv[2:]", "runpy.run_path(sys.argv[0])",
        ].joined(separator: "\n")
        let outcome = try await ExamplePython.run([
            "-c", program, bin, "\(Self.folder)/run_action.py", folder.path + "/action.json",
            folder.path + "/inputs.json", work,
        ])
        return try #require(try? JSONParser.value(outcome.output), "\(outcome.output)")
    }

    private var binary: String { "#!/bin/sh\nexec '\(BuiltBinary.path)' \"$@\"\n" }

    @Test func `the action tests a server, tells, keeps the report and the exit code`() async throws {
        let folder = try TemporaryDirectory()
        let subject: JSONValue = [
            "name": "reference", "url": "ws://127.0.0.1:{port}/ws", "profiles": ["core"],
            "start": ["command": [.string(BuiltBinary.path), "serve", "--port", "{port}"]],
        ]
        try folder.write(subject.text(), to: "subject.json")
        let inputs = [
            "mode": "server", "subject": folder.path + "/subject.json", "out": folder.path + "/out",
            "arguments": "--only\nENV-1\n--jobs\n2\n", "formats": "tap=\(folder.path)/out/report.tap", "shard": "1/1",
        ]
        let result = try await run(inputs, in: folder, tools: ["conformance": binary])
        #expect(result["status"] == 0, "\(result)")
        #expect(result["outputs"] == ["exit-code": "0", "artifact": "conformance-server-shard-1"])
        #expect(result["summary"]?.stringValue?.contains("conforms") == true, "\(result)")
        let steps = result["steps"]?.arrayValue ?? []
        let names: [String] = steps.map { $0["id"]?.stringValue ?? $0["uses"]?.stringValue ?? "" }
        #expect(names == ["find", "run", Self.upload])
        #expect(steps.last?["with"]?["path"]?.stringValue == folder.path + "/out")
        #expect(
            steps[1]["log"]?.stringValue?.contains("\n::notice title=Holdfast::shard 1 of 1") == true, "\(steps[1])")
        for file in ["report.json", "report.html", "junit.xml", "summary.md", "report.tap"] {
            #expect(FileManager.default.fileExists(atPath: "\(folder.path)/out/\(file)"), "\(file)")
        }
    }

    @Test func `a change that breaks somebody fails the step, and so does an input that cannot be used`() async throws {
        let folder = try TemporaryDirectory()
        var small = SmallProtocol()
        try small.write(to: folder.path + "/before")
        small.replace("A server MUST send the", by: "A server SHOULD send the", in: "Spec/clauses/ORDER.md")
        try small.write(to: folder.path + "/after")
        let inputs = [
            "mode": "gate", "subject": folder.path + "/before", "arguments": folder.path + "/after",
            "out": folder.path + "/out",
        ]
        let result = try await run(inputs, in: folder, tools: ["conformance": binary])
        #expect(result["status"] == 1, "\(result)")
        #expect(result["outputs"]?["exit-code"] == "1")
        #expect(result["summary"]?.stringValue?.hasPrefix("**NOT COMPATIBLE: ") == true)
        #expect(result["steps"]?[1]?["log"]?.stringValue?.contains("::error file=Spec/clauses/ORDER.md,line=8") == true)
        // The reports are kept all the same.
        #expect(result["steps"]?.arrayValue?.last?["uses"]?.stringValue == Self.upload)
        let wrong = try await run(
            ["mode": "sevrer", "subject": "x", "out": folder.path + "/none"], in: TemporaryDirectory(),
            tools: ["conformance": binary])
        #expect(wrong["status"] == 64)
        #expect(wrong["steps"]?.arrayValue?.count == 2)
        let early = try await run(
            ["mode": "server", "subject": folder.path + "/none.json", "out": folder.path + "/none"],
            in: TemporaryDirectory(), tools: ["conformance": binary])
        #expect(early["status"] == 64)
        #expect(early["summary"]?.stringValue?.contains("ended with 64 before there was a report") == true)
    }

    @Test func `a program is built where that is asked for, and every mode calls it as it can be called`() async throws
    {
        let grammar = try await CommandGrammar.built()
        // A toolchain that builds a program that notes how it was called.
        let swift = """
            #!/bin/sh
            here="$(dirname "$0")"
            case "$*" in
                *--show-bin-path) echo "$here/built" ;;
                *) mkdir -p "$here/built"
                   printf '#!/bin/sh\\nprintf "%%s\\\\n" "$@" >"%s/called"\\n' "$here" >"$here/built/conformance"
                   chmod +x "$here/built/conformance" ;;
            esac

            """
        for (mode, shard) in [("server", "2/3"), ("client", "/4"), ("gate", ""), ("merge", "")] {
            let folder = try TemporaryDirectory()
            let inputs = [
                "mode": mode, "subject": "one", "baseline": "known.json", "shard": shard, "out": folder.path + "/out",
                "source": "true", "artifact": "mine",
            ]
            let result = try await run(inputs, in: folder, tools: ["swift": swift])
            #expect(result["status"] == 0, "\(result)")
            #expect(result["outputs"]?["artifact"] == "mine")
            let called = try folder.text(of: "bin/called").split(separator: "\n").map(String.init)
            #expect(grammar.refusal(of: called) == nil, "\(called)")
            #expect(called.contains("known.json") && called.contains("one"))
        }
    }

    /// A release of a program for every system, and the variable that says where it is.
    private func release(_ program: String, in folder: TemporaryDirectory) async throws -> [String: String] {
        let place = folder.path + "/releases/v0.1.0"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        try folder.write(program, to: "conformance")
        let script = """
            import glob, hashlib, tarfile
            def owned(entry):
                entry.mode = 0o755
                return entry
            for system in "linux-x86_64", "linux-aarch64", "macos-arm64", "macos-x86_64":
                with tarfile.open("\(place)/conformance-0.1.0-" + system + ".tar.gz", "w:gz") as archive:
                    archive.add("\(folder.path)/conformance", "program/conformance", filter=owned)
            with open("\(place)/SHA256SUMS", "w") as sums:
                for name in glob.glob("\(place)/*.tar.gz"):
                    digest = hashlib.sha256(open(name, "rb").read()).hexdigest()
                    sums.write(digest + "  " + name.split("/")[-1] + "\\n")
            """
        let packed = try await ExamplePython.run(["-c", script])
        try #require(packed.status == 0, "\(packed.output)")
        return ["HOLDFAST_RELEASES": "file://\(folder.path)/releases"]
    }

    @Test func `a released program is taken by its checksum, and no other`() async throws {
        let folder = try TemporaryDirectory()
        let place = try await release("#!/bin/sh\necho released\n", in: folder)
        let inputs = ["mode": "server", "subject": "subject.json", "out": folder.path + "/out"]
        let result = try await run(inputs, in: folder, tools: [:], environment: place)
        #expect(result["status"] == 0, "\(result)")
        #expect(result["steps"]?[1]?["log"]?.stringValue?.contains("released") == true, "\(result)")
        for (input, value, words) in [
            ("checksum", String(repeating: "0", count: 64), "is not what was released"),
            ("version", "9.9.9", "cannot download"),
        ] {
            let other = try TemporaryDirectory()
            let refused = try await run(
                inputs.merging([input: value]) { $1 }, in: other, tools: [:], environment: place)
            #expect(refused["status"] == 69, "\(refused)")
            #expect(refused["steps"]?[0]?["log"]?.stringValue?.contains(words) == true, "\(refused)")
        }
    }

    @Test(.enabled("needs Node 20 or later") { await ExampleTool.has("node") })
    func `a released program tests a server in Node where there is no Swift`() async throws {
        let folder = try TemporaryDirectory()
        let place = try await release(binary, in: folder)
        let some = ["AUTH", "PERSIST-2", "server/PERSIST/post-then-read"].map { "--only\n\($0)" }
        let inputs = [
            "mode": "server", "subject": SourceTree.root + "/Tests/Examples/node/subject.json",
            "out": folder.path + "/out",
            "arguments": ExampleTool.isWholeSuite ? "--strict" : some.joined(separator: "\n"),
        ]
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let tools = [
            "node": "#!/bin/sh\nexec env PATH='\(path)' node \"$@\"\n",
            // Where there is one after all, nothing comes of it.
            "swift": "#!/bin/sh\necho 'there is no Swift here'\nexit 127\n",
        ]
        let result = try await run(inputs, in: folder, tools: tools, environment: place)
        #expect(result["status"] == 0, "\(result)")
        #expect(result["outputs"]?["exit-code"] == "0")
        #expect(result["summary"]?.stringValue?.contains("conforms") == true, "\(result)")
        #expect(FileManager.default.fileExists(atPath: folder.path + "/out/report.json"))
    }

    @Test func `a release is looked for where the action comes from`() async throws {
        let folder = try TemporaryDirectory()
        let curl = "#!/bin/sh\necho \"$*\" >&2\nexit 6\n"
        let result = try await run(
            ["mode": "server", "subject": "subject.json", "out": folder.path + "/out"], in: folder,
            tools: ["curl": curl],
            environment: ["GITHUB_REPOSITORY": "o/n"])
        #expect(result["status"] == 69, "\(result)")
        let log = result["steps"]?[0]?["log"]?.stringValue ?? ""
        #expect(log.contains("cannot download https://github.com/o/n/releases/download/v"), "\(log)")
    }

    @Test func `the summary is one comment on the pull request, rewritten by later runs`() async throws {
        let gh = """
            #!/bin/sh
            here="$(dirname "$0")"
            echo "$*" >>"$here/asked"
            case "$*" in *--paginate*) cat "$here/known" ;; esac

            """
        func comments(_ known: (id: Int, isOwn: Bool, body: String)...) -> String {
            let nodes = known.map {
                #"{"databaseId": \#($0.id), "viewerDidAuthor": \#($0.isOwn), "body": "\#($0.body)"}"#
            }
            return
                #"{"data": {"repository": {"pullRequest": {"comments": {"nodes": [\#(nodes.joined(separator: ", "))]}}}}}"#
        }
        let mark = "<!-- holdfast: conformance-server -->"
        for (known, expected) in [
            (comments(), "--method POST"),
            (comments((7, true, "another"), (77, true, mark)), "--method PATCH repos/o/n/issues/comments/77"),
            // Anybody may write the mark.
            (comments((66, false, mark)), "--method POST"),
        ] {
            let folder = try TemporaryDirectory()
            try folder.write(#"{"pull_request": {"number": 5}}"#, to: "event.json")
            let program = "#!/bin/sh\nmkdir -p '\(folder.path)/out'\necho '# said' >'\(folder.path)/out/summary.md'\n"
            let result = try await run(
                ["mode": "server", "subject": "subject.json", "out": folder.path + "/out", "comment": "true"],
                in: folder,
                tools: ["conformance": program, "gh": gh, "known": known],
                environment: ["GITHUB_EVENT_PATH": folder.path + "/event.json", "GITHUB_REPOSITORY": "o/n"])
            #expect(result["status"] == 0, "\(result)")
            #expect(try folder.text(of: "bin/asked").contains(expected), "\(result)")
            let body = try folder.text(of: "work/holdfast-comment.md")
            #expect(body.hasPrefix("<!-- holdfast: conformance-server -->\n# said"), "\(body)")
        }
    }

    @Test(arguments: [
        ("gh", "plain", "<!-- holdfast: plain -->"),
        ("", "a --> <b> $x", "<!-- holdfast: a%20--%3E%20%3Cb%3E%20%24x -->"),
    ])
    func `no comment is no failure, and a name stays inside its mark`(
        missing: String, artifact: String, mark: String
    ) async throws {
        let folder = try TemporaryDirectory()
        try folder.write(#"{"pull_request": {"number": 5}}"#, to: "event.json")
        try folder.write("# said\n", to: "summary.md")
        let tools = ["bash", "jq", "head"] + (missing == "gh" ? [] : ["gh"])
        let script = """
            set -e
            mkdir -p '\(folder.path)/bin'
            printf '#!/bin/sh\\nexit 4\\n' >'\(folder.path)/bin/gh.sh'
            chmod +x '\(folder.path)/bin/gh.sh'
            for tool in \(tools.joined(separator: " ")); do
                if [ "$tool" = gh ]; then ln -s gh.sh '\(folder.path)/bin/gh'; else ln -s "$(command -v $tool)" '\(folder.path)/bin/'; fi
            done
            PATH='\(folder.path)/bin' OUT='\(folder.path)' RUNNER_TEMP='\(folder.path)' GITHUB_REPOSITORY=o/n \\
                GITHUB_EVENT_PATH='\(folder.path)/event.json' ARTIFACT="$1" \(SourceTree.root)/.github/actions/conformance/comment.sh
            """
        try folder.write(script, to: "run.sh")
        let python =
            "import subprocess, sys; sys.exit(subprocess.run(['bash', '\(folder.path)/run.sh', sys.argv[1]]).returncode)"
        let run = try await ExamplePython.run(["-c", python, artifact])
        #expect(run.status == 0, "\(run)")
        #expect(run.output.contains("::warning title=conformance::"), "\(run)")
        if missing.isEmpty { #expect(try folder.text(of: "holdfast-comment.md").hasPrefix(mark + "\n")) }
    }

    @Test func `the image is built of what is there, and runs as nobody in particular`() throws {
        let lines = try SourceTree.text(".github/Containerfile").split(separator: "\n").map(String.init)
        let copied = lines.filter { $0.hasPrefix("COPY ") && !$0.contains("--from") }
            .flatMap { $0.split(separator: " ").dropFirst().dropLast() }
        #expect(copied.count >= 5)
        for path in copied { #expect(FileManager.default.fileExists(atPath: "\(SourceTree.root)/\(path)"), "\(path)") }
        let last = try #require(lines.lastIndex { $0.hasPrefix("FROM ") })
        #expect(lines.filter { $0.hasPrefix("FROM ") }.count == 2 && lines[last].hasSuffix("-slim"))
        let user = try #require(lines[last...].first { $0.hasPrefix("USER ") })
        #expect(!user.contains("root") && !user.contains(" 0"))
        #expect(lines[last...].contains(#"ENTRYPOINT ["conformance"]"#))
    }
}
