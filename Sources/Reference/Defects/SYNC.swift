import Holdfast
import HoldfastJSON

extension Defect {
    static let sync = list {
        Defect(
            "sync-loses-answers-at-overflow", .SYNC, 3, need: .load,
            "Replays no `done` while more than 20 principals are connected.",
            .sends { frame, sockets, _, server in
                guard frame.type == "syncResult", server.isUnderLoad else { return nil }
                var kept = frame
                kept.edit("missed") { if $0.type == "done" { $0 = .null } }
                return kept == frame ? nil : [.send(to: sockets, server.outgoing(kept))]
            })
        Defect(
            "sync-tells-position-zero", .SYNC, 1,
            "Sends `lastSeq` 0 in every `connected`; needs a frame first.",
            .frames("connected") { frame, _ in frame["lastSeq"] = 0 })
        Defect(
            "sync-answers-nothing-new-with-silence", .SYNC, 2,
            "Sends no `syncResult` if `missed` would be empty.",
            .drops { frame, _ in frame["missed"]?.arrayValue?.isEmpty == true })
        Defect(
            "sync-claims-complete-after-eviction", .SYNC, 6,
            "Sends `complete: true` although frames left the buffer; needs more than `replayMessages` frames.",
            .pages { page, _, _ in if page.text("reason") == "evicted" { page.claimComplete() } })
        Defect(
            "sync-skips-tool-frames", .SYNC, 3, "Replays no `toolUse` and sends `complete: true`.",
            .pages { page, _, _ in page.edit("missed") { if $0.type == "toolUse" { $0 = .null } } })
        Defect(
            "sync-cuts-full-pages-short", .SYNC, 3,
            "Omits the last frame of a page that fits exactly, and sends `complete: true`.",
            .pages { page, sync, _ in
                if page["complete"] == true, sync["limit"]?.intValue == page.missed.count {
                    page["missed"] = .array(Array(page.missed.dropLast()))
                }
            })
        Defect(
            "sync-lets-pongs-push-frames-out", .SYNC, 7,
            "Stores every `pong` in the buffer; needs `replayMessages` pings.",
            .after("pong") { _, sockets, _, server in
                guard let principal = server.principal(sockets), let seq = server.core.streams[principal]?.lastSeq
                else { return [] }
                server.core.streams[principal]?.keep(.null, seq: seq, bytes: 0, at: server.core.now.steady)
                return []
            },
            .pages { page, _, _ in page.edit("missed") { _ in } })
        Defect(
            "sync-replays-the-last-seen-frame", .SYNC, 4, "Treats `lastSeqSeen` as inclusive.",
            .hears("sync") { frame, _ in
                if let seen = frame["lastSeqSeen"]?.intValue { frame["lastSeqSeen"] = JSONValue(max(0, seen - 1)) }
            })
        Defect(
            "sync-replays-newest-first", .SYNC, 4, "Sends the newest frame first in `missed`.",
            .pages { page, _, _ in page["missed"] = .array(page.missed.reversed()) })
        Defect(
            "order-replays-without-the-key", .ORDER, 7, "Omits `clientMessageId` from frames in `missed`.",
            .pages { page, _, _ in page.edit("missed") { $0["clientMessageId"] = nil } })
        Defect(
            "order-cuts-texts-at-nul", .ORDER, 7, "Cuts texts in `missed` at a NUL.",
            .pages { page, _, _ in
                page.edit("missed") { frame in
                    if let text = frame.text("text"), let end = text.unicodeScalars.firstIndex(of: "\0") {
                        frame["text"] = .string(String(text[..<end]))
                    }
                }
            })
        Defect(
            "sync-keeps-the-epoch-across-restarts", .SYNC, 5, need: .restart,
            "Keeps its `epoch` over a start, but not the buffer.",
            .rules { rules in
                rules.onlyEpoch = rules.onlyEpoch ?? "epo_the-only-one"
                rules.keepsStream = false
            })
        Defect(
            "sync-ignores-the-epoch", .SYNC, 6, "Treats a position of any `epoch` as its own.",
            .hears("sync") { frame, server in if frame["epoch"] != nil { frame["epoch"] = .string(server.core.epoch) } }
        )
        Defect(
            "sync-takes-a-missing-epoch-as-its-own", .SYNC, 6, "Trusts a position without an `epoch`.",
            .hears("sync") { frame, server in if frame["epoch"] == nil { frame["epoch"] = .string(server.core.epoch) } }
        )
        Defect(
            "sync-calls-the-future-complete", .SYNC, 6,
            "Sends `complete: true` for a position after the end of the stream.",
            .pages { page, sync, server in
                if page.text("reason") == "unknown_position", sync.text("epoch") == server.core.epoch {
                    page.claimComplete()
                }
            })
        Defect(
            "sync-calls-eviction-a-page", .SYNC, 6,
            "Sends the reason `too_many` when frames left the buffer; needs more than `replayMessages` frames.",
            .pages { page, _, _ in if page.text("reason") == "evicted" { page["reason"] = "too_many" } })
        Defect(
            "env-gives-no-reason", .ENV, 2, "Sends `complete: false` without `reason`.",
            .omits("reason", from: "syncResult"))
        Defect(
            "turn-forgets-broken-turns", .TURN, 8, need: .restart,
            "Keeps one `epoch` forever, without an ending for turns that a kill interrupted.",
            .rules { $0.onlyEpoch = $0.onlyEpoch ?? "epo_of-this-server" })
        Defect(
            "sync-keeps-less-than-it-promises", .SYNC, 7,
            "Buffers half of `replayMessages` frames; needs more than that.",
            .start { core in
                for principal in Set(core.rules.principalsByToken.values).union([core.rules.anonymous]) {
                    core.streams[principal] = ReplayBuffer(
                        maxFrames: core.rules.replayFrames / 2, maxAgeMs: core.rules.replaySeconds * 1000,
                        maxBytes: core.rules.replayBytes)
                }
            })
        Defect(
            "sync-keeps-too-few-bytes", .SYNC, 7, "Buffers at most 512 KiB; needs long answers.",
            .rules { $0.replayBytes = $0.maxSentBytes / 2 })
        Defect(
            "sync-ignores-position-zero", .SYNC, 7, "Replays nothing after `lastSeqSeen` 0.",
            .pages { page, sync, _ in
                guard sync["lastSeqSeen"]?.intValue == 0 else { return }
                page["missed"] = []
                page["complete"] = false
                page["reason"] = "unknown_position"
                page["more"] = nil
            })
        Defect(
            "sync-repeats-replayed-frames-live", .SYNC, 8,
            "Sends the last frame of `missed` again after `syncResult`.",
            .after("syncResult") { page, sockets, _, server in
                page.missed.suffix(1).map { .send(to: sockets, server.outgoing($0)) }
            })
        Defect(
            "sync-loses-a-frame-after-replay", .SYNC, 8,
            "Skips the first frame after a `syncResult` on that connection; needs a running turn.",
            .sends { frame, sockets, _, server in
                if frame.type == "syncResult", let socket = sockets.first {
                    server.notes.marks.insert("loses \(socket)")
                }
                guard frame["seq"] != nil else { return nil }
                let others = sockets.filter { server.notes.marks.remove("loses \($0)") == nil }
                return [.send(to: others, server.outgoing(frame))]
            })
        Defect(
            "sync-pages-a-snapshot", .SYNC, 9,
            "Sends nothing live between the pages of a replay, and ends them where the stream ended at the first.",
            .sends { frame, sockets, _, server in
                guard frame.type == "syncResult", let socket = sockets.first else {
                    guard frame["seq"] != nil else { return nil }
                    let others = sockets.filter { server.notes.numbers["pages \($0)"] == nil }
                    return [.send(to: others, server.outgoing(frame))]
                }
                guard let last = server.notes.numbers["pages \(socket)"] else {
                    if frame["more"] == true { server.notes.numbers["pages \(socket)"] = frame["lastSeq"]?.intValue }
                    return nil
                }
                var page = frame
                page.edit("missed") { if $0["seq"]?.intValue ?? 0 > last { $0 = .null } }
                page["lastSeq"] = JSONValue(last)
                if page.missed.last?["seq"]?.intValue ?? last == last {
                    server.notes.numbers["pages \(socket)"] = nil
                    page.claimComplete()
                    page["more"] = nil
                }
                return [.send(to: sockets, server.outgoing(page))]
            })
        Defect(
            "sync-tells-a-stale-position", .SYNC, 9,
            "Sends the client's `lastSeqSeen` as `lastSeq`.",
            .pages { page, sync, _ in
                if let seen = sync["lastSeqSeen"]?.intValue, seen < page["lastSeq"]?.intValue ?? 0 {
                    page["lastSeq"] = JSONValue(seen)
                }
            })
        Defect(
            "auth-replays-other-principals", .AUTH, 6,
            "Sends frames of every principal in `missed`; needs two.",
            .sends { page, sockets, input, server in
                guard page.type == "syncResult", page["complete"] == true, case .received(_, .text(let text)) = input,
                    let socket = sockets.first, let principal = server.core.connections[socket]?.principal
                else { return nil }
                let seen = server.frame(text)?["lastSeqSeen"]?.intValue ?? 0
                var missed = page.missed
                for (other, var stream) in server.core.streams where other != principal {
                    guard case .whole(let entries) = stream.read(after: 0, at: server.core.now.steady) else { continue }
                    missed += entries.filter { $0.seq > seen }.map(\.frame)
                }
                var page = page
                page["missed"] = .array(missed.sorted { ($0["seq"]?.intValue ?? 0) < ($1["seq"]?.intValue ?? 0) })
                return [.send(to: sockets, server.outgoing(page))]
            })
        Defect(
            "sync-forgets-answers-nobody-heard", .SYNC, 7,
            "Does not buffer a `done` sent while no connection was open.",
            .sends { frame, sockets, _, server in
                if frame.type == "done", sockets.isEmpty {
                    server.notes.marks.insert("unheard \(frame.text("turnId") ?? "")")
                }
                return nil
            },
            .pages { page, _, server in
                page.edit("missed") { frame in
                    let mark = "unheard \(frame.text("turnId") ?? "")"
                    if frame.type == "done", server.notes.marks.contains(mark) { frame = .null }
                }
            })
        Defect(
            "sync-ends-newer-connections", .SYNC, 10,
            "Cuts a principal's newer connections when an older one ends.",
            .input { input, server, next in
                guard case .ended(let socket) = input, let principal = server.core.connections[socket]?.principal else {
                    return next(input, &server)
                }
                let newer = server.core.connections.sockets(of: principal).filter { $0 > socket }
                return next(input, &server) + newer.map { .cut(socket: $0) }
            })
        Defect(
            "sync-ignores-the-limit", .SYNC, 11, "Sends more than `limit` frames in `missed`.",
            .hears("sync") { frame, _ in frame["limit"] = nil })
        Defect(
            "env-promises-more-without-frames", .ENV, 2, "Answers a `sync` that does not fit with an empty page.",
            .pages { page, _, _ in if page["more"] == true { page["missed"] = [] } })
    }
}

extension JSONValue {
    fileprivate var missed: [JSONValue] { self["missed"]?.arrayValue ?? [] }

    fileprivate mutating func claimComplete() {
        self["complete"] = true
        self["reason"] = nil
    }
}

extension Fault {
    fileprivate static func pages(
        _ change: @escaping @Sendable (_ page: inout JSONValue, _ sync: JSONValue, FaultyCore) -> Void
    ) -> Fault {
        sends { page, sockets, input, server in
            guard page.type == "syncResult", case .received(_, .text(let text)) = input,
                let sync = server.frame(text)
            else { return nil }
            var changed = page
            change(&changed, sync, server)
            return [.send(to: sockets, server.outgoing(changed))]
        }
    }
}
