import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastReference
import HoldfastStage
import HoldfastTranscript

/// A server, a disk, a network, a push service and the stage, in one thread with a virtual clock.
///
/// A scenario is performed as by the stage: the same steps, the same records, the same bounds.
final class World: VirtualStage {
    typealias Step = ScenarioStep
    typealias Wait = Branch<World>.Wait
    typealias Action = (World) -> Void

    let configuration: ReferenceConfiguration
    let timeouts: Timeouts
    let profiles: Set<Profile>
    let principals: [String: Principal]
    var chance: SplitMix64

    var now = 0
    var queue = EventQueue<Action>()

    var events: [Event] = []
    var frames: [Frame?] = []

    // The server process and its disk.
    var server: BareServer?
    /// The number of the current or last process.
    var life = 0
    var disk: [StoredRecord] = []
    var refusesWrites = false
    /// Appends that the disk has not yet performed, in order.
    var unwritten: [(write: Int, records: [StoredRecord])] = []
    var diskFreeAt = 0

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
    var pushAnswers = PushAnswers()
    var pushLetters: [String: [JSONValue?]] = [:]

    // The stage.
    var branches: [Branch<World>] = []
    var variables = ScenarioVariables()
    var nonces = 0
    var scriptWait = 0
    var end: (any Error)?
    var isOver = false

    struct Principal {
        let token: String?
        let device: String?
    }

    init(_ setting: Setting, principals count: Int, seed: UInt64) {
        configuration = setting.configuration
        timeouts = setting.timeouts
        profiles = setting.profiles
        chance = SplitMix64(seed: seed)
        let config = setting.configuration
        let devices = Dictionary(config.push?.devices.map { ($0.principal, $0.token) } ?? []) { first, _ in first }
        let people = config.principals.prefix(count).map { person in
            let token = config.requiresAuth ? person.token : nil
            return (person.name, Principal(token: token, device: devices[person.name]))
        }
        principals = Dictionary(people) { first, _ in first }
    }

    // MARK: time

    func limit(_ name: String) -> Int { timeouts.bound(name, scriptWait: .milliseconds(scriptWait)).microseconds }

    func limit(_ names: [String]) -> Int { names.map(limit).reduce(0, +) }

    // MARK: records

    func note(act name: String, _ details: JSONObject = [:], on lane: Lane = .server) {
        note(.act(name, details), on: lane)
    }

    // MARK: the run

    func run(_ steps: [ScenarioStep]) {
        for name in principals.keys.sorted() {
            if profiles.contains(.rateLimit) {
                note(act: "lend", ["principal": .string(name), "spent": 0])
            }
        }
        for name in principals.keys.sorted() where principals[name]?.device != nil {
            note(act: "listen", ["principal": .string(name)], on: .push)
        }
        variables = ScenarioVariables(
            run: "plan", kills: 4, authSeconds: configuration.authSeconds, tokens: principals.mapValues(\.token))
        startServer()
        now = 1000
        begin(Branch(steps)) { world, end in
            world.end = end
            world.finish()
        }
        proceed()
    }

    func located(_ end: any Error, at pointer: JSONPointer) -> any Error {
        switch end {
        case StepEnd.unmet(let reason): StepEnd.unmet("\(pointer): \(reason)")
        case is StepEnd: end
        default: SimulationProblem(description: "\(pointer): \(end)")
        }
    }
}
