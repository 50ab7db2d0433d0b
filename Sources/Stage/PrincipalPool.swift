/// The principals of a subject, each lent to one scenario at a time.
///
/// Scenarios that share no principal never see each other's frames, so they may run side by side.
struct PrincipalPool {
    private var free: [ServerSubject.Principal]

    init(_ principals: [ServerSubject.Principal]) {
        free = principals
    }

    /// Lends so many principals; nil while there are not enough.
    mutating func lend(_ count: Int) -> [ServerSubject.Principal]? {
        guard free.count >= count else { return nil }
        defer { free.removeFirst(count) }
        return Array(free.prefix(count))
    }

    /// Takes principals back; they are lent again after the others, so that all are used.
    mutating func take(back principals: [ServerSubject.Principal]) {
        free += principals
    }
}
