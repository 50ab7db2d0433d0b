import Holdfast
import HoldfastJSON
import TestSupport
import Testing

struct ScenarioReaderTests {
    private func problems(_ text: String, clauses: Set<ClauseID>? = nil) -> [String] {
        inputProblems(of: try ScenarioReader.scenario(text, named: "server/SYNC/x", file: "x.json", clauses: clauses))
            .map(\.brief)
    }

    private func steps(_ steps: String) -> String {
        #"{"title":"t","summary":"s","role":"server","clauses":["SYNC-3"],"steps":[\#(steps)]}"#
    }

    @Test func `a whole scenario is read`() throws {
        let scenario = try ScenarioReader.scenario(
            """
            {"title":"t","summary":"s","role":"server","clauses":["SYNC-3"],
             "needs":{"profiles":["sync"],"agent":"scripted","principals":2},
             "steps":[{"do":"connect","on":"A","save":{"seq":"/lastSeq"}},
                      {"do":"sync","on":"A","lastSeqSeen":"${seq+5}"},{"do":"await","on":"A","type":"syncResult"}]}
            """, named: "server/SYNC/x", file: "x.json")
        #expect(Area(ofScenario: scenario.name) == .SYNC)
        #expect(
            scenario.needs.profiles == [.sync] && scenario.needs.agent == .scripted && scenario.needs.principals == 2)
        guard case .await(let awaited, on: "A") = scenario.steps[2].action else {
            Issue.record("\(scenario.steps[2])")
            return
        }
        #expect(awaited.bound.within == "sync" && !awaited.bound.isOptional)
    }

    @Test(arguments: [
        (#""script":[{"fail":"x"}]"#, #"["error"]"#, "turn"),
        (#""script":[{"fail":"x"}]"#, #"["done","error"]"#, "turn"),
        (#""text":"q""#, #"["error"]"#, "error"),
        (#""script":[{"fail":"x"}]},{"do":"chat","on":"A","as":"c2","text":"q""#, #"["error"]"#, "error"),
        (#""script":[{"fail":"x"}]"#, #"["ack"]"#, "ack"),
    ])
    func `an error is waited for as long as what it ends`(question: String, types: String, bound: String) throws {
        let scenario = try ScenarioReader.scenario(
            steps(
                #"{"do":"connect","on":"A"},{"do":"chat","on":"A","as":"c1",\#(question)},{"do":"await","on":"A","type":\#(types)}"#
            ),
            named: "server/SYNC/x", file: "x.json")
        guard case .await(let awaited, on: "A") = try #require(scenario.steps.last).action else {
            Issue.record("\(scenario.steps)")
            return
        }
        #expect(awaited.bound.within == bound)
    }

    @Test func `a slip is named by its place, with the nearest name`() {
        #expect(problems("{").first?.hasPrefix("x.json:1:2: no JSON, found the end of the text; expected") == true)
        #expect(
            problems(steps(#"{"do":"conect","on":"A"}"#)) == [
                "x.json /steps/0/do: unknown step 'conect' → did you mean 'connect'?"
            ])
        #expect(
            problems(steps(#"{"do":"connect","on":"A","principle":"p1"}"#))
                == ["x.json /steps/0/principle: unknown member 'principle' → did you mean 'principal'?"])
        #expect(
            problems(steps(#"{"do":"connect","on":"A"},{"do":"await","on":"A","type":"done","within":"trun"}"#))
                == ["x.json /steps/1/within: unknown bound 'trun' → did you mean 'turn'?"])
        #expect(
            problems(steps(#"{"do":"alive"}"#), clauses: [ClauseID(.SYNC, 2), ClauseID(.TURN, 2)])
                == ["x.json /clauses/0: 'SYNC-3' is not a clause → did you mean 'SYNC-2'?"])
    }

    @Test func `a name is used after it has a value only`() {
        #expect(
            problems(steps(#"{"do":"readSession","session":"${s1}"}"#))
                == ["x.json /steps/0/session: no earlier step sets 's1' → save it in an earlier step"])
        #expect(
            problems(
                steps(
                    #"{"do":"connect","on":"A","save":{"seq":"/lastSeq"}},{"do":"sync","on":"A","lastSeqSeen":"${sec}"}"#
                ))
                == ["x.json /steps/1/lastSeqSeen: no earlier step sets 'sec' → did you mean 'seq'?"])
        #expect(
            problems(
                steps(
                    #"{"do":"repeat","times":2,"counter":"i","steps":[{"do":"postChat","as":"c${i}","text":"${i}"}]}"#)
            )
            .isEmpty)
        #expect(problems(steps(#"{"do":"readSession","session":"${s 1}"}"#)).count == 1)
    }

    @Test func `rounds in turn end once a name has a value, and the name is one they give`() {
        let round = #""steps":[{"do":"listSessions","save":{"s1":"/sessions"}}]}"#
        #expect(problems(steps(#"{"do":"repeat","times":2,"until":"s1",\#(round)"#)).isEmpty)
        #expect(
            problems(steps(#"{"do":"repeat","times":2,"until":"s2",\#(round)"#))
                == ["x.json /steps/0/until: no earlier step sets 's2' → did you mean 's1'?"])
        #expect(
            problems(steps(#"{"do":"repeat","times":2,"until":"s1","parallel":true,\#(round)"#))
                == ["x.json /steps/0/until: found 's1' → correct the value"])
    }

    @Test func `a connection is opened before it is used, and Z is taken`() {
        #expect(
            problems(steps(#"{"do":"connect","on":"A"},{"do":"fence","on":"B"}"#))
                == ["x.json /steps/1/on: connection 'B' is not open here → add a connect step before this one"])
        #expect(problems(steps(#"{"do":"connect","on":"Z"}"#)).count == 1)
    }

    @Test func `a place has its line and column, and a member that stands twice is told`() {
        let text = """
            {"title": "t", "summary": "s", "role": "server", "clauses": ["SYNC-3"],
             "steps": [
              {"do": "connect", "on": "A"},
              {"do": "fence", "on": "B"}],
             "title": "u"}
            """
        let problems = #expect(throws: InputProblems.self) {
            try ScenarioReader.scenario(text, named: "server/SYNC/x", file: "x.json")
        }
        #expect(problems?.problems.map(\.location) == ["x.json:5:11 /title", "x.json:4:25 /steps/1/on"])
        #expect(problems?.problems.first?.what == "'title' comes twice")
    }

    @Test func `several problems are told at once`() {
        let text =
            #"{"title":"","role":"servr","clauses":[],"needs":{"principals":0},"steps":[{"do":"cut","on":"A","how":"rst"}]}"#
        let found = problems(text)
        #expect(found.count == 7, "\(found)")
    }

    @Test func `references are filled in, with their types and their neighbours`() throws {
        var variables = ScenarioVariables()
        variables["seq"] = 41
        variables["s1"] = "abc"
        #expect(try variables.value("${seq}") == 41)
        #expect(try variables.value("${seq+1}") == 42)
        #expect(try variables.value("${seq-42}") == -1)
        #expect(try variables.text("/x/${s1}/${seq}") == "/x/abc/41")
        #expect(try variables.value(["a": ["${s1}", 7], "b": "$5"]) == ["a": ["abc", 7], "b": "$5"])
        #expect(throws: ScenarioVariables.Problem.unknown(name: "s2", near: "s1")) { try variables.text("${s2}") }
        #expect(throws: ScenarioVariables.Problem.notANumber(name: "s1")) { try variables.value("${s1+1}") }
        #expect(throws: ScenarioVariables.Problem.malformed("${s1")) { try variables.text("${s1") }
        variables["max"] = JSONValue(Int.max)
        #expect(throws: ScenarioVariables.Problem.notANumber(name: "max")) { try variables.value("${max+1}") }
    }
}

extension ScenarioReaderTests {
    private func processProblems(_ step: String, needs: String = #"{"start":true}"#) -> [String] {
        do {
            let scenario = try ScenarioReader.scenario(
                """
                {"title":"t","summary":"s","role":"server","clauses":["SYNC-3"],"needs":\(needs),
                 "steps":[{"do":"connect","on":"A"},\(step)]}
                """, named: "server/SYNC/x", file: "x.json")
            return ["\(scenario.steps[1].action)"]
        } catch {
            return error.problems.map(\.brief)
        }
    }

    @Test func `steps that treat the server as a process are read`() {
        for step in ["stop", "start", "refuseWrites", "acceptWrites", "kill", "awaitKill"] {
            #expect(processProblems(#"{"do":"\#(step)"}"#).first?.contains(step) == true)
        }
        #expect(
            processProblems(#"{"do":"killOn","on":"A","type":"x"}"#).first?.contains(#"message(type: "x", on: "A")"#)
                == true)
        #expect(
            processProblems(#"{"do":"killOn","exchange":"next","bytes":"x"}"#).first?.contains("nextExchange") == true)
        #expect(
            processProblems(
                #"{"do":"repeat","times":"${kills}","counter":"i","steps":[{"do":"kill","after":{"microseconds":"${i}"}}]}"#
            )
            .first?.contains("microseconds") == true)
    }

    @Test func `slips in steps that treat the server as a process are named`() {
        #expect(
            processProblems(#"{"do":"kill"}"#, needs: "{}")
                == [
                    "x.json /steps/1: only a server that the scenario starts can be stopped and started → add \"start\": true to /needs"
                ])
        #expect(
            processProblems(#"{"do":"killOn","bytes":"x"}"#)
                == ["x.json /steps/1: none of on, exchange → add one"])
        #expect(
            processProblems(#"{"do":"killOn","on":"B","type":"x"}"#)
                == ["x.json /steps/1/on: connection 'B' is not open here → add a connect step before this one"])
        #expect(
            processProblems(#"{"do":"killOn","exchange":"last","bytes":"x"}"#)
                == ["x.json /steps/1/exchange: found 'last' → correct the value"])
        #expect(
            processProblems(#"{"do":"kill","after":{"seconds":1}}"#).first
                == "x.json /steps/1/after/seconds: unknown member 'seconds' → remove it")
        #expect(
            processProblems(#"{"do":"repeat","times":"${kill}","steps":[{"do":"kill"}]}"#)
                == ["x.json /steps/1/times: no earlier step sets 'kill' → did you mean 'kills'?"])
    }
}

extension InputProblem {
    /// Place, fault and remedy in one line, with the pointer instead of line and column: many files here are one line.
    var brief: String {
        let pointer = location.replacing(#/:\d+:\d+ (?=/)/#, with: " ")
        return "\(pointer): \(what) → \(fix)"
    }
}
