#!/usr/bin/env python3
"""Holds the schemas, the vectors, both pages of the protocol and asyncapi.yaml against each other, and recorded frames against them.

usage: check.py [RECORDED...]     each a file with one frame per line, `> {...}` from a client, `< {...}` from a server

Needs jsonschema and PyYAML from PyPI. Exit status: 0 all is right, 1 something is not.
"""

import json
import re
import sys
import uuid
from pathlib import Path

import jsonschema
import yaml
from referencing import Registry, Resource

HERE = Path(__file__).resolve().parent
SCHEMAS = {path.stem: json.loads(path.read_text()) for path in (HERE / "schema").glob("*.json")}
REGISTRY = Registry().with_resources((f"{name}.json", Resource.from_contents(s)) for name, s in SCHEMAS.items())
problems = []


def validate(side, frame, where):
    name = f"{side}-{frame.get('type')}"
    if name not in SCHEMAS:
        problems.append(f"{where}: no schema {name}")
        return
    validator = jsonschema.Draft7Validator(SCHEMAS[name], registry=REGISTRY)
    problems.extend(f"{where}: {name}: {error.json_path}: {error.message}" for error in validator.iter_errors(frame))


def check_schemas():
    for name, schema in SCHEMAS.items():
        try:
            jsonschema.Draft7Validator.check_schema(schema)
        except jsonschema.SchemaError as error:
            problems.append(f"schema {name}: {error.message}")


def check_lines(path, client, server):
    """Checks every line that is marked as a frame; returns their number."""
    count = 0
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = re.match(r"\s*([→←<>]) ({.*})$", line)
        if match and match[1] in (client, server):
            validate("client" if match[1] == client else "server", json.loads(match[2]), f"{path.name}:{number}")
            count += 1
    return count


def without_nulls(fields):
    return {key: value for key, value in fields.items() if value is not None}


def check_vectors():
    for name in ("operations", "windows", "ranges", "refusals", "members", "rooms", "threads", "mention-rows", "people", "drafts", "later", "blocked", "pins"):
        for case in json.loads((HERE / f"vectors/{name}.json").read_text()):
            for step in case["steps"]:
                validate("server", step["frame"], f"{name}: {case['title']}")
    for case in json.loads((HERE / "vectors/mentions.json").read_text()):
        frame = {"type": "send", "ref": 1, "room": "lobby", "id": str(uuid.UUID(int=1)), "text": case["text"]}
        validate("client", frame | {"mentions": case["mentions"], "everyone": case.get("everyone", False)}, f"mentions: {case['text'][:60]}")
    for case in json.loads((HERE / "vectors/names.json").read_text()):
        for definition, value in (("room", case["name"]), ("messages", f"room/{case['name']}/messages"), ("list", f"room/{case['name']}/members")):
            schema = {"$ref": f"definitions.json#/definitions/{definition}"}
            if jsonschema.Draft7Validator(schema, registry=REGISTRY).is_valid(value) != ("room" in case):
                problems.append(f"names: {definition} is wrong about {value!r}")
    for case in json.loads((HERE / "vectors/entered-text.json").read_text()):
        if "stored" in case:
            frame = {"type": "send", "ref": 1, "room": "lobby", "id": str(uuid.UUID(int=1)), "text": case["stored"]}
            validate("client", frame, f"entered-text: {case['entered'][:60]!r}")
    for case in json.loads((HERE / "vectors/client-frames.json").read_text()):
        if case["error"] is None and case["close"] is None:
            validate("client", json.loads(case["text"], object_hook=without_nulls), f"client-frames: {case['text'][:60]}")


def check_reasons():
    """Compares the table of reasons in protocol-reference.md with the schema and openapi.yaml."""
    page = (HERE.parent / "protocol-reference.md").read_text()
    table = re.findall(r"^\| `(\w+)` \| `(\w+)` \| ", page, re.MULTILINE)
    codes = set(SCHEMAS["server-error"]["properties"]["error"]["enum"])
    documented = [reason for code, reason in table if code in codes]
    api = yaml.safe_load((HERE.parent / "openapi.yaml").read_text())
    over_http = api["components"]["responses"]["Error"]["content"]["application/json"]["schema"]["properties"]
    for where, reasons in (("the schema", SCHEMAS["server-error"]["properties"]["reason"]["enum"]), ("openapi.yaml", over_http["reason"]["enum"])):
        if reasons != documented:
            problems.append(f"reasons of {where} and of protocol-reference.md: only in one: {sorted(set(reasons) ^ set(documented))}")


def check_asyncapi():
    api = yaml.safe_load((HERE.parent / "asyncapi.yaml").read_text())

    def resolve(reference):
        node = api
        for key in reference.removeprefix("#/").split("/"):
            node = node[key]

    def walk(node):
        if isinstance(node, dict):
            target = node.get("$ref", "")
            if target.startswith("#/"):
                resolve(target)
            elif target and not (HERE.parent / target).is_file():
                problems.append(f"asyncapi.yaml: {target} is not there")
            node = list(node.values())
        if isinstance(node, list):
            for child in node:
                walk(child)

    try:
        walk(api)
    except KeyError as error:
        problems.append(f"asyncapi.yaml: a reference leads nowhere at {error}")
    named = {m["payload"]["schema"]["$ref"].split("/")[-1][:-5] for m in api["components"]["messages"].values()}
    alone = named ^ (SCHEMAS.keys() - {"definitions"})
    problems.extend(f"{name} is only one of: a schema, a message of asyncapi.yaml" for name in alone)


def main(recorded):
    check_schemas()
    check_vectors()
    check_reasons()
    check_asyncapi()
    count = sum(check_lines(HERE.parent / page, "→", "←") for page in ("protocol.md", "protocol-reference.md"))
    for path in recorded:
        count += check_lines(Path(path), ">", "<")
    print("\n".join(problems) or f"{len(SCHEMAS)} schemas, {count} frames: all right")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(__doc__ if {"-h", "--help"} & set(sys.argv) else main(sys.argv[1:]))
