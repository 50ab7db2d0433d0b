"""Reads YAML files as YAML 1.2 does and prints one JSON object: the documents of each file, by its name.

    yaml_to_json.py FILE…
"""
import json
import re
import sys

import yaml


class Loader(yaml.SafeLoader):
    """A loader for which `on`, `off`, `yes` and `no` are words; a name that stands twice in a mapping is an error."""

    def construct_mapping(self, node, deep=False):
        names = [self.construct_object(key, deep=True) for key, _ in node.value]
        for name in names:
            if names.count(name) > 1:
                raise yaml.YAMLError(f"{node.start_mark}: '{name}' is listed twice")
        return super().construct_mapping(node, deep)


Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in pairs if not tag.endswith((":bool", ":timestamp"))]
    for first, pairs in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(?:true|false)$"), list("tf"))

print(json.dumps({name: list(yaml.load_all(open(name, encoding="utf-8"), Loader)) for name in sys.argv[1:]}))
