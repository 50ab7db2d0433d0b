import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastReport

extension KillMatrix.Result {
    /// The matrix as text: legal peers first, then each clause with its defects, then everything that needs attention.
    package func text(_ style: ConsoleStyle) -> String {
        let width = ((peers.map(\.name.count) + waiting.map(\.name.count)).max() ?? 0) + 2
        var lines: [String] = []
        let broken = peers.enumerated().compactMap { index, peer in peer.clause.map { ($0, index, peer) } }
        let rows = peers.filter { $0.clause == nil } + broken.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map(\.2)
        for peer in rows where peer.holds { lines += row(peer, width) }
        for peer in rows where !peer.holds { lines += row(peer, width) }
        for defect in waiting {
            lines.append(
                "WAITS   \(padded(defect.clause?.description ?? "", 11))\(padded(defect.name, width))no check yet")
        }
        for clause in unbroken {
            lines.append("UNSHOWN \(padded(clause.description, 11))no defect and no transcript breaks it")
        }
        if !shownByTranscript.isEmpty {
            let names = shownByTranscript.map(\.description).joined(separator: ", ")
            lines.append(style.wrapped("shown to catch by an edited transcript alone: \(names)", indent: 0, hanging: 2))
        }
        return (lines + ["", summary]).joined(separator: "\n") + "\n"
    }

    private var summary: String {
        let defects = peers.filter { $0.clause != nil }
        let caught = defects.filter(\.holds)
        let legal = peers.filter { $0.clause == nil }
        return [
            holds ? "selftest passed" : "selftest failed",
            ": \(caught.count) of \(counted(defects.count, "defect")) caught by \(defects.count == 1 ? "its" : "their") own clause, ",
            "\(caught.count { $0.head ?? $0.clause == $0.clause }) named first by it, ",
            "\(counted(Set(caught.compactMap(\.clause)).count, "clause")) shown to catch, ",
            "\(legal.filter(\.holds).count) of \(counted(legal.count, "healthy peer")) judged correctly, in \(readable(duration))",
        ].joined()
    }

    private func row(_ peer: KillMatrixPeer, _ width: Int) -> [String] {
        let clause = padded(peer.clause?.description ?? "", 11)
        var line = "\(padded(peer.word, 8))\(clause)\(padded(peer.name, width))"
        let others = peer.violated.filter { $0 != peer.clause }.map(\.description).joined(separator: " ")
        if peer.clause != nil {
            if peer.isRepeated == false { line += "not found again by --only \(peer.selector ?? "")  " }
            if let head = peer.head, head != peer.clause { line += "reported under \(head)  " }
            if !others.isEmpty { line += "also \(others)" }
        } else if peer.kind == .wire, peer.holds {
            line += "breaks what its wire cannot keep: \(others)"
        } else if !peer.holds {
            let unproved = peer.unproved.map(\.description).joined(separator: " ")
            line += "violated: \(others.isEmpty ? "-" : others)  unproved: \(unproved.isEmpty ? "-" : unproved)"
            if peer.kind == .wire {
                line += "  cannot be kept: \(peer.unkeepable.map(\.description).joined(separator: " "))"
            }
        }
        while line.last == " " { line.removeLast() }
        return [line] + (peer.holds ? [] : peer.problems.prefix(3).map { "    " + $0 })
    }

    package var value: JSONValue {
        JSONValue(members: [
            "format": "holdfast-kill-matrix", "version": 1, "holds": holds, "waiting": waiting.map(\.name),
            "unbroken": unbroken, "shownByTranscript": shownByTranscript,
            "peers": peers.map { peer in
                JSONValue(members: [
                    "kind": peer.kind.rawValue, "name": peer.name, "clause": peer.clause ?? JSONValue.null,
                    "holds": peer.holds, "violated": peer.violated, "unkeepable": peer.unkeepable,
                    "unproved": peer.unproved, "problems": peer.problems, "attempts": peer.attempts,
                    "selector": peer.selector, "head": peer.head,
                ])
            },
        ])
    }
}

extension KillMatrixPeer {
    /// Its result in one word, in capitals if it needs attention.
    fileprivate var word: String {
        if clause == nil { return holds ? "green" : "RED" }
        if holds { return "caught" }
        if isRepeated == false { return "ONCE" }
        return violated.isEmpty ? "LIVES" : "FOREIGN"
    }
}
