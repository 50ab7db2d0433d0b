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

    /// Lends so many principals that have a device, those the push service never refused first; nil while there are not
    /// enough.
    mutating func lend(_ count: Int, reachedBy sink: PushSink) -> [ServerSubject.Principal]? {
        let usable = free.indices.compactMap { index -> (index: Int, usefulness: PushSink.Usefulness)? in
            guard let device = free[index].device else { return nil }
            let usefulness = sink.usefulness(of: device)
            return usefulness == .refused ? nil : (index, usefulness)
        }
        guard usable.count >= count else { return nil }
        let chosen = usable.filter { $0.usefulness == .fresh } + usable.filter { $0.usefulness != .fresh }
        let places = chosen.prefix(count).map(\.index)
        defer { for place in places.sorted(by: >) { free.remove(at: place) } }
        return places.map { free[$0] }
    }

    /// Takes principals back; they are lent again after the others, so that all are used.
    mutating func take(back principals: [ServerSubject.Principal]) {
        free += principals
    }
}
