import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastTranscript

// What is performed at the same time, and what each part of it waits for.
extension World {
    /// Goes on with a strand after the moment that a stage takes between two steps.
    func resume(_ strand: Strand) { after(chance.number(in: 10...150)) { $0.perform(strand) } }

    private func perform(_ strand: Strand) {
        while let step = strand.next(variables) {
            if let profile = step.profile, !profiles.contains(profile) { continue }
            do {
                strand.wait = try begin(step.action, at: "\(step.pointer)", on: strand)
            } catch {
                return end(strand, error)
            }
            guard let wait = strand.wait else { return resume(strand) }
            if let deadline = wait.deadline { at(deadline) { _ in } }
            return
        }
        end(strand, nil)
    }

    private func end(_ strand: Strand, _ end: StrandEnd?) {
        strand.wait = nil
        strands.removeAll { $0 === strand }
        strand.whenOver(self, end)
    }

    /// Asks every wait whether it is over.
    func poll() {
        for strand in strands {
            guard let wait = strand.wait else { continue }
            do {
                switch try wait.look(self) {
                case .there: break
                case .notYet where wait.deadline.map { now < $0 } ?? true: continue
                case .notYet, .never: try wait.isLate(self)
                }
                strand.wait = nil
                resume(strand)
            } catch {
                end(strand, error)
            }
        }
    }

    /// Performs branches at the same time, to their ends, also when one of them cannot go on.
    func together(_ branches: [Strand]) -> Strand.Wait? {
        guard !branches.isEmpty else { return nil }
        let group = Group(branches.count)
        for (index, branch) in branches.enumerated() {
            branch.whenOver = { _, end in
                group.left -= 1
                group.ends[index] = end
            }
            strands.append(branch)
            resume(branch)
        }
        return Strand.Wait { _ throws(StrandEnd) in
            guard group.left == 0 else { return .notYet }
            if let first = group.ends.min(by: { $0.key < $1.key }) { throw first.value }
            return .there
        }
    }

    private final class Group {
        var left: Int
        var ends: [Int: StrandEnd] = [:]

        init(_ count: Int) { left = count }
    }

    /// Fences what is still open, so that frames nobody waited for are seen, then closes everything.
    func finish() {
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
