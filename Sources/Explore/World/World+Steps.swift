import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastReference
import HoldfastStage
import HoldfastTranscript

// The steps of scenarios, as the stage performs them.
extension World {
    func begin(_ step: ScenarioStep, on branch: Branch<World>) throws -> Wait? {
        let names = variables.overlaid(by: branch.local)
        switch step.action {
        case .connect(let step): return try connect(step, names)
        case .chat(let question, let lane): try chat(question, on: try open(lane), names)
        case .send(let frame, nil, let lane):
            let text = try names.value(frame).text()
            let shown = principals.reduce(text) { text, person in
                guard let token = person.value.token, !token.isEmpty else { return text }
                return text.replacing("\"\(token)\"", with: "\"‹token of \(person.key)›\"")
            }
            send(text, shown: shown, on: try open(lane))
        case .sendText(let fragments, let times, let lane):
            let texts = try fragments.map { String(repeating: try names.text($0), count: times) }
            send(texts.joined(), fragments: texts.count, on: try open(lane))
        case .sendBinary(.bytes(let bytes), let lane): send(binary: bytes, on: try open(lane))
        case .sendBinary(.frame(let frame), let lane):
            send(binary: Array(try names.value(frame).text().utf8), on: try open(lane))
        case .ping(let lane): ping("", on: try open(lane))
        case .await(let awaited, let lane): return try self.await(awaited, on: try open(lane), names)
        case .awaitClose(let bound, let wait, let lane): return try awaitClose(bound, wait, lane, names)
        case .watch(let wait):
            return .until(now + (try duration(wait, names))) { $0.note(.wait(awaited: "time", met: true), on: .server) }
        case .mute(let lane):
            let link = try open(lane)
            link.isMute = true
            note(act: "mute", on: link.lane)
        case .fence(let lane): return fence(try open(lane), isNeeded: true)
        case .http(let exchange):
            let body = try exchange.body.map { body in try names.value(body).text() }
            return try ask(
                exchange.method, try names.text(exchange.path), exchange.credential, body ?? exchange.bodyText,
                within: exchange.bounds, names
            ) { world, answer in
                try world.save(exchange.save, from: answer, of: "response", names)
                return nil
            }
        case .postChat(let question, let credential, let save): return try post(question, credential, save, names)
        case .leave(let question, let how): return try leave(question, how, names)
        case .readUntil(let read):
            return try self.read(read, names, deadline: now + limit(read.bound.within))
        case .sync(let position, let epoch, let limit, let lane):
            let frame = try ScenarioStep.sync(position, epoch: epoch, limit: limit) { try names.value($0) }
            send(frame.text(), on: try open(lane))
        case .cut(let how, let lane): cut(try open(lane), how)
        case .close(let code, let lane): return closed(try open(lane), code: code)
        case .stopReading(let lane):
            let link = try open(lane)
            note(act: "stopReading", on: link.lane)
            link.isPaused = true
        case .resumeReading(let lane):
            let link = try open(lane)
            note(act: "resumeReading", on: link.lane)
            resumeReading(link)
        case .together(let branches): return together(branches.map { Branch($0, local: branch.local) })
        case .repeat(let times, let counter, let until, let isParallel, let steps):
            return try self.repeat(try names.number(times), counter, until, isParallel, steps, on: branch)
        case .alive(let principal):
            let letter = ScenarioStep.lifeLane
            let connect = ScenarioStep.Connect(on: letter, credential: ScenarioStep.Credential(principal: principal))
            guard let opened = try self.connect(connect, names) else { return nil }
            return opened.then { world in
                let link = try world.open(letter)
                return world.fence(link, isNeeded: true).then { $0.closed(link, code: 1000) }
            }
        case .process(let step): return try process(step, names)
        case .pushAnswer(let answer): pushAnswers.add(answer, at: step.pointer)
        case .awaitPush(let awaited): return try awaitPush(awaited, names)
        case .send: throw StepEnd.unsuitable("frames of a size")
        }
        return nil
    }

    private func closed(_ link: Link, code: Int) -> Wait {
        close(link, code: code)
        return Wait(deadline: now + limit("close")) { _ in link.hasEnded ? .met : .notYet }
    }

