import Holdfast
import HoldfastJSON
import HoldfastJSONSchema
import TestSupport
import Testing

struct ClientScenarioReaderTests {
    private func problems(_ text: String, clauses: Set<ClauseID>? = nil) -> [String] {
        inputProblems(
            of: try ClientScenarioReader.scenario(text, named: "client/CLIENT/x", file: "x.json", clauses: clauses)
        ).map(\.brief)
    }

    private func steps(_ steps: String) -> String {
        #"{"title":"t","summary":"s","role":"client","clauses":["CLIENT-36"],"steps":[\#(steps)]}"#
    }

    private func schema() throws -> (schema: Schema, examples: [JSONValue]) {
        let text = try #require(SpecificationFiles.embedded.texts["schemas/files/client-scenario.json"])
        let root = try JSONParser.document(text).root
        return (try Schema(root), try #require(root["examples"]?.arrayValue))
    }

    @Test func `a whole scenario is read`() throws {
        let scenario = try ClientScenarioReader.scenario(
            """
            {"title":"t","summary":"s","role":"client","clauses":["CLIENT-36"],
             "needs":{"profiles":["client-sync"],"timeScale":30},
             "world":{"sessions":[{"id":"s1","messages":["u1",{"id":"m7","role":"assistant","text":"x"}]}],
                      "lastSeq":2,"profiles":["sync"],"heartbeatSeconds":1},
             "steps":[{"do":"launch","opened":{"session":"s1","message":"a1"}},{"do":"send","as":"c1"},
                      {"do":"await","comes":"question","as":"c1","session":"${session}"},
                      {"do":"tell","frame":{"type":"x","k":"${key.c1}"},"numbered":true}]}
            """, named: "client/CLIENT/x", file: "x.json")
        #expect(scenario.needs.timeScale == 30 && scenario.needs.profiles == [.clientSync])
        #expect(scenario.world.profiles == [.core, .sync] && scenario.world.lastSeq == 2)
        #expect(scenario.world.sessions.first?.messages.map(\.id) == ["u1", "m7"])
        #expect(scenario.commands == ["launch", "send", "state"])
        guard case .await(let awaited) = scenario.steps[2].action else {
            Issue.record("\(scenario.steps[2])")
            return
        }
        #expect(awaited.within == "rest" && awaited.count == 1 && !awaited.isOptional)
    }

    @Test(arguments: [
        (#"{"do":"lunch"}"#, "x.json /steps/0/do: unknown step 'lunch' → did you mean 'launch'?"),
        (#"{"do":"send","as":"c1"}"#, #"x.json /steps/0: 'send' before the app runs → begin with {"do": "launch"}"#),
        (
            #"{"do":"launch"},{"do":"finish","turn":"${turn.c2}"}"#,
            "x.json /steps/1/turn: no earlier step sets 'turn.c2' → save it in an earlier step"
        ),
        (
            #"{"do":"when","comes":"read","then":"hild"}"#,
            "x.json /steps/0/then: 'hild' is not a reaction to 'read' → did you mean 'hold'?"
        ),
        (
            #"{"do":"when","comes":"ping","then":"drop","status":503}"#,
            "x.json /steps/0/status: 'status' does not apply to 'ping' with 'drop' → remove it"
        ),
        (
            #"{"do":"when","comes":"read","then":"fail"}"#,
            "x.json /steps/0: 'status' is missing → add it"
        ),
        (
            #"{"do":"when","comes":"sync","then":"drop","session":"s1"}"#,
            "x.json /steps/0/session: 'sync' names no session → remove it"
        ),
        (
            #"{"do":"watch","for":"resent"}"#, "x.json /steps/0/for: unknown bound 'resent' → did you mean 'resend'?"
        ),
        (
            #"{"do":"end","how":"politely"}"#, "x.json /steps/0/how: unknown end 'politely' → choose one of these"
        ),
        (
            #"{"do":"everyOrder","of":[[]]}"#,
            "x.json /steps/0/of: 1 groups → there are 24 orders of four, and 120 of five"
        ),
        (
            #"{"do":"elsewhere","session":"s1","messages":["x1"]}"#,
            "x.json /steps/0/messages/0: message 'x1' has no role → "
                + #"write {"id": …, "role": …, "text": …} instead"#
        ),
        (
            #"{"do":"tell","hex":"0","to":"all"}"#,
            "x.json /steps/0/to: 'to' does not apply with 'text' or 'hex' → remove it"
        ),
        (
            #"{"do":"await","comes":"sync","as":"c1"}"#,
            "x.json /steps/0/as: 'sync' is not a message of the user → remove it"
        ),
    ])
    func `a slip is named by its place, with what helps`(step: String, problem: String) {
        #expect(problems(steps(step)).contains(problem), "\(problems(steps(step)))")
    }

    @Test func `what a client does not declare is told apart from what the server keeps`() {
        let text = #"{"title":"t","summary":"s","role":"client","clauses":["CLIENT-36"],"needs":{"profiles":["sync"]},"#
        #expect(
            problems(text + #""steps":[{"do":"launch"}]}"#) == [
                "x.json /needs/profiles/0: 'sync' is a profile of servers → list the server's profiles in /world"
            ])
    }

    @Test func `the examples of the schema are scenarios`() throws {
        let (schema, examples) = try schema()
        for example in examples {
            #expect(schema.violations(in: example).isEmpty)
            _ = try ClientScenarioReader.scenario(example.text(), named: "client/CLIENT/x", file: "x.json")
        }
        #expect(examples.count >= 2)
    }

    /// What one of them refuses the other must refuse too, or a scenario is valid in an editor and no more.
    @Test(arguments: [
        #"{"do":"launch","fresh":1}"#, #"{"do":"select"}"#, #"{"do":"when","comes":"auth","then":"refuse"}"#,
        #"{"do":"when","comes":"chat","then":"ack","status":1}"#, #"{"do":"when","comes":"upgrade","then":"ack"}"#,
        #"{"do":"release","comes":"upgrade"}"#, #"{"do":"tell"}"#, #"{"do":"watch","for":0}"#,
        #"{"do":"awaitState","connection":"online"}"#, #"{"do":"forget"}"#, #"{"do":"together","x":1}"#,
        #"{"do":"when","comes":"sync","then":"cut"}"#, #"{"do":"when","comes":"sync","then":"incomplete"}"#,
    ])
    func `reader and schema refuse the same`(step: String) throws {
        let text = steps(step)
        #expect(!problems(text).isEmpty)
        #expect(try !schema().schema.violations(in: JSONParser.value(text)).isEmpty)
    }

    @Test(arguments: [
        #"{"do":"when","comes":"auth","then":"serve","greeting":{"epoch":null}}"#,
        #"{"do":"when","comes":"auth","then":"refuse","error":"auth_failed","code":4001,"times":2}"#,
        #"{"do":"when","comes":"chat","then":"store","cut":"silence","session":"s1"}"#,
        #"{"do":"when","comes":"post","then":"refuse","status":429,"retryAfter":1}"#,
        #"{"do":"when","comes":"sync","then":"page","size":1}"#,
        #"{"do":"when","comes":"sync","then":"cut","cut":"reset"}"#,
        #"{"do":"release","comes":"read","session":"s2","as":"asked","pick":"newest"}"#,
        #"{"do":"elsewhere","session":"s9","messages":["u${turn+1}"],"new":true,"to":"none"}"#,
        #"{"do":"tell","hex":"00ff"}"#, #"{"do":"end","how":"close","code":1012}"#,
        #"{"do":"forget","upTo":"${lastSeq}"}"#,
        #"{"do":"launch"},{"do":"everyOrder","of":[[{"do":"send","as":"c${order}"}],[{"do":"background"}]]}"#,
        #"{"do":"awaitState","session":null,"unread":{"s2":1},"connection":["degraded","offline"],"optional":true}"#,
        #"{"do":"watch","for":"attempts"}"#,
    ])
    func `reader and schema take the same`(step: String) throws {
        let text = steps(step)
        #expect(problems(text) == [])
        #expect(try schema().schema.violations(in: JSONParser.value(text)).map(\.description) == [])
    }
}
