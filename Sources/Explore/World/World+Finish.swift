import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastTranscript

// The end of a scenario.
extension World {
    /// Fences all open connections, so that the record includes frames that no step waited for, then closes everything.
    func finish() {
        for link in links.values.sorted(by: { $0.number < $1.number }) where link.hasGoodbye {
            note(.act(Event.wentOn, [:]), on: link.lane)
        }
        let open = links.values.filter { !$0.isCut && !$0.closeSent && !$0.hasEnded }.sorted { $0.number < $1.number }
        var left = open.count
        guard left > 0 else { return isOver = true }
        for link in open {
            let branch = Branch<World>([])
            branch.wait = link.isAuthenticated && !link.isPaused ? fence(link) : Wait { _ in .met }
            if let deadline = branch.wait?.deadline { at(deadline) { _ in } }
            branch.whenOver = { world, _ in
                world.close(link, code: 1000)
                world.after(120_000) { world in
                    left -= 1
                    if left == 0 { world.isOver = true }
                }
            }
            branches.append(branch)
        }
        after(1) { _ in }
    }

    /// Sends a ping with a nonce and waits for its pong; if the pong is not needed, its absence is only recorded.
    func fence(_ link: Link, isNeeded: Bool = false) -> Wait {
        nonces += 1
        let nonce = JSONValue.string("fence-\(nonces)")
        send((["type": "ping", "nonce": nonce] as JSONValue).text(), on: link)
        return Wait(deadline: now + limit("pong")) { _ in
            if link.take(["pong"], where: { $0["nonce"] ?? nonce == nonce }) != nil { return .met }
            return link.hasEnded ? .never : .notYet
        } onMiss: { world in
            try world.missed("pong", on: link.lane, isOptional: !isNeeded)
        }
    }
}
