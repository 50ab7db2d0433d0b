/// The checks of PERSIST.
enum PERSIST {
    static let checks: [Check] = []
}
