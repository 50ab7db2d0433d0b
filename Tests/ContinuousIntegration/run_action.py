"""Runs the shell steps of a composite action as a runner of GitHub would, and prints what came of them as JSON.

    run_action.py ACTION.json INPUTS.json WORK

ACTION.json is the action as JSON, beside the folder it belongs to in `path`; WORK is an empty folder. Steps that use other
actions are not run: they are listed with what they were given. Their outputs are empty, as those of a cache that misses.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

action = json.load(open(sys.argv[1]))
given = json.load(open(sys.argv[2]))
work = pathlib.Path(sys.argv[3])
inputs = {name: given.get(name, of.get("default")) for name, of in action["inputs"].items()}
unknown = [name for name in given if name not in inputs]
missing = [name for name, value in inputs.items() if value is None]
if unknown or missing:
    sys.exit(f"unknown inputs {unknown}, missing inputs {missing}")
outputs: dict[str, dict[str, str]] = {}
failed = False


def value(term: str) -> str:
    term = term.strip()
    if re.fullmatch(r"'[^']*'", term):
        return term[1:-1]
    if match := re.fullmatch(r"inputs\.([\w-]+)", term):
        return inputs[match[1]]
    if term in ("github.token", "github.action_repository"):
        return {"github.token": "token-of-the-run"}.get(term, "")
    if match := re.fullmatch(r"steps\.([\w-]+)\.outputs\.([\w-]+)", term):
        return outputs.get(match[1], {}).get(match[2], "")
    sys.exit(f"'{term}' is not understood here")


def holds(condition: str) -> bool:
    """A few comparisons joined by `&&`; as with GitHub, a step runs after a failure only where the condition says so."""
    condition = re.sub(r"^\$\{\{(.*)\}\}$", r"\1", condition.strip())
    terms = [term.strip() for term in condition.split("&&")]
    if "!cancelled()" in terms:
        terms.remove("!cancelled()")
    elif failed:
        return False
    for term in terms:
        if term:
            left, operator, right = re.split(r"\s*(==|!=)\s*", term)
            if (value(left) == value(right)) != (operator == "=="):
                return False
    return True


def filled(text: str) -> str:
    return re.sub(r"\$\{\{(.*?)\}\}", lambda match: value(match[1]), text)


summary = work / "summary.md"
summary.touch()
steps = []
code = 0
for number, step in enumerate(action["runs"]["steps"]):
    if not holds(step.get("if", "")):
        continue
    if "uses" in step:
        steps.append({"uses": step["uses"], "with": {name: filled(str(text)) for name, text in step["with"].items()}})
        continue
    file = work / f"outputs-{number}"
    file.touch()
    surroundings = {
        **os.environ, **{name: filled(text) for name, text in step.get("env", {}).items()}, "GITHUB_ACTIONS": "true",
        "GITHUB_ACTION_PATH": action["path"], "GITHUB_OUTPUT": str(file), "GITHUB_STEP_SUMMARY": str(summary),
        "GITHUB_WORKSPACE": os.getcwd(), "RUNNER_TEMP": str(work), "RUNNER_OS": "Linux", "RUNNER_ARCH": "X64",
    }
    run = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", filled(step["run"])], env=surroundings,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=200, check=False)
    if "id" in step:
        outputs[step["id"]] = dict(line.split("=", 1) for line in file.read_text().splitlines())
    steps.append({"id": step.get("id", ""), "status": run.returncode, "log": run.stdout.decode(errors="replace")})
    if run.returncode:
        failed, code = True, run.returncode
print(json.dumps({
    "status": code, "steps": steps, "summary": summary.read_text(),
    "outputs": {name: filled(of["value"]) for name, of in action["outputs"].items()},
}))
