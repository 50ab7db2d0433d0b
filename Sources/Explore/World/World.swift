import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastReference
import HoldfastTranscript

/// A server, a disk, a network, a push service and the stage, in one thread and on a clock of their own.
///
/// A scenario is performed as by the stage: the same steps, the same records, the same bounds.
final class World: Theater {
    typealias Step = ScenarioStep
    typealias Strand = HoldfastExplore.Strand<World>
    typealias Deed = (World) -> Void

    let configuration: ReferenceConfiguration
    let timeouts: Timeouts
    let profiles: Set<Profile>
    let principals: [String: Principal]
    var chance: SplitMix64

    var now = 0
    var agenda = Agenda<Deed>()

    var events: [Event] = []
    var frames: [Frame?] = []

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
    /// The last question over REST of each name.
    var posts: [String: Int] = [:]

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

    func limit(_ name: String) -> Int {
        let bound = (timeouts[name] ?? timeouts.turn).microseconds
        // The bound of a turn begins when it is accepted, which is after it was asked.
        return name == "turn" ? bound + scriptWait * 1000 + 500_000 : bound
    }

    func limit(_ names: [String]) -> Int { names.map(limit).reduce(0, +) }

    // MARK: records

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
        goOn()
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
