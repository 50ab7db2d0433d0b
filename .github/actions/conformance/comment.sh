#!/usr/bin/env bash
# Shows the summary on the pull request, in one comment for each artifact's name that later runs rewrite.
set -euo pipefail

# The verdict is no less for a comment that is missing.
leave() {
    echo "::warning title=conformance::$1; the summary stands on the page of the step"
    exit 0
}
for tool in jq gh; do
    command -v "$tool" >/dev/null || leave "no comment on the pull request, because $tool is not installed"
done
number="$(jq -r '.pull_request.number // empty' "$GITHUB_EVENT_PATH")"
if [ -z "$number" ]; then
    echo "no pull request: the summary stands on the page of the step alone"
    exit 0
fi
[ -f "$OUT/summary.md" ] || exit 0
mark="<!-- holdfast: $(jq -rn --arg name "$ARTIFACT" '$name | @uri') -->"
body="$RUNNER_TEMP/holdfast-comment.md"
# GitHub refuses a comment of more than 65,536 characters.
{ printf '%s\n' "$mark"; head -c 60000 "$OUT/summary.md"; } >"$body"
# Only a comment that this token wrote: anybody may write the mark.
query='query($owner: String!, $name: String!, $number: Int!, $endCursor: String) {
    repository(owner: $owner, name: $name) { pullRequest(number: $number) { comments(first: 100, after: $endCursor) {
        nodes { databaseId body viewerDidAuthor } pageInfo { hasNextPage endCursor }
    } } }
}'
tell() {
    local known
    known="$(gh api graphql --paginate --field "owner=${GITHUB_REPOSITORY%%/*}" --field "name=${GITHUB_REPOSITORY#*/}" \
        --field "number=$number" --raw-field "query=$query" | jq -r --arg mark "$mark" \
        '.data.repository.pullRequest.comments.nodes[] | select(.viewerDidAuthor and (.body | startswith($mark))) | .databaseId')" \
        || return
    if [ -n "$known" ]; then
        gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/${known%%$'\n'*}" --field "body=@$body"
    else
        gh api --silent --method POST "repos/$GITHUB_REPOSITORY/issues/$number/comments" --field "body=@$body"
    fi
}
# The token of a fork's pull request may only read.
tell || leave "no comment on the pull request, because GitHub refused it"