    private func `repeat`(
        _ times: Int, _ counter: String?, _ until: String?, _ isParallel: Bool, _ steps: [ScenarioStep],
        on branch: Branch<World>
    ) throws -> Wait? {
        guard times > 0 else { return nil }
        var first = branch.local
        if let counter { first[counter] = 1 }
        guard isParallel else {
            if let until, variables[until] != nil { return nil }
            let rounds = Branch<World>.Rounds(times: times, counter: counter, until: until)
            branch.levels.append(Branch<World>.Level(steps: steps, local: first, rounds: rounds))
            return nil
        }
        return together(
            (1...times).map { number in
                var local = branch.local
                if let counter { local[counter] = JSONValue(number) }
                return Branch(steps, local: local)
            })
    }

    // MARK: connections

    private func open(_ letter: String) throws -> Link {
        if let link = lanes[letter], !refusedLanes.contains(letter) { return link }
        if refusedLanes.contains(letter) { throw StepEnd.unmet("connection \(letter) was refused") }
        throw SimulationProblem(description: "no connection \(letter)")
    }

    private func token(_ credential: ScenarioStep.Credential, _ names: ScenarioVariables) throws -> String? {
        switch credential.token {
        case .own: return principals[credential.principal]?.token
        case .none: return nil
        case .other(let text): return try names.text(text)
        }
    }

    private func connect(_ step: ScenarioStep.Connect, _ names: ScenarioVariables) throws -> Wait? {
        guard step.query == nil else { throw StepEnd.unsuitable("queries of upgrades") }
        let lane = Lane.connection(step.on)
        lanes[step.on].map(recordEnd)
        note(
            .opening(Event.Opening(principal: step.credential.shown ?? step.credential.principal, path: "/ws")),
            on: lane)
        guard server != nil else {
            note(.refused(status: nil, reason: "connectionRefused"), on: lane)
            refusedLanes.insert(step.on)
            try missed("upgrade", on: lane, isOptional: step.isOptional)
            return nil
        }
        let token = try token(step.credential, names)
        let isOwn = step.credential.token == .own
        let auth = try step.auth(token: token) { try names.value($0) }
        let shownAuth = try step.auth(token: token.map { isOwn ? "‹token of \(step.credential.principal)›" : $0 }) {
            try names.value($0)
        }
        lastNumber += 1
        let link = Link(step.on, number: lastNumber, life: life)
        links[link.number] = link
        refusedLanes.remove(step.on)
        lanes[step.on] = link
        up(link) { world, link in
            world.feed(.opened(socket: link.number, principal: nil))
            world.down(link.number) { world, link in
                link.isOpen = true
                world.note(.opened, on: link.lane)
                if step.handshake { world.send(auth.text(), shown: shownAuth.text(), on: link) }
            }
        }
        let opened = Wait(deadline: now + limit("connect")) { _ in
            link.isOpen ? .met : link.hasEnded ? .never : .notYet
        } onMiss: { world in
            try world.missed("upgrade", on: link.lane, isOptional: step.isOptional)
        }
        guard step.handshake else { return opened }
        return opened.then { link.isOpen ? $0.greeted(on: link, step, names) : nil }
    }

    private func greeted(on link: Link, _ step: ScenarioStep.Connect, _ names: ScenarioVariables) -> Wait {
        Wait(deadline: now + limit("connect")) { world in
            guard let connected = link.take(["connected"], where: { _ in true }) else {
                return link.hasEnded ? .never : .notYet
            }
            link.isAuthenticated = true
            try world.save(step.save, from: connected, of: "connected", names)
            return .met
        } onMiss: { world in
            try world.missed("connected", on: link.lane, isOptional: step.isOptional)
        }
    }

    private func chat(_ question: ScenarioStep.Question, on link: Link, _ names: ScenarioVariables) throws {
        let frame = JSONValue.chat(try body(of: question, names))
        scriptWait += question.waitMs
        link.answersDueBy = now + limit("turn")
        send(try lengthened(frame, to: question.bytes, names).text(), fragments: question.fragments, on: link)
    }

    /// A question with a text that gives it the required length.
    private func lengthened(
        _ question: JSONValue, to bytes: JSONValue?, _ names: ScenarioVariables
    ) throws -> JSONValue {
        guard let bytes else { return question }
        let missing = try names.number(bytes) - question.text().utf8.count
        return ScenarioStep.Question.lengthened(question, by: max(0, missing)) ?? question
    }

    private func body(of question: ScenarioStep.Question, _ names: ScenarioVariables) throws -> JSONObject {
        try question.body(
            obeysScripts: true, filled: { try names.value($0) }, key: { key(of: $0) },
            count: { min(max(0, try names.number($0)), 2_000) })
    }

    private func key(of name: String) -> String {
        if let known = variables[name]?.stringValue { return known }
        let key = "key-of-\(name)"
        variables[name] = .string(key)
        return key
    }

