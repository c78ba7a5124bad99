"""Checks Daybook with independent programs. Scripts/interop runs it, with the program in $DAYBOOK."""

import pathlib
import sys
import tempfile
import traceback

import difficult
from checks import CHECKS, Lab, Skipped
from daybook import Store

import check_json, check_csv, check_calendar, check_taskwarrior, check_lines, check_zstd  # noqa: E401, F401
import check_snapshots, check_shared, check_recurrence, check_series, check_qr  # noqa: E401, F401


def prepare(folder):
    full = Store(folder / "full")
    full.run("generate", "--tasks", 300, "--seed", 7)
    full.take(difficult.lines())
    for task in full.tasks()[:2]:
        full.run("delete", task["id"])
    empty = Store(folder / "empty")
    empty.run("generate", "--tasks", 0)
    return Lab(folder, full, empty)


def main():
    wanted = sys.argv[1:]
    failed, skipped, passed = [], 0, 0
    with tempfile.TemporaryDirectory(prefix="daybook-interop-") as folder:
        lab = prepare(pathlib.Path(folder))
        for title, function in CHECKS:
            if wanted and not any(word in function.__module__ for word in wanted):
                continue
            try:
                function(lab)
                passed += 1
                print(f"ok       {title}", flush=True)
            except Skipped as reason:
                skipped += 1
                print(f"skipped  {title}: {reason}", flush=True)
            except Exception:
                failed.append(title)
                print(f"FAILED   {title}\n{traceback.format_exc()[-3000:]}", flush=True)
    for title in failed:
        print(f"Failed: {title}")
    print(f"Scripts/interop: {passed} checks by programs of others passed, {len(failed)} failed, {skipped} skipped")
    sys.exit(1 if failed or passed == 0 else 0)


main()
