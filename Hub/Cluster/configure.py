#!/usr/bin/python3 -B
"""Writes the files of a replicated database for three machines: `Scripts/hub --configure a=10.0.0.1 b=10.0.0.2 c=10.0.0.3`."""
import argparse
import os
import re
import secrets
import sys

from configuration import Place, database, etcd_environment, haproxy, patroni


def machine(text):
    match = re.fullmatch(r"([a-z][a-z0-9-]*)=([0-9.]+)", text)
    if not match:
        raise argparse.ArgumentTypeError(f"{text} is not NAME=ADDRESS, such as a=10.0.0.1")
    return Place(match[1], match[2])


def write(folder, name, content):
    path = f"{folder}/{name}"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    # Passwords are in them.
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(content)


def main():
    parser = argparse.ArgumentParser(prog="Scripts/hub --configure")
    parser.add_argument("machines", type=machine, nargs=3, metavar="NAME=ADDRESS")
    parser.add_argument("--to", default="cluster", help="the folder, which must be new; cluster without it")
    options = parser.parse_args()
    places, own, hub = options.machines, secrets.token_hex(16), secrets.token_hex(16)
    if len({p.name for p in places}) < 3 or len({p.host for p in places}) < 3:
        parser.error("give three machines with different names and addresses")
    try:
        os.mkdir(options.to, 0o700)
    except OSError as error:
        sys.exit(f"{options.to} cannot be created ({error.strerror}). Name a new folder with --to.")
    for place in places:
        environment = etcd_environment(place, places)
        write(options.to, f"{place.name}/etcd", "".join(f"{key}={value}\n" for key, value in environment.items()))
        write(options.to, f"{place.name}/config.yml", patroni(place, places, own))
        write(options.to, f"{place.name}/haproxy.cfg", haproxy(
            places, "127.0.0.1:5000", "/run/haproxy/admin.sock", "    user haproxy\n    group haproxy\n    log /dev/log local0\n"))
        write(options.to, f"{place.name}/daybook-hub.env",
              f"DAYBOOK_HUB_DATABASE=postgresql://hub:{hub}@127.0.0.1:5000/daybook?connect_timeout=3\n")
    write(options.to, "database.sql", "".join(f"{statement};\n" for statement in database(hub)))
    print(f"Wrote {options.to}. Documentation/Hub.md, \"Running it for others\": where each file goes.")


main()
