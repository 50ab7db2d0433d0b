import Foundation
import TestSupport
import Testing

@testable import HoldfastStage

struct StartCommandTests {
    private let values = StartCommand.Values(port: 4711, data: "/d")

    @Test func `placeholders are filled in, and other braces stay`() {
        var command = StartCommand(["run", "--port={port}", "{data}/x", #"{"a":{port}}"#, "{prot}", "{", "{push}"])
        command.environment = ["STORE": "{data}", "MODEL": "{model}"]
        command.directory = "{data}"
        command.pushURL = "http://127.0.0.1:1"
        command.modelURL = "http://127.0.0.1:2"
        let launch = command.launch(values)
        #expect(
            launch.command == ["run", "--port=4711", "/d/x", #"{"a":4711}"#, "{prot}", "{", "http://127.0.0.1:1"])
        #expect(launch.directory == "/d")
        #expect(
            launch.environment == [
                "STORE": "/d", "MODEL": "http://127.0.0.1:2", "HOLDFAST_PORT": "4711", "HOLDFAST_DATA": "/d",
                "HOLDFAST_PUSH_URL": "http://127.0.0.1:1", "HOLDFAST_MODEL_URL": "http://127.0.0.1:2",
            ])
    }

    @Test func `what nobody serves stays as it is written`() {
        #expect(StartCommand(["run", "{push}"]).launch(values).command == ["run", "{push}"])
        #expect(StartCommand(["run"]).launch(values).environment["HOLDFAST_PUSH_URL"] == nil)
    }

    @Test func `instances run side by side when they share neither port nor folder`() {
        #expect(StartCommand(["run", "{port}"]).runsSideBySide)
        #expect(!StartCommand(["run"], url: "ws://127.0.0.1:8080/ws").runsSideBySide)
        var command = StartCommand(["run", "{port}"])
        command.data = "/store"
        #expect(!command.runsSideBySide)
        #expect(command.folder(for: "shared") == "/store")
        command.command.append("{data}")
        #expect(command.runsSideBySide)
        #expect(command.folder(for: "shared") == "/store/shared")
    }

    @Test func `a folder with data of somebody is refused and left alone`() throws {
        let folder = try TemporaryDirectory()
        var command = StartCommand(["run"])
        command.data = folder.path
        #expect(command.problems(dataFrom: "--data").isEmpty)
        command.data = folder.path + "/absent"
        #expect(command.problems(dataFrom: "--data").isEmpty)
        try "mine".write(toFile: folder.path + "/letters", atomically: true, encoding: .utf8)
        command.data = folder.path
        #expect(
            command.problems(dataFrom: "--data").map(\.description) == [
                """
                --data: '\(folder.path)' is not empty: it holds 'letters'
                  expected: a new or empty folder; the suite never deletes data
                  fix: empty it yourself, choose another one, or remove it for a temporary one
                """
            ])
        command.data = folder.path + "/letters"
        #expect(command.problems(dataFrom: "--data").first?.what.hasSuffix("is not a folder") == true)
        #expect(try String(contentsOfFile: folder.path + "/letters", encoding: .utf8) == "mine")
        command = StartCommand(["run"], directory: folder.path + "/none")
        #expect(command.problems(dataFrom: "--data").first?.location == "start")
    }
}
