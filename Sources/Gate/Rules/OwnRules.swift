import HoldfastSchemaDiff

extension RuleBook {
    /// The rules about clauses, requests, fixtures, scenarios, transcripts, pages, versions and waivers.
    static let ownRules = table.split(separator: "\n").compactMap { line -> RuleEntry? in
        let cells = line.split(separator: " | ").map(String.init)
        guard cells.count == 5, let severity = GateSeverity(rawValue: cells[1]) else { return nil }
        let direction = cells[2] == "nobody" ? "breaks nobody by itself" : "breaks \(cells[2])"
        return RuleEntry(id: cells[0], severity: severity, direction: direction, title: cells[3], example: cells[4])
    }

    /// One rule per line: its id, its severity, the peers it breaks, the change, and an example.
    private static let table = """
        clause-added | error | the side it binds | a clause is new | a MUST in profile `core`
        clause-removed | error | clients that relied on it | a clause is gone | `### SYNC-3` is deleted
        clause-withdrawn | error | clients that relied on it | a clause is marked as withdrawn | `Excluded: withdrawn in 1.1`
        clause-id-reused | error | both sides | the id of a clause names a different rule | ORDER-3 is about lunch now
        clause-strengthened | error | the side it binds | a keyword requires more | SHOULD becomes MUST
        clause-weakened | error | clients that relied on it | a keyword requires less | MUST becomes SHOULD
        clause-inverted | error | both sides | a keyword requires the opposite | MUST becomes MUST NOT
        clause-bound-tightened | error | the side it binds | a limit is stricter | 30 s becomes 20 s
        clause-bound-loosened | error | the other side | a limit is looser | 30 s becomes 60 s
        clause-bound-changed | error | both sides | a number changed, and the wording does not say which way | close with 4002, and not with 4001
        clause-reworded | error | both sides, until someone waives it | a binding sentence is reworded | "exactly one" becomes "at least one"
        clause-role-changed | error | both sides | a clause binds the other side | `client` becomes `server`
        clause-profile-changed | error | the side that is bound now, and clients that relied on it | a clause belongs to a different profile | `core` becomes `push`
        clause-exclusion-added | warning | nobody | runs no longer judge a clause | `Excluded: …` is new
        clause-exclusion-removed | warning | nobody | runs judge a clause now | `Excluded: …` is gone
        clause-evidence-changed | warning | nobody | a clause is judged from other evidence | `Judged from:` is reworded
        area-introduction-changed | warning | nobody | the introduction of an area is reworded | the text above `### SYNC-1`
        clause-note-changed | information | nobody | a note of a clause changed | `Why:` is reworded
        clause-since-wrong | error | nobody | a clause names the wrong version | `Since: 1.0` on a new clause
        clause-without-scenario | warning | nobody | no scenario exercises a clause now | its scenario is gone
        request-parameter-changed | error | the sender or the reader | a parameter has a different schema | `id` has at most 8 characters
        request-body-changed | error | the sender or the reader | a body has a different schema | 404 has a different body
        request-header-changed | error | the sender or the reader | a header has a different schema | `Retry-After` may be 0
        baseline-missing | error | nobody | the old state has no fixtures | Fixtures/index.json is missing
        fixture-now-invalid | error | its sender | golden messages are invalid now | a member is required now
        fixture-verdict-changed | error | its sender or its reader | a golden file has a different expected verdict | `invalid` becomes `valid`, wherever the file lies
        fixture-contradicts-schema | error | nobody | golden messages contradict their schema | a file below valid/ breaks its schema
        invalid-fixture-now-valid | warning | nobody | golden invalid messages are valid now | a wider set
        new-fixture-invalid-under-old | error | clients | new golden messages of servers are invalid under the old schemas | `text` is null
        message-without-fixture | error | nobody | no golden message shows a type | typing.json has no fixture
        message-without-channel | warning | nobody | asyncapi.json lists no channel for a new message | typing.json is new, and asyncapi.json is the same
        transcript-regression | error | the side whose transcript it is | a transcript breaks a clause now | at line 5
        transcript-warning | warning | nobody | a transcript gets a warning now | MUST became SHOULD
        transcript-relief | warning | nobody | a transcript no longer breaks a clause | a clause is gone
        transitive-break | error | peers of an older version | a change breaks peers of a version that is still supported | --supported v1.0.0
        scenario-reworded | information | nobody | a scenario is described differently | a different title, or SYNC-3 is added to its `clauses`
        removal-without-deprecation | error | nobody | something is removed that was not deprecated | a member without `deprecated: true` is deleted
        sunset-too-soon | error | nobody | something is removed too early | `x-sunset` is 1.3, and the version is 1.2
        version-decreased | error | nobody | the version goes down | 1.1 becomes 1.0
        version-unchanged | error | nobody | the version does not go up enough | a new message, and still 1.0
        breaking-without-major | error | nobody | a breaking change without a major version | 1.0 becomes 1.1
        wire-version-differs | error | nobody | `protocol` is not the major version | 2.0 with protocol 1
        changelog-missing | error | nobody | the changelog does not name a change | no line names SYNC-3
        waiver-unused | error | nobody | a waiver covers nothing | its finding is fixed
        waiver-expired | error | nobody | a waiver has expired | it held until yesterday
        fixture-removed | warning | nobody | a golden file is gone | done/valid/plain.json is deleted
        fixture-changed | warning | nobody | a golden file changed | done/valid/plain.json is edited
        scenario-added | information | nobody | a scenario is new | server/ORDER/plain.json is new
        scenario-removed | warning | nobody | a scenario is gone | server/ORDER/plain.json is deleted
        scenario-changed | warning | nobody | a scenario changed | server/ORDER/plain.json is edited
        page-added | information | nobody | a page is new | Spec/trace.md is new
        page-removed | information | nobody | a page is gone | Spec/trace.md is deleted
        page-changed | information | nobody | a page changed | Spec/trace.md is edited
        file-format-added | information | nobody | a file format of the tools is new | schemas/files/more.json is new
        file-format-removed | warning | nobody | a file format of the tools is gone | schemas/files/more.json is deleted
        file-format-changed | warning | nobody | a file format of the tools changed | schemas/files/more.json is edited
        """
}
