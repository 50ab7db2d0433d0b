import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastTranscript

// How a scenario ends.
extension World {
    /// Fences what is still open, so that frames nobody waited for are seen, then closes everything.
    func finish() {
        for link in links.values.sorted(by: { $0.number < $1.number }) where link.hasGoodbye && link.isAuthenticated {
            note(.act(Event.wentOn, [:]), on: link.lane)
        }
        let open = links.values.filter { !$0.isCut && !$0.closeSent && !$0.hasEnded }.sorted { $0.number < $1.number }
        var left = open.count
        guard left > 0 else { return isOver = true }
        for link in open {
            let strand = Strand([])
            strand.wait = link.isAuthenticated && !link.isPaused ? fence(link) : Strand.Wait { _ in .there }
            if let deadline = strand.wait?.deadline { at(deadline) { _ in } }
            strand.whenOver = { world, _ in
                world.close(link, code: 1000)
                world.after(120_000) { world in
                    left -= 1
                    if left == 0 { world.isOver = true }
                }
            }
            strands.append(strand)
        }
        after(1) { _ in }
    }

    /// Sends a ping with a nonce and waits for its pong; one that stays away is recorded, and no more.
    func fence(_ link: Link, orElse problem: StrandEnd? = nil) -> Strand.Wait {
        nonces += 1
        let nonce = JSONValue.string("fence-\(nonces)")
        send((["type": "ping", "nonce": nonce] as JSONValue).text(), on: link)
        return Strand.Wait(deadline: now + limit("pong")) { _ in
            if link.take(["pong"], where: { $0["nonce"] ?? nonce == nonce }) != nil { return .there }
            return link.hasEnded ? .never : .notYet
        } isLate: { world throws(StrandEnd) in
            world.note(.wait(awaited: "pong", met: false), on: link.lane)
            if let problem { throw problem }
        }
    }
}
