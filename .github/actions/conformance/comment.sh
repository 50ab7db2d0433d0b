#!/usr/bin/env bash
# Shows the summary on the pull request, in one comment for each artifact's name that later runs rewrite.
set -euo pipefail

number="$(jq -r '.pull_request.number // empty' "$GITHUB_EVENT_PATH")"
if [ -z "$number" ]; then
    echo "no pull request: the summary stands on the page of the step alone"
    exit 0
fi
[ -f "$OUT/summary.md" ] || exit 0
mark="<!-- holdfast: $ARTIFACT -->"
body="$RUNNER_TEMP/holdfast-comment.md"
# GitHub refuses a comment of more than 65,536 characters.
{ printf '%s\n' "$mark"; head -c 60000 "$OUT/summary.md"; } >"$body"
comments="repos/$GITHUB_REPOSITORY/issues/$number/comments"
tell() {
    local known
    known="$(gh api --paginate "$comments" --jq ".[] | select(.body | startswith(\"$mark\")) | .id")" || return
    if [ -n "$known" ]; then
        gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/${known%%$'\n'*}" --field "body=@$body"
    else
        gh api --silent --method POST "$comments" --field "body=@$body"
    fi
}
# The token of a fork's pull request may only read; the verdict is no less for that.
tell || echo "::warning title=conformance::the summary could not be put on the pull request; it stands on the page of the step"
