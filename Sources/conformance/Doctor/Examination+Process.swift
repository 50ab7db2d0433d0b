import Foundation
import Holdfast
import Stage
import Transcript

/// What crash and fault proofs depend on.
extension Examination {
    /// Kills the server once it said `done`, starts it again, and reads.
    func crash(_ probe: Probe?, _ diagnosis: inout Diagnosis) {
        guard let probe, probe.has("start") else {
            diagnosis.note(
                "restart", .fault,
                "killed and started again, the server does not come back: \(probe?.reason ?? "nothing was tried")",
                fix:
                    "let it start with the data and the port it had; a lock file of the killed process must not stop it"
            )
            return
        }
        let text = probe.first("done")?.string("text") ?? ""
        let answer = probe.response(to: "p1")
        if let answer, answer.status == 200, answer.body.contains(text) {
            diagnosis.note("restart", .ok, "killed and started again, it is back with its data")
        } else {
            let found = answer.map { "answers \($0.status)" } ?? "gives no answer"
            diagnosis.note(
                "restart", .fault, "killed and started again, it \(found) for a session whose answer was told as done",
                fix: "let it store in a place that survives a restart: {data} is the folder of one instance")
        }
    }

    /// Lets writes fail and asks a question: a store the fault reaches cannot have stored the answer.
    func writes(_ probe: Probe?, _ diagnosis: inout Diagnosis) {
        let fix = "store in files of the started process or its children; another machine or service is out of reach"
        guard let probe, probe.has("refuseWrites") else {
            diagnosis.note(
                "writes", .gap,
                "writes cannot be refused here: \(probe?.reason ?? "nothing was tried"); PERSIST-1 will be inconclusive",
                fix: "run on Linux, as the user who may limit the server's processes")
            return
        }
        if probe.last("done", after: "refuseWrites") != nil {
            diagnosis.note(
                "writes", .gap,
                "'done' comes although writes are refused: the fault does not reach the store, or the answer is not stored",
                fix: fix)
        } else {
            diagnosis.note("writes", .ok, "refused writes reach the store: no 'done' while they last")
        }
    }

    /// Whether file writes can be watched; extra evidence and no condition of anything.
    func trace(_ diagnosis: inout Diagnosis) {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        if let folder = folders.first(where: { FileManager.default.isExecutableFile(atPath: "\($0)/strace") }) {
            diagnosis.note("strace", .ok, "\(folder)/strace is there, for --trace")
        } else {
            diagnosis.note(
                "strace", .note, "strace is not there: the order of write, fsync and send will not be watched",
                fix: "install strace, if you want the extra evidence of --trace")
        }
    }
}

extension Probe {
    /// Why it did not get further, in one line.
    fileprivate var reason: String {
        let words = problems.first?.description ?? stoppedAt ?? "its steps ended early"
        return String(words.split(separator: "\n").first ?? "")
    }
}
