import Foundation
import HoldfastJSON
import HoldfastJSONSchema
import Testing

/// A validator in Python, to compare with.
enum PythonPeer {
    static let python = ProcessInfo.processInfo.environment["HOLDFAST_PYTHON"] ?? "python3"
    static let isFast = run("import jsonschema_rs") != nil
    static let isInstalled = isFast || run("import jsonschema") != nil
    static let absence: Comment =
        "no Python with the package jsonschema-rs or jsonschema; install one, or name an interpreter in HOLDFAST_PYTHON"

    /// The name of the package, and one character per line of the file of messages: 1 for a valid one.
    static let script = #"""
        import json, sys
        try:
            import jsonschema_rs as package
        except ImportError:
            import jsonschema as package
        def spelled(schema):
            # To Python, `$` also matches before a line end that is the last character; to ECMA-262 it does not.
            if isinstance(schema, list): return [spelled(one) for one in schema]
            if not isinstance(schema, dict): return schema
            return {key: value[:-1] + r"\Z" if key == "pattern" and value.endswith("$") else spelled(value)
                    for key, value in schema.items()}
        schema = json.load(open(sys.argv[1], encoding="utf-8"))
        if package.__name__ == "jsonschema": schema = spelled(schema)
        is_valid = package.Draft202012Validator(schema).is_valid
        print(package.__name__)
        for line in open(sys.argv[2], "rb"):
            sys.stdout.write("1" if is_valid(json.loads(line)) else "0")
        """#

    /// What a script prints; nil when it cannot be run or fails.
    static func run(_ script: String, _ arguments: String...) -> String? {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [python, "-c", script] + arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return process.terminationStatus == 0 ? text : nil
    }
}

struct `Mutated messages` {
    @Test func `bytes and values are judged alike, and what is not valid is explained`() throws {
        var messages = try MutatedMessages()
        let schema = try Schema(messages.schema)
        var validator = ByteValidator(schema)
        var validCount = 0
        let count = MutatedMessages.count(3_000)
        for _ in 0..<count {
            let text = messages.next()
            let value = try JSONParser.value(text)
            let isValid = schema.isValid(value)
            if isValid { validCount += 1 }
            if validator.isValid(Array(text.utf8)) != isValid { Issue.record("as bytes: \(text)") }
            if schema.program.accepts(value, at: schema.program.root) != isValid { Issue.record("slowly: \(text)") }
            if schema.violations(in: value).isEmpty != isValid { Issue.record("explained: \(text)") }
        }
        // Both answers were given often.
        #expect(validCount > count / 10 && validCount < count * 9 / 10)
    }

    @Test func `broken bytes are judged as the strict parser and the schema judge them`() throws {
        var messages = try MutatedMessages()
        let schema = try Schema(messages.schema)
        var validator = ByteValidator(schema)
        var state: UInt64 = 5
        func roll(_ sides: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % max(1, sides)
        }
        let pieces = Array("{}[]:,\"\\u0tn-+.eE \t\n".utf8) + [0x00, 0x1F, 0x7F, 0x80, 0xC3, 0xED, 0xF4, 0xFF]
        for _ in 0..<MutatedMessages.count(3_000) {
            var bytes = Array(messages.next().utf8)
            for _ in 0..<roll(3) {
                let position = roll(bytes.count)
                switch roll(3) {
                case 0: bytes[position] = pieces[roll(pieces.count)]
                case 1: bytes.removeSubrange(position..<min(bytes.count, position + roll(9)))
                default: bytes.insert(pieces[roll(pieces.count)], at: position)
                }
            }
            let expected = (try? JSONParser.value(bytes: bytes)).map { schema.isValid($0) } ?? false
            if validator.isValid(bytes) != expected { Issue.record("\(String(decoding: bytes, as: UTF8.self))") }
        }
    }

    @Test(.enabled(if: PythonPeer.isInstalled, PythonPeer.absence))
    func `a validator in Python agrees on every one of thousands of messages`() throws {
        var messages = try MutatedMessages()
        // Formats are left out: the peer asks other packages for them.
        let schema = try Schema(messages.schema, formats: .annotate)
        let texts = (0..<MutatedMessages.count(PythonPeer.isFast ? 20_000 : 1_000)).map { _ in messages.next() }
        let folder = FileManager.default.temporaryDirectory.appending(path: "holdfast-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let schemaFile = folder.appending(path: "schema.json")
        let textFile = folder.appending(path: "messages.jsonl")
        try Data(messages.schema.text().utf8).write(to: schemaFile)
        try Data(texts.joined(separator: "\n").utf8).write(to: textFile)
        let output = try #require(PythonPeer.run(PythonPeer.script, schemaFile.path, textFile.path))
        let parts = output.split(separator: "\n")
        try #require(parts.count == 2)
        let answers = parts[1]
        try #require(answers.count == texts.count)
        var validCount = 0
        for (text, answer) in zip(texts, answers) {
            if answer == "1" { validCount += 1 }
            if schema.isValid(bytes: Array(text.utf8)) != (answer == "1") {
                Issue.record("peer says \(answer): \(text)")
            }
        }
        print("differential test with \(parts[0]): \(texts.count) messages, \(validCount) of them valid")
        #expect(validCount > texts.count / 10 && validCount < texts.count * 9 / 10)
    }
}