    // MARK: waits

    private func `await`(
        _ awaited: ScenarioStep.Await, on link: Link, _ names: ScenarioVariables
    ) throws -> Wait {
        let matches = try ScenarioStep.matching(awaited.conditions) { try names.value($0) }
        let what = awaited.types.joined(separator: " or ")
        var deadline = now + limit(awaited.bound.within)
        if !awaited.bound.isOptional { deadline = max(deadline, link.answersDueBy) }
        return Wait(deadline: deadline) { world in
            if let frame = link.take(awaited.types, where: matches) {
                try world.save(awaited.save, from: frame, of: what, names)
                return .met
            }
            guard link.hasEnded else { return .notYet }
            return awaited.types.contains("close") ? .met : .never
        } onMiss: { world in
            try world.missed(what, on: link.lane, isOptional: awaited.bound.isOptional)
        }
    }

    private func awaitClose(
        _ bound: ScenarioStep.Bound, _ wait: ScenarioStep.StatedTime?, _ lane: String, _ names: ScenarioVariables
    ) throws -> Wait? {
        if refusedLanes.contains(lane) { return nil }
        let link = try open(lane)
        let time = try wait.map { try duration($0, names) } ?? 0
        return Wait(deadline: now + time + limit(bound.within)) { _ in
            link.hasEnded ? .met : .notYet
        } onMiss: { world in
            try world.missed("close", on: link.lane, isOptional: bound.isOptional)
        }
    }

    private func awaitPush(_ awaited: ScenarioStep.AwaitPush, _ names: ScenarioVariables) throws -> Wait {
        let matches = try ScenarioStep.matching(awaited.conditions) { try names.value($0) }
        let what = "push to \(awaited.principal)"
        return Wait(deadline: now + limit(awaited.bound.within)) { world in
            guard let push = world.takePush(to: awaited.principal, matches) else { return .notYet }
            try world.save(awaited.save, from: push, of: "push", names)
            return .met
        } onMiss: { world in
            try world.missed(what, on: .push, isOptional: awaited.bound.isOptional)
        }
    }

    private func duration(_ wait: ScenarioStep.StatedTime, _ names: ScenarioVariables) throws -> Int {
        guard let duration = wait.duration(of: try names.number(wait.amount)) else {
            throw SimulationProblem(description: "no duration")
        }
        return duration.microseconds
    }

    /// Records an unmet wait, which shows how long the stage watched.
    func missed(_ what: String, on lane: Lane, isOptional: Bool) throws {
        note(.wait(awaited: what, met: false), on: lane)
        if !isOptional { throw StepEnd.unmet("no \(what) in time") }
    }

    private func save(
        _ pointers: [String: JSONPointer], from root: JSONValue?, of what: String, _ names: ScenarioVariables
    ) throws {
        for (name, pointer) in pointers.sorted(by: { $0.key < $1.key }) {
            guard let value = root?[pointer] else { throw StepEnd.unmet("\(what) has no \(pointer)") }
            variables[try names.text(name)] = value
        }
    }

    // MARK: REST

    private func post(
        _ question: ScenarioStep.Question, _ credential: ScenarioStep.Credential, _ pointers: [String: JSONPointer],
        _ names: ScenarioVariables
    ) throws -> Wait {
        let body = try lengthened(.object(try body(of: question, names)), to: question.bytes, names)
        scriptWait += question.waitMs
        let wait = try ask("POST", "/api/chat", credential, body.text(), within: ["turn", "rest"], names) {
            world, answer in
            try world.save(pointers, from: answer, of: "response", names)
            return nil
        }
        if let name = question.name { posts[try names.text(name)] = lastExchange }
        return wait
    }

    /// Cuts the connection of a question that was sent, unless its response has arrived.
    private func leave(_ name: String, _ how: Cut, _ names: ScenarioVariables) throws -> Wait {
        let question = try names.text(name)
        return Wait(deadline: now + limit("rest")) { world in
            guard let number = world.posts[question], let exchange = world.exchanges[number] else { return .notYet }
            guard exchange.answer == nil else { return .met }
            world.note(act: "cut", ["how": .string(how.rawValue)], on: .exchange(number))
            world.exchanges[number]?.answer = .abandoned
            world.at(max(exchange.upAt, world.now + world.delay())) { world in
                if world.life == exchange.life { world.feed(.left(request: number)) }
            }
            return .met
        } onMiss: { _ in
            throw StepEnd.unmet("the question '\(name)' was not sent over REST")
        }
    }

