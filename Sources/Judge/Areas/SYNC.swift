/// The checks of SYNC.
enum SYNC {
    static let checks: [Check] = []
}
