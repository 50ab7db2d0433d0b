import Holdfast
import HoldfastJSON
import HoldfastSmallFoundation
import HoldfastStage
import HoldfastTransport

/// The first files of a project that tests its server in CI: a subject file, and the CI file.
package struct ProjectSetup: Sendable {
    package enum CI: String, Sendable, CaseIterable {
        case github, gitlab, none
    }

    /// The address of the server; nil if the suite starts it.
    package var url: String?
    package var start: [String] = []
    /// Its name in reports; if nil, reports use its address.
    package var name: String?
    /// The profiles it declares; if empty, those in its greeting apply.
    package var profiles: [String] = []
    /// The variables that hold the tokens of p1, p2 and so on.
    package var tokenVariables: [String] = []
    package var ci = CI.github
    package var origin = Origin.checkout(repository: nil, revision: "")

    /// The source from which the CI system gets this program.
    package enum Origin: Sendable, Equatable {
        /// The files of a release, at the address of their folder.
        case release(url: String)
        /// A repository and a revision, which the CI job clones and builds; nil and empty if unknown.
        case checkout(repository: String?, revision: String)
    }

    package init() {}

    // MARK: answers

    /// Sets the address of a server, or its start command.
    package mutating func take(location text: String) throws(InputProblem) {
        let address = Endpoint.webSocketURL(text)
        if address.hasPrefix("ws://") || address.hasPrefix("wss://") { return try take(url: address) }
        if text.prefix(while: { !$0.isWhitespace }).contains("://") {
            throw InputProblem(
                "address", "'\(Endpoint.shown(text))' is not the address of a WebSocket",
                expected: "ws:// or wss://, a host and a path", fix: "write it with ws://")
        }
        try take(start: text)
    }

    package mutating func take(url text: String) throws(InputProblem) {
        let text = Endpoint.webSocketURL(text)
        do {
            let endpoint = try Endpoint(text.replacing("{port}", with: "1"))
            guard endpoint.isWebSocket else { throw TransportProblem(.badURL(reason: "not a WebSocket URL"), at: text) }
        } catch {
            throw InputProblem(
                "url", "'\(Endpoint.shown(text))' is not the address of a WebSocket",
                expected: "such as ws://127.0.0.1:8080/ws", fix: "correct it")
        }
        guard !text.contains("?") else {
            throw InputProblem(
                "url", "'\(Endpoint.shown(text))' has a query, which may hold a token",
                expected: "a URL without secrets",
                fix: "remove it and use --token-env for the token, or add it to subject.json by hand"
            )
        }
        url = text
    }

    package mutating func take(start text: String) throws(InputProblem) {
        guard let words = try? ShellWords(text).words, !words.isEmpty else {
            throw InputProblem(
                "--start", "'\(clipped(text))' is not a command line", expected: "a program and its arguments",
                fix: "for example './my-server --port {port} --data {data}'")
        }
        start = words
    }

    /// Sets the names of variables that hold tokens; `isSet` tells whether a variable exists.
    package mutating func take(
        tokenVariables names: [String], isSet: (String) -> Bool
    ) throws(InputProblem) {
        for name in names {
            let isName = ShellWords.isVariable(name)
            // An invalid name, or an unset one unlike CHAT_TOKEN, may be the token itself: do not repeat it.
            let looksLikeVariable = name.allSatisfy { $0 == "_" || $0.isUppercase || $0.isNumber } && name.contains("_")
            guard isName, looksLikeVariable || isSet(name) else {
                throw InputProblem(
                    "--token-env", isName ? "no variable of that name is set" : "that is not a variable name",
                    expected: "a name such as CHAT_TOKEN",
                    fix: "export the token and give the name of the variable; a token must not be committed")
            }
        }
        tokenVariables = names
    }

    package mutating func take(profiles names: [String]) throws(InputProblems) {
        var problems: [InputProblem] = []
        let declared = names.isEmpty ? [] : Profile.declared(named: names, &problems)
        try problems.throwAll()
        profiles = declared.sorted().map(\.rawValue)
    }

    // MARK: files

    package var files: [(path: String, text: String)] {
        var files = [("subject.json", subject)]
        switch ci {
        case .github: files.append((".github/workflows/conformance.yml", github))
        case .gitlab: files.append((".gitlab/conformance.yml", gitlab))
        case .none: break
        }
        return files
    }

    private var subject: String {
        let principals = tokenVariables.enumerated().map { index, name in
            JSONValue(members: ["name": "p\(index + 1)", "tokenEnv": name])
        }
        let value = JSONValue(members: [
            "name": name, "url": url, "profiles": profiles.orAbsent,
            "principals": principals.orAbsent,
            "start": start.isEmpty ? JSONValue?.none : JSONValue(members: ["command": start]),
        ])
        return value.text(pretty: true) + "\n"
    }

    /// The setting that the CI system still lacks: the variable with the repository.
    package var missing: String? {
        guard case .checkout(nil, _) = origin, ci != .none else { return nil }
        return "set HOLDFAST_REPOSITORY in your CI to the URL that you cloned Holdfast from"
    }

    /// The steps for both CI systems: getting the program, and running it.
    private var commands: [String] {
        let install: String
        let program: String
        switch origin {
        case .release(let url):
            let archive = "\(url)/conformance-\(toolVersion)-linux-x86_64.tar.gz"
            install = "mkdir holdfast && curl -fsSL \(archive) | tar -xz -C holdfast --strip-components 1"
            program = "holdfast/conformance"
        case .checkout(let repository, let revision):
            install =
                "git clone -q \(repository.map(ShellWords.quoted) ?? "\"$HOLDFAST_REPOSITORY\"") holdfast"
                + (revision.isEmpty ? "" : " && git -C holdfast checkout -q \(revision)")
            program = "holdfast/conformance.sh"
        }
        return [
            install,
            "\(program) server --subject subject.json\(start.isEmpty ? " --wait 60" : "") --out results"
                + " --format junit=results/junit.xml --format html=results/report.html",
        ]
    }

    private var buildComment: String {
        start.isEmpty
            ? "# Start the server here, at the URL in subject.json: the suite does not start it."
            : "# Build the server first, so that subject.json can start it."
    }

    private var github: String {
        let secrets = tokenVariables.map { "          \($0): ${{ secrets.\($0) }}\n" }.joined()
        return """
            name: conformance
            on: [push, pull_request]
            permissions:
              contents: read
            jobs:
              server:
                runs-on: ubuntu-24.04
            \(isBuilt ? "    container: swift:6.3-noble\n" : "")\(missing == nil ? "" : variable)\
                steps:
                  - uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2
                  \(buildComment)
                  - run: \(commands[0])
                  - run: \(commands[1]) --format github=- --format markdown="$GITHUB_STEP_SUMMARY"
            \(secrets.isEmpty ? "" : "        env:\n" + secrets)\
                  - uses: actions/upload-artifact@ea165f8d65b6e75b540449e92b4886f43607fa02 # v4.6.2
                    if: always()
                    with:
                      name: conformance
                      path: results

            """
    }

    /// Whether the program is built where it runs, which needs Swift.
    private var isBuilt: Bool { if case .checkout = origin { true } else { false } }

    private var variable: String { "    env:\n      HOLDFAST_REPOSITORY: ${{ vars.HOLDFAST_REPOSITORY }}\n" }

    private var gitlab: String {
        """
        # To use this file, add this line to .gitlab-ci.yml: `include: .gitlab/conformance.yml`
        conformance:
          image: \(isBuilt ? "swift:6.3-noble" : "buildpack-deps:curl")
          script:
            \(buildComment)
            - \(commands[0])
            - \(commands[1])
          artifacts:
            when: always
            paths: [results]
            reports:
              junit: results/junit.xml

        """
    }

    /// Writes the files below a folder: all of them, or none if one already exists.
    package func write(to folder: String) throws {
        let paths = files.map { (path: folder == "." ? $0.path : "\(folder)/\($0.path)", text: $0.text) }
        let problems = paths.filter { FileManager.default.fileExists(atPath: $0.path) }.map { file in
            InputProblem(
                file.path, "the file exists", expected: "a project without this file",
                fix: "edit it by hand, move it, or give --out FOLDER")
        }
        try problems.throwAll()
        var written: [String] = []
        do {
            for file in paths {
                try Files.write(file.text, to: file.path, makingFolders: file.path.contains("/"))
                written.append(file.path)
            }
        } catch {
            for path in written { try? FileManager.default.removeItem(atPath: path) }
            throw error
        }
    }
}
