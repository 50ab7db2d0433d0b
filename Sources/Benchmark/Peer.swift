import Foundation

/// Measures orjson and jsonschema-rs with a script that does the same work on the same files.
enum Peer {
    /// Messages per second by set and kind of work; nil when Python or one of the packages is absent.
    static func measure(_ folder: String) -> (name: String, rates: [String: Double])? {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        let python = ProcessInfo.processInfo.environment["HOLDFAST_PYTHON"] ?? "python3"
        process.arguments = [python, "-c", script, folder]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        var lines = text.split(separator: "\n").map(String.init)
        guard process.terminationStatus == 0, !lines.isEmpty else { return nil }
        let name = lines.removeFirst()
        var rates: [String: Double] = [:]
        for line in lines {
            let parts = line.split(separator: "\t")
            if parts.count == 2, let rate = Double(parts[1]) { rates[String(parts[0])] = rate }
        }
        return (name, rates)
    }

    private static let script = """
        import json, statistics, sys, time
        import jsonschema_rs, orjson
        from importlib.metadata import version
        folder = sys.argv[1]
        schema = json.load(open(folder + "/schema-2020.json"))
        is_valid = jsonschema_rs.validator_for(schema, validate_formats=True).is_valid
        print("orjson " + version("orjson") + " + jsonschema-rs " + version("jsonschema-rs"))
        def rate(work, runs=7, seconds=0.2):
            work(); rates = []; batch = 1
            for _ in range(runs):
                done = 0; start = end = time.thread_time()
                while end - start < seconds:
                    for _ in range(batch): work()
                    done += batch; end = time.thread_time()
                    if (end - start) / done * batch < 0.002: batch *= 2
                rates.append(done / (end - start))
            return statistics.median(rates)
        sets = {"small": ["chat", "done", "toolUse", "error", "sync", "rateLimit", "push"], "syncResult": ["syncResult"]}
        for name, files in sets.items():
            texts = [open(f"{folder}/messages/{file}.json", "rb").read() for file in files]
            values = [orjson.loads(text) for text in texts]
            assert all(is_valid(value) for value in values)
            def parse():
                for text in texts: orjson.loads(text)
            def validate():
                for value in values: is_valid(value)
            def both():
                for text in texts: is_valid(orjson.loads(text))
            for kind, work in (("parse", parse), ("validate", validate), ("parse + validate", both)):
                print(f"{name} {kind}\\t{rate(work) * len(texts)}")
        """
}
