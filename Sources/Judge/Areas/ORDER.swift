/// The checks of ORDER.
enum ORDER {
    static let checks: [Check] = []
}
