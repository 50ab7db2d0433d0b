/// Checks of recovery, as the person sees it.
enum CLIENT {
    static let checks: [Check] = connecting + sending + recovering + stream + screen + pushes
}
