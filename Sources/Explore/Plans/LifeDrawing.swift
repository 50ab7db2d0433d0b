import HoldfastStage

/// A life while it is drawn, round by round; equal seeds draw equal rounds.
package protocol LifeDrawing: Sendable {
    /// Draws the next round, at a share of the life's time.
    mutating func round(at share: Double) -> LifeRound
    /// Rounds as a plan of their own, with what it takes of earlier ones.
    func plan(of rounds: [LifeRound], after earlier: [LifeRound]) -> Plan
    /// Which features have met, in words.
    var summary: String { get }
}
