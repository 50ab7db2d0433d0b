import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastReference
import HoldfastTranscript

/// A server, a disk, a network, a push service and the stage, in one thread and on a clock of their own.
///
/// Whatever takes time is an entry of one agenda, and whatever is left to chance is drawn from one generator; so a seed names a
/// history. A scenario is performed as by the stage: the same steps, the same records, the same bounds.
final class World {
    typealias Deed = (World) -> Void

    /// The time of day at which every history begins, in microseconds since 1970.
    private static let midnight = 1_780_272_000_000_000
    /// What one scenario may take, so that each one ends.
    private static let longest = 600_000_000
    private static let mostDeeds = 400_000

    let configuration: ReferenceConfiguration
    let timeouts: Timeouts
    let profiles: Set<Profile>
    let principals: [String: Principal]
    var chance: SplitMix64

    private(set) var now = 0
    private var agenda = Agenda<Deed>()

    private(set) var events: [Event] = []
    private(set) var frames: [Frame?] = []

    // The server, and what it cannot do by itself.
    var server: BareServer?
    /// Which process runs, or ran last.
    var life = 0
    var disk: [String] = []
    var refusesWrites = false
    /// Appends that the disk has not made yet, in order.
    var unwritten: [(write: Int, lines: [String])] = []
    var diskIsFree = 0

    // The network.
    var links: [Int: Link] = [:]
    /// The last connection of each letter.
    var lanes: [String: Link] = [:]
    var refusedLanes: Set<String> = []
    var exchanges: [Int: Exchange] = [:]
    var lastNumber = 0
    var lastExchange = 0

    // The push service.
    var pushPrograms: [PushProgram] = []
    var pushLetters: [String: [JSONValue?]] = [:]

    // The stage.
    var strands: [Strand] = []
    var variables = ScenarioVariables()
    var nonces = 0
    var scriptWait = 0
    /// What ended the steps before the last of them.
    var end: StrandEnd?
    var isOver = false

    /// Somebody with a token and a device.
    struct Principal {
        let token: String?
        let device: String?
    }

    init(_ setting: Setting, principals count: Int, seed: UInt64) {
        configuration = setting.configuration
        timeouts = setting.timeouts
        profiles = setting.profiles
        chance = SplitMix64(seed: seed)
        let told = setting.configuration
        let devices = Dictionary(told.push?.devices.map { ($0.principal, $0.token) } ?? []) { first, _ in first }
        let people = told.principals.prefix(count).map { person in
            let token = told.requiresAuth ? person.token : nil
            return (person.name, Principal(token: token, device: devices[person.name]))
        }
        principals = Dictionary(people) { first, _ in first }
    }

    // MARK: time

    func after(_ delay: Int, _ deed: @escaping Deed) { agenda.add(deed, at: now + max(0, delay)) }

    func at(_ time: Int, _ deed: @escaping Deed) { agenda.add(deed, at: max(now, time)) }

    /// The time of day.
    var wall: Int { Self.midnight + now }

    /// What a message takes on its way: mostly a moment, sometimes long enough for others to overtake it.
    func delay() -> Int {
        switch chance.number(in: 1...100) {
        case ...80: chance.number(in: 40...400)
        case ...97: chance.number(in: 400...5_000)
        default: chance.number(in: 5_000...60_000)
        }
    }

    func limit(_ name: String) -> Int {
        let bound = (timeouts.byName[name] ?? timeouts.turn).microseconds
        return name == "turn" ? bound + scriptWait * 1000 : bound
    }

    // MARK: records

    func note(_ kind: Event.Kind, on lane: Lane, frame: Frame? = nil) {
        events.append(Event(at: now, lane: lane, kind: kind))
        frames.append(frame ?? Frame(kind))
    }

    func note(act name: String, _ details: JSONObject = [:], on lane: Lane = .server) {
        note(.act(name, details), on: lane)
    }

    // MARK: the run

    /// Performs steps to their end.
    func run(_ steps: [ScenarioStep]) {
        begin()
        let root = Strand(steps)
        root.whenOver = { world, end in
            world.end = end
            world.finish()
        }
        strands.append(root)
        resume(root)
        var deeds = 0
        while !isOver, let next = agenda.next() {
            now = next.at
            next.entry(self)
            deeds += 1
            poll()
            if now > Self.longest || deeds > Self.mostDeeds {
                end = end ?? .problem("it does not come to its end")
                return
            }
        }
    }

    private func begin() {
        for name in principals.keys.sorted() {
            if profiles.contains(.rateLimit) {
                note(act: "lend", ["principal": .string(name), "spent": 0])
            }
        }
        for name in principals.keys.sorted() where principals[name]?.device != nil {
            note(act: "listen", ["principal": .string(name)], on: .push)
        }
        variables["run"] = "plan"
        variables["kills"] = 4
        variables["authSeconds"] = JSONValue(configuration.authSeconds)
        for (name, principal) in principals {
            variables["\(name)Token"] = .string(percentEncoded(principal.token ?? ""))
        }
        startServer()
        now = 1000
    }
}
