"""Compression by the program zstd."""

import subprocess

from checks import check, same
from daybook import FORMATS


def zstd(content, *options):
    return subprocess.run(["zstd", *options], input=content, capture_output=True, check=True).stdout


@check("zstd: `zstd -t` accepts every compressed export, and `zstd -d` gives the plain one")
def exports(lab):
    for store in lab.stores:
        for form in FORMATS:
            packed = store.export(form, "--compress")
            zstd(packed, "-t", "-q", "-")
            same(zstd(packed, "-d", "-c", "-"), store.export(form), form)


@check("zstd: files that zstd has compressed in its own ways import the same")
def imports(lab):
    lines = lab.full.export("ndjson")
    for options in [["-19", "--long=27"], ["-1", "--no-check"], ["--ultra", "-22"], ["--fast=5"]]:
        same(lab.store(zstd(lines, "-c", "-q", *options, "-")).export("ndjson"), lines, str(options))
    half = len(lines) // 2
    frames = zstd(lines[:half], "-c", "-q", "-") + zstd(lines[half:], "-c", "-q", "-")
    same(lab.store(frames).export("ndjson"), lines, "two frames")