    private func read(_ read: ScenarioStep.ReadUntil, _ names: ScenarioVariables, deadline: Int) throws -> Wait {
        let path = "/api/sessions/\(try names.text(read.session))"
        let credential = ScenarioStep.Credential(principal: read.principal)
        let isLast = now >= deadline
        return try ask("GET", path, credential, nil, within: ["rest"], names) { world, answer in
            if let answer, read.isMet(by: answer) {
                try world.save(read.save, from: answer, of: "response", names)
                return nil
            }
            if isLast {
                try world.missed(
                    "session with \(read.messages) messages", on: .exchange(world.lastExchange),
                    isOptional: read.bound.isOptional)
                return nil
            }
            return Wait.until(world.now + 5_000).then { try $0.read(read, names, deadline: deadline) }
        }
    }

    /// Sends a request; `take` handles the answer and returns the next wait.
    private func ask(
        _ method: String, _ path: String, _ credential: ScenarioStep.Credential, _ body: String?,
        within bounds: [String], _ names: ScenarioVariables,
        then take: @escaping (World, JSONValue?) throws -> Wait?
    ) throws -> Wait {
        lastExchange += 1
        let number = lastExchange
        let life = life
        let token = try token(credential, names)
        let lane = Lane.exchange(number)
        exchanges[number] = Exchange(life: life)
        note(
            .request(Event.Request(method: method, path: path, principal: credential.shown, body: body)), on: lane)
        let parts = path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        if server == nil {
            note(.failed(reason: "connectionRefused"), on: lane)
            exchanges[number]?.answer = .lost
            // The loss is seen at once, even by a wait that follows another one.
            after(0) { _ in }
        } else {
            let upAt = now + delay()
            exchanges[number]?.upAt = upAt
            at(upAt) { world in
                guard world.life == life, world.server != nil else { return }
                let query = parts.count > 1 ? parts[1] : nil
                world.feed(
                    .asked(
                        request: number,
                        HoldfastReference.RESTRequest(
                            method: method, path: parts[0], query: query, token: token, body: Array((body ?? "").utf8))
                    ))
            }
        }
        return Wait(deadline: now + limit(bounds)) { world in
            guard let answer = world.exchanges[number]?.answer else { return .notYet }
            // A server that the scenario ended does not answer, and the scenario continues.
            if case .lost = answer, world.server != nil, world.life == life { throw StepEnd.unmet("no response") }
            return .met
        } onMiss: { world in
            world.note(.failed(reason: "late"), on: lane)
            world.exchanges[number]?.answer = .lost
            throw StepEnd.unmet("no response, late")
        }.then { world in
            guard case .body(let body) = world.exchanges[number]?.answer else { return try take(world, nil) }
            return try take(world, body)
        }
    }

    // MARK: the process

    private func process(_ step: ScenarioStep.ProcessStep, _ names: ScenarioVariables) throws -> Wait? {
        switch step {
        case .kill(let pause):
            let unit = pause?.unit == .milliseconds ? 1000 : 1
            let time = try pause.map { try names.number($0.number) } ?? 0
            var isKilled = false
            var failed = false
            after(time * unit) { world in
                isKilled = true
                failed = world.server == nil
                guard !failed else { return }
                world.note(act: "kill")
                world.endByKill()
            }
            return Wait { world in
                if failed { throw StepEnd.unmet("the server had ended by itself") }
                return isKilled && world.hasSettled ? .met : .notYet
            }
        case .killOn, .awaitKill: throw StepEnd.unsuitable("kills on bytes")
        case .stop:
            guard server != nil else { throw StepEnd.unmet("the server had ended by itself") }
            note(act: "stop")
            var isDone = false
            stop { _ in isDone = true }
            return Wait { world in isDone && world.hasSettled ? .met : .notYet }
        case .start:
            guard server == nil else { return nil }
            startServer()
            return .until(now + 60_000) { $0.note(act: "start") }
        case .refuseWrites:
            refusesWrites = true
            note(act: "refuseWrites")
        case .acceptWrites:
            note(act: "acceptWrites")
            refusesWrites = false
        }
        return nil
    }

    /// Whether every connection of an ended process is known to be over.
    private var hasSettled: Bool {
        !links.values.contains { $0.life == life && !$0.isCut && !$0.hasEnded && !$0.isPaused }
    }
}

extension ScenarioVariables {
    fileprivate func number(_ template: JSONValue) throws -> Int {
        guard let number = try value(template).intValue else { throw Problem.notANumber(name: template.text()) }
        return number
    }
}
