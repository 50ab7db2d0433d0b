import JSON
import Transcript

/// The numbered stream.
extension ORDER {
    /// ORDER-4: "A server MUST give the frames of its stream a `seq` that strictly increases on each connection".
    ///
    /// Once for each two live frames that follow each other in one epoch.
    static func numbersRise(_ history: Observations, _ evidence: inout Evidence) {
        for connection in history.connections {
            var before: (event: Int, seq: Int)?
            for frame in connection.received {
                if frame.type == "syncResult", frame.epoch != connection.greeting?.epoch { before = nil }
                guard history.isNumbered(frame), let seq = frame.seq else { continue }
                if let before {
                    evidence.test(
                        seq > before.seq, otherwise: "seq does not rise", expected: "seq greater than \(before.seq)",
                        actual: "seq \(seq)", at: [before.event, frame.event])
                }
                before = (frame.event, max(seq, before?.seq ?? seq))
            }
        }
    }

    /// ORDER-9: "A server MUST put `seq` on every `message`, every `toolUse`, every `done` and every `error` that ends a
    /// turn, except on copies marked `duplicate: true`".
    static func streamFramesAreNumbered(_ history: Observations, _ evidence: inout Evidence) {
        let endings = Set(history.turns.flatMap(\.endings).filter { !$0.isReplayed }.map(\.event))
        for frame in history.received where !frame.isDuplicate {
            guard ["message", "toolUse", "done"].contains(frame.type ?? "") || endings.contains(frame.event) else {
                continue
            }
            evidence.test(
                frame["seq"] != nil, otherwise: "a frame of the stream has no number",
                expected: "seq on \(frame.type ?? "it")", actual: "none", at: [frame.event])
        }
    }

    /// ORDER-10: "A server MUST NOT put `seq` on `connected`, `ack`, `pong`, `syncResult` or an `error` that ends no turn".
    ///
    /// Once for each such frame; an `error` surely ends no turn when its code refuses and it names no turn.
    static func answersAreNotNumbered(_ history: Observations, _ evidence: inout Evidence) {
        for frame in history.received {
            let isRefusal =
                frame.type == "error" && frame.turnId == nil && frame.code.map(ErrorMeaning.refusals.contains) == true
            guard ["connected", "ack", "pong", "syncResult"].contains(frame.type ?? "") || isRefusal else { continue }
            evidence.test(no: frame["seq"]) { seq in
                Finding(
                    "a frame outside the stream has a number", expected: "no seq on \(frame.type ?? "it")",
                    actual: "seq \(seq.text())", at: [frame.event])
            }
        }
    }

    /// ORDER-11: "A server MUST send a frame of the stream with the same `seq` on every connection and in every replay within
    /// one epoch".
    ///
    /// Once for each number shown again, and for each ending or message shown again; other members are left to SYNC-8.
    static func numberMeansOneFrame(_ history: Observations, _ evidence: inout Evidence) {
        var byNumber: [String: NumberedFrame] = [:]
        var byName: [String: NumberedFrame] = [:]
        let isGuess = history.capture?.lacks.contains(.principals) == true
        for item in history.shown {
            // Who is who is a guess in a capture, so that one connection alone is certainly one stream.
            let stream = "\(item.principal) \(item.epoch)" + (isGuess ? " \(item.frame.connection)" : "")
            let number = "\(stream) \(item.seq)"
            let name = name(of: item.frame).map { "\(stream) \($0)" }
            defer {
                if byNumber[number] == nil { byNumber[number] = item }
                if let name, byName[name] == nil { byName[name] = item }
            }
            let isElsewhere = { (other: NumberedFrame) in
                other.frame.connection != item.frame.connection || item.frame.isReplayed || other.frame.isReplayed
            }
            if let name, let before = byName[name], before.seq != item.seq {
                evidence.violate(
                    "a frame comes under another number", expected: "seq \(before.seq)", actual: "seq \(item.seq)",
                    at: [before.event, item.event])
            } else if let before = byNumber[number], isElsewhere(before) {
                let names = (identity(before.frame), identity(item.frame))
                evidence.test(
                    names.0 == names.1, otherwise: "one number stands for two frames",
                    expected: "seq \(item.seq) for \(names.0)", actual: names.1, at: [before.event, item.event])
            }
        }
    }

    /// ORDER-12: "A server MUST number the stream with integers from 1 upward, so that 0 is the place before the first frame".
    ///
    /// Once for each number, and for each `connected` that says nothing was sent yet after something was shown.
    static func numbersBeginAtOne(_ history: Observations, _ evidence: inout Evidence) {
        let replayed = history.syncs.flatMap(\.missed)
        for frame in history.received.filter({ NumberedFrame.types.contains($0.type ?? "") }) + replayed {
            guard let seq = frame["seq"]?.numberValue, !frame.isDuplicate else { continue }
            evidence.test(
                seq.isInteger && seq >= 1, otherwise: "a number is no integer from 1", expected: "1 or more",
                actual: "seq \(seq.text)", at: [frame.event])
        }
        for connection in history.connections {
            guard let greeting = connection.greeting, greeting["lastSeq"]?.intValue == 0 else { continue }
            let begun = connection.auth ?? connection.opening
            let before = history.stream(of: connection.principal, epoch: greeting.epoch).items(before: begun).first
            if let before {
                evidence.violate(
                    "lastSeq is 0 after frames were sent in this epoch", expected: "at least \(before.seq)",
                    actual: "0", at: [before.event, greeting.event])
            }
        }
    }
}
