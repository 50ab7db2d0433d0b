import TestSupport
import Testing

@testable import Holdfast

@Suite struct LoadMixTests {
    private func problems(_ text: String) -> [String] {
        inputProblems(of: try LoadMix(text, file: "my.json", name: "my")).map { "\($0.location): \($0.what)" }
    }

    @Test func `every mix that comes along is read, the default first`() throws {
        let specification = try Specification(.embedded)
        #expect(specification.mixNames == ["phones", "desks"])
        for name in specification.mixNames {
            let mix = try #require(try specification.mix(named: name))
            #expect(!mix.summary.isEmpty)
        }
        #expect(try specification.mix(named: "nobody") == nil)
    }

    @Test func `times are milliseconds and shares thousandths`() throws {
        let mix = try LoadMix(
            #"{"pauseSeconds": [0.5, 2], "leaves": 0.25, "awaySeconds": [1, 1], "tools": 2, "toolMs": 30}"#,
            file: "my.json", name: "my")
        #expect(mix.pause == 500...2000 && mix.away == 1000...1000)
        #expect((mix.leaves, mix.reads, mix.tools, mix.toolMs) == (250, 0, 2, 30))
    }

    @Test(arguments: [
        (#"{}"#, "my.json:1:1: 'pauseSeconds' is missing"),
        (#"{"pauseSeconds": [2, 1]}"#, "my.json:1:18 /pauseSeconds: found an array"),
        (#"{"pauseSeconds": [1, 2], "reads": 1.5}"#, "my.json:1:35 /reads: found 1.5"),
        (#"{"pauseSeconds": [1, 2], "sleeps": 1}"#, "my.json:1:36 /sleeps: unknown member 'sleeps'"),
        (#"{"pauseSeconds": [1, 2], "leaves": 1}"#, "my.json:1:1: 'awaySeconds' is missing"),
    ])
    func `what is wrong is told with its place`(text: String, problem: String) {
        #expect(problems(text).contains(problem), "\(problems(text))")
    }
}
