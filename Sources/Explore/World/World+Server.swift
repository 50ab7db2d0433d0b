import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastReference
import HoldfastTranscript

// The process of the server, its disk and its timers.
extension World {
    func startServer() {
        life += 1
        // Each process begins without a limit on its writes.
        refusesWrites = false
        unwritten = []
        diskFreeAt = now
        server = BareServer(configuration, disk: disk, seed: chance.next())
        feed(.started)
        beat(of: life)
    }

    private func beat(of life: Int) {
        after(200_000) { world in
            guard world.life == life, world.server != nil else { return }
            world.feed(.beat)
            world.beat(of: life)
        }
    }

    func feed(_ input: Input) {
        guard let effects = server?.handle(input, steady: now, wall: wall) else { return }
        for effect in effects where server != nil { perform(effect) }
    }

    private func perform(_ effect: Effect) {
        let life = life
        switch effect {
        case .send(let sockets, let said):
            for socket in sockets { down(socket) { world, link in world.arrived(said.text, on: link) } }
        case .ping(let socket): down(socket) { world, link in world.pinged(link) }
        case .close(let socket, let code, let reason):
            let code = Int(code)
            links[socket]?.hasGoodbye = Event.Kind.close(.fromServer, code: code, reason: reason).isGoodbye
            closeByServer(socket, code, reason)
        case .cut(let socket): cutByServer(socket)
        case .endProcess: endProcess()
        case .answer(let request, let answer):
            after(delay()) { $0.answered(request, answer.status, answer.headers, answer.body) }
        case .store(let write, let records):
            unwritten.append((write, records))
            diskFreeAt = max(diskFreeAt, now) + chance.number(in: 200...3_000)
            at(diskFreeAt) { if $0.life == life, $0.server != nil { $0.write() } }
        case .wait(let timer, let milliseconds):
            after(milliseconds * 1000) { if $0.life == life { $0.feed(.elapsed(timer: timer)) } }
        case .push(let device, let notice):
            after(chance.number(in: 300...8_000)) { $0.pushed(to: device, notice, life: life) }
        }
    }

    /// The disk performs the next append, or refuses it.
    private func write() {
        guard !unwritten.isEmpty else { return }
        let (write, records) = unwritten.removeFirst()
        if !refusesWrites { disk += records }
        feed(.stored(write: write, succeeded: !refusesWrites))
    }

    // MARK: the end of a process

    /// Ends the process like a signal: pending writes may complete, and messages in transit may be lost.
    func endByKill() {
        let written = chance.number(in: 0...unwritten.count)
        if !refusesWrites { for append in unwritten.prefix(written) { disk += append.records } }
        unwritten = []
        server = nil
        for link in links.values.sorted(by: { $0.number < $1.number }) where !link.isGone {
            link.isGone = true
            let isLost = chance.number(in: 1...4) == 1
            if isLost { link.downAt = now }
            let limit = now
            at(max(link.downAt, now + chance.number(in: 50...1_500))) { $0.ended("", link) }
            if isLost { link.losesAfter = limit }
        }
        for number in exchanges.keys.sorted() where exchanges[number]?.answer == nil {
            after(chance.number(in: 50...1_500)) { $0.lost(number) }
        }
    }

    /// A defect has ended the process.
    private func endProcess() {
        endByKill()
        note(act: "exit", ["signal": "SIGKILL"])
    }

    /// Tells the process to stop; the action follows its end.
    func stop(then action: @escaping Action) {
        guard server != nil else { return action(self) }
        feed(.stopping)
        settle(until: now + 5_000_000) { world in
            guard let server = world.server else { return action(world) }
            for number in world.exchanges.keys.sorted() where world.exchanges[number]?.answer == nil {
                world.answered(number, 503, [:], #"{"error":"the server stopped","code":"interrupted"}"#)
            }
            for link in world.links.values.sorted(by: { $0.number < $1.number }) where !link.isGone {
                world.closeByServer(link.number, Int(server.stopCode), "the server stops")
            }
            world.after(3_000) { world in
                world.server = nil
                action(world)
            }
        }
    }

    private func settle(until bound: Int, then action: @escaping Action) {
        if server?.isIdle != false || now >= bound { return action(self) }
        after(1_000) { $0.settle(until: bound, then: action) }
    }
}
