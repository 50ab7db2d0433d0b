import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastTranscript

// Traffic between the stage and the server: in order on each connection, with independent latencies.
extension World {
    func up(_ link: Link, _ action: @escaping (World, Link) -> Void) {
        link.upAt = max(link.upAt, now + delay())
        at(link.upAt) { world in
            guard world.life == link.life, world.server != nil, !link.isGone else { return }
            action(world, link)
        }
    }

    func down(_ socket: Int, _ action: @escaping (World, Link) -> Void) {
        guard let link = links[socket], !link.isGone else { return }
        down(link, action)
    }

    private func down(_ link: Link, _ action: @escaping (World, Link) -> Void) {
        link.downAt = max(link.downAt, now + delay())
        at(link.downAt) { world in
            if let limit = link.losesAfter, world.now > limit { return }
            world.receive(link) { action($0, link) }
        }
    }

    private func receive(_ link: Link, _ action: @escaping Action) {
        guard !link.isCut else { return }
        if link.isPaused { link.held.append(action) } else { action(self) }
    }

    // MARK: up

    func send(_ text: String, shown: String? = nil, fragments: Int = 1, on link: Link) {
        guard !link.isCut, !link.closeSent else { return }
        if fragments > 1 { note(act: "fragments", ["count": JSONValue(fragments)], on: link.lane) }
        note(.text(.toServer, shown ?? text), on: link.lane)
        // A ping is sent between the first two fragments.
        if fragments > 1 { ping("", on: link) }
        let maxBytes = configuration.messageLimit
        up(link) { world, link in
            let bytes = text.utf8.count
            world.feed(.received(socket: link.number, bytes > maxBytes ? .tooLarge(bytes: bytes) : .text(text)))
        }
    }

    func send(binary bytes: [UInt8], on link: Link) {
        guard !link.isCut, !link.closeSent else { return }
        note(.binary(.toServer, bytes), on: link.lane)
        up(link) { world, link in world.feed(.received(socket: link.number, .binary(bytes))) }
    }

    func ping(_ payload: String, on link: Link) {
        guard !link.isCut, !link.closeSent else { return }
        note(.ping(.toServer), on: link.lane)
        up(link) { world, link in
            world.feed(.heard(socket: link.number))
            world.down(link) { world, link in world.note(.pong(.fromServer), on: link.lane) }
        }
    }

    func cut(_ link: Link, _ how: Cut) {
        note(act: "cut", ["how": .string(how.rawValue)], on: link.lane)
        link.isCut = true
        link.hasEnded = true
        guard how != .silence else { return }
        up(link) { world, link in world.gone(link) }
    }

    /// Sends a close frame; the server answers, and the connection is over.
    func close(_ link: Link, code: Int) {
        guard !link.isCut, !link.closeSent, !link.hasEnded else { return }
        if link.isPaused { resumeReading(link) }
        link.closeSent = true
        note(.close(.toServer, code: code, reason: ""), on: link.lane)
        up(link) { world, link in
            world.down(link) { world, link in
                guard !link.hasEnded else { return }
                world.note(.close(.fromServer, code: code, reason: ""), on: link.lane)
                link.hasEnded = true
            }
            world.down(link) { world, link in world.recordEnd(of: link) }
            world.gone(link)
        }
    }

    /// Records the end of a closing connection, before another one gets its letter.
    func recordEnd(of link: Link) {
        guard link.hasEnded, !link.isCut else { return }
        note(.eof(reason: ""), on: link.lane)
        link.isCut = true
    }

    func resumeReading(_ link: Link) {
        link.isPaused = false
        let held = link.held
        link.held = []
        for action in held { receive(link, action) }
    }

    /// The server notices that a connection is over.
    private func gone(_ link: Link) {
        guard !link.isGone else { return }
        link.isGone = true
        feed(.ended(socket: link.number))
    }

    // MARK: down

    func arrived(_ text: String, on link: Link) {
        let frame = Frame(text)
        note(.text(.fromServer, text), on: link.lane, frame: frame)
        if let message = frame.value, !link.hasEnded { link.put(message) }
    }

    func pinged(_ link: Link) {
        note(.ping(.fromServer), on: link.lane)
        guard !link.isMute else { return }
        note(.pong(.toServer), on: link.lane)
        up(link) { world, link in world.feed(.heard(socket: link.number)) }
    }

    func closeByServer(_ socket: Int, _ code: Int, _ reason: String) {
        guard let link = links[socket], !link.isGone else { return }
        down(link) { world, link in
            guard !link.hasEnded else { return }
            world.note(.close(.fromServer, code: code, reason: reason), on: link.lane)
            link.hasEnded = true
            world.up(link) { world, link in world.gone(link) }
        }
        down(link) { world, link in world.recordEnd(of: link) }
    }

    func cutByServer(_ socket: Int) {
        guard let link = links[socket], !link.isGone else { return }
        down(link) { world, link in world.ended("reset", link) }
        gone(link)
    }

    /// A connection ended without a goodbye.
    func ended(_ reason: String, _ link: Link) {
        guard !link.isCut else { return }
        note(link.isOpen ? .eof(reason: reason) : .refused(status: nil, reason: "reset"), on: link.lane)
        link.hasEnded = true
        link.isCut = true
    }

    // MARK: REST

    func answered(_ number: Int, _ status: Int, _ headers: [String: String], _ body: String) {
        guard let exchange = exchanges[number], exchange.answer == nil else { return }
        let lane = Lane.exchange(number)
        var seen = headers.sorted { $0.key < $1.key }.map { Event.Header(name: $0.key.lowercased(), value: $0.value) }
        if !seen.contains(where: { $0.name == "content-type" }) {
            seen.append(Event.Header(name: "content-type", value: "application/json"))
        }
        seen.append(Event.Header(name: "content-length", value: "\(body.utf8.count)"))
        note(.response(Event.Response(status: status, headers: seen, body: body)), on: lane)
        exchanges[number]?.answer = .body(try? JSONParser.document(body).root)
    }

    func lost(_ number: Int) {
        guard let exchange = exchanges[number], exchange.answer == nil else { return }
        note(.failed(reason: "closed"), on: .exchange(number))
        exchanges[number]?.answer = .lost
    }
}
