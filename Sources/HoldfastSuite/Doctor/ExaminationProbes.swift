import Holdfast
import HoldfastStage

struct ExaminationProbes {
    let subject: ServerSubject
    /// The answer that the agent is told to give, too unusual to occur by chance.
    let reply: String
    /// The seconds for which one connection stays silent; nil if none does.
    let silence: Int?

    /// The subject with the settings for probes: even a `plain` agent gets a script, which it may follow, and the
    /// patience covers the silence.
    var probedSubject: ServerSubject {
        var probed = subject
        probed.patience = max(probed.patience, .seconds(silence ?? 0))
        if probed.agent == .plain { probed.agent = .scripted }
        return probed
    }

    static func name(_ probe: String) -> String { "server/LIVE/\(probe)" }

    var scenarios: [Scenario] {
        // A model is also asked to use a tool, because `toolUse` can tell two questions of a session apart.
        let tool = subject.agent == .model ? #"{"tool":"examine","input":{"of":"\#(reply)"}},"# : ""
        let question = #"{"do":"chat","on":"A","as":"c1","script":[\#(tool){"reply":"\#(reply)"}]}"#
        let asking = #"{"do":"connect","on":"A"},\#(question)"#
        var probes = [
            Probe.scenario(
                "script", asking + #",{"do":"await","on":"A","type":["done","error"]},{"do":"fence","on":"A"}"#)
        ]
        if let silence {
            let watch = #"{"do":"watch","for":{"seconds":\#(silence)}}"#
            probes.append(Probe.scenario("idle", #"{"do":"connect","on":"A"},\#(watch),{"do":"fence","on":"A"}"#))
        }
        if subject.profiles.contains(.push) {
            probes.append(
                Probe.scenario(
                    "push", profiles: ["push"],
                    #"{"do":"connect","on":"A"},{"do":"chat","on":"A","as":"c1","script":[{"wait":300},{"reply":"pushed"}]},"#
                        + #"{"do":"fence","on":"A"},{"do":"close","on":"A"},"#
                        + #"{"do":"awaitPush","principal":"p1","within":"push","optional":true}"#))
        }
        if subject.start != nil {
            let answered = asking + #",{"do":"await","on":"A","type":"done","save":{"s1":"/sessionId"}}"#
            let crash = #",{"do":"kill"},{"do":"start"},{"do":"readSession","session":"${s1}"}"#
            let refused =
                #",{"do":"refuseWrites"},{"do":"chat","on":"A","as":"c2","script":[{"reply":"refused"}]},"#
                + #"{"do":"await","on":"A","type":["done","error"],"optional":true},{"do":"acceptWrites"}"#
            probes += [("crash", crash), ("writes", refused)].map { name, rest in
                Probe.scenario(name, start: true, answered + rest)
            }
        }
        return probes.compactMap { $0 }
    }
}
