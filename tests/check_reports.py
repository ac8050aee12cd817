"""Checks reports against docs/reports.schema.json: check_reports.py SCHEMA REPORT..., where a report is JSON or
a PNG of the program. Says what is wrong and exits with 1."""

import json
import struct
import sys
import zlib

from jsonschema import Draft202012Validator


def report_of(path):
    data = open(path, "rb").read()
    if not data.startswith(b"\x89PNG"):
        return json.loads(data)
    place = 8
    while place < len(data):
        length, kind = struct.unpack(">I4s", data[place:place + 8])
        chunk = data[place + 8:place + 8 + length]
        keyword = b"rayscope:state\0"
        if kind == b"iTXt" and chunk.startswith(keyword):
            compressed = chunk[len(keyword)]
            text = chunk[len(keyword) + 2:].split(b"\0", 2)[2]
            return json.loads(zlib.decompress(text) if compressed else text)["info"]
        place += 12 + length
    raise ValueError("there is no report in it")


def main():
    schema = json.load(open(sys.argv[1]))
    Draft202012Validator.check_schema(schema)
    wrong = 0
    for path in sys.argv[2:]:
        report = report_of(path)
        kind = {**schema, "oneOf": [{"$ref": "#/$defs/" + report["kind"]}]}
        for error in Draft202012Validator(kind).iter_errors(report):
            for cause in error.context or [error]:
                print(f"{path}: {'/'.join(map(str, cause.absolute_path))}: {cause.message[:400]}")
            wrong += 1
        if not Draft202012Validator(schema).is_valid(report):
            wrong += 1
            print(f"{path}: not one of the kinds")
    sys.exit(wrong > 0)


main()
