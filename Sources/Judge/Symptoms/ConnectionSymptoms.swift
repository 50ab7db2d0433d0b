import HoldfastBasics
import HoldfastTranscript

extension SymptomReader {
    /// Several connections that end without a close frame after the same silence, as if a load balancer cut idle ones.
    func idleCuts() -> [Symptom] {
        guard history.knowsTimes else { return [] }
        let cuts = history.connections.compactMap { connection -> (event: Int, silence: Int, heartbeat: Int?)? in
            guard let ending = connection.ending, ending.kind == .lost,
                let last = connection.events.last(where: { $0 < ending.event })
            else { return nil }
            let silence = history.span(from: last, to: ending.event)
            let heartbeat = connection.greeting?["heartbeatSeconds"]?.intValue
            return silence >= Self.minSilence ? (ending.event, silence, heartbeat) : nil
        }
        let lengths = cuts.map(\.silence)
        guard cuts.count > 1, let least = lengths.min(), let most = lengths.max(),
            most - least <= max(2_000_000, most / 10)
        else { return [] }
        let heartbeat = cuts.lazy.compactMap(\.heartbeat).first.map { "; the server's heartbeat is \($0) s" } ?? ""
        return [
            Symptom(
                .idleCut,
                "\(cuts.count) connections ended without a close frame after \(readable(.microseconds(least))) of silence "
                    + "each, as if something in between cut idle connections\(heartbeat)",
                at: [cuts[0].event, cuts[cuts.count - 1].event], lasted: most)
        ]
    }

    /// Permanent refusals of connections that happened more than once, by kind.
    func turnedAway() -> [Symptom] {
        var byReason: [String: [Int]] = [:]
        for connection in history.connections {
            if let refused = connection.refused {
                byReason["the upgrade was refused", default: []].append(refused)
            } else if let ending = connection.ending, case .closed(.fromServer, let code?) = ending.kind,
                [4001, 4010].contains(code)
            {
                let stated = connection.received.last.flatMap { $0.kind == .error ? $0.code : nil }
                let reason = [stated, "closed by the server (\(code))"].compactMap(\.self).joined(separator: ", ")
                byReason[reason, default: []].append(ending.event)
            }
        }
        return byReason.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }.map { reason, events in
            let (first, last) = (events[0], events[events.count - 1])
            let lasting = history.knowsTimes ? " in \(duration(first, last))" : ""
            return Symptom(
                .turnedAway, "\(events.count) connections were turned away\(lasting): \(reason)", at: [first, last])
        }
    }

    /// Pings whose pongs arrived late, on a connection that received something afterwards.
    func latePongs() -> [Symptom] {
        history.connections.flatMap { connection -> [Symptom] in
            guard connection.sent.contains(where: { $0.isOf(.ping, .pong) }) else { return [] }
            var open: [Frame] = []
            var late: [Symptom] = []
            for (frame, isSent) in connection.frames where frame.isOf(.ping, .pong) {
                if isSent {
                    open.append(frame)
                } else if let index = open.firstIndex(where: { $0["nonce"] == frame["nonce"] }) {
                    let ping = open.remove(at: index).event
                    let wait = history.span(from: ping, to: frame.event)
                    guard wait >= Self.minSilence else { continue }
                    let what = "a ping on \(connection.device) waited \(duration(ping, frame.event)) for its pong"
                    late.append(Symptom(.silence, what, at: [ping, frame.event], lasted: wait))
                }
            }
            return late
        }
    }

    /// Answers that reached another connection of the same person without their question.
    func unshownQuestions() -> [Symptom] {
        history.questions.compactMap { turn in
            guard let asked = turn.request.connection, turn.endings.contains(where: { $0.connection != asked }),
                turn.ack != nil
            else { return nil }
            let shown = Set((turn.frames + turn.replayed).filter { $0.kind == .message }.map(\.connection))
            let end = turn.endings.first { ending in
                let connection = history.connections[ending.connection]
                return ending.kind == .done && ending.seq != nil && ending.connection != asked
                    && !shown.contains(ending.connection) && connection.connected ?? .max < turn.event
            }
            guard let end else { return nil }
            let device = history.connections[end.connection].device
            return Symptom(
                .gap,
                "\(device) was shown the answer to \(HoldfastJudge.shown(turn.request.prompt)) and never the question "
                    + "(`message`)", at: [turn.event, end.event])
        }
    }

    /// Frames of a turn on a connection of another person, if the file itself names the people.
    func crossed() -> [Symptom] {
        guard let capture = history.capture, !capture.lacks.contains(.principals) else { return [] }
        let owners = history.turns.reduce(into: [String: ObservedTurn]()) { owners, turn in
            if let id = turn.turnId { owners[id] = owners[id] ?? turn }
        }
        var seen: Set<[String]> = []
        return history.received.compactMap { frame in
            let connection = history.connections[frame.connection]
            guard let turn = frame.turnId.flatMap({ owners[$0] }), turn.principal != connection.principal,
                seen.insert([turn.turnId ?? "", connection.principal]).inserted
            else { return nil }
            return Symptom(
                .crossed,
                "\(connection.device), a connection of \(quoted(connection.principal)), was shown a \(frame.type ?? "frame") of "
                    + "\(HoldfastJudge.shown(turn.request.prompt)), which \(quoted(turn.principal)) had asked",
                at: [turn.event, frame.event])
        }
    }
}
