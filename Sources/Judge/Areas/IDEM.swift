/// The checks of IDEM.
enum IDEM {
    static let checks: [Check] = []
}
