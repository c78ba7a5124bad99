"""The machines that the servers run on: network namespaces where the system permits them, else only loopback."""
import os
import subprocess
import sys
import time

NETWORK = "10.77.0"


def enter_network():
    """Starts this program again in a network of its own, which ends with it. Returns whether it is in one."""
    if "--in-network" in sys.argv:
        for command in (["ip", "link", "set", "lo", "up"], ["ip", "link", "add", "machines", "type", "bridge"],
                        ["ip", "addr", "add", f"{NETWORK}.1/24", "dev", "machines"], ["ip", "link", "set", "machines", "up"]):
            subprocess.run(command, check=True)
        return True
    attempt = "ip link set lo up && ip link add machines type bridge"
    try:
        subprocess.run(["unshare", "--net", "sh", "-c", attempt], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return False
    os.execvp("unshare", ["unshare", "--net", sys.executable, "-B", *sys.argv, "--in-network"])


class Loopback:
    """This machine, for all servers."""
    host = "127.0.0.1"

    def start(self):
        pass

    def inside(self, command):
        return command

    def stop(self):
        pass


class Machine:
    """A network namespace with one address, which a bridge connects with the others."""

    def __init__(self, number):
        self.host = f"{NETWORK}.{10 + number}"
        self.end = f"machine{number}"
        # The namespace lives as long as a process in it.
        self.holder = subprocess.Popen(["unshare", "--net", "sleep", "infinity"])

    def start(self):
        while os.readlink(f"/proc/{self.holder.pid}/ns/net") == os.readlink("/proc/self/ns/net"):
            time.sleep(0.01)
        subprocess.run(
            ["ip", "link", "add", self.end, "type", "veth", "peer", "name", "eth0", "netns", str(self.holder.pid)], check=True)
        self.connect(False)
        subprocess.run(["ip", "link", "set", self.end, "master", "machines"], check=True)
        for command in (["ip", "link", "set", "lo", "up"], ["ip", "addr", "add", f"{self.host}/24", "dev", "eth0"],
                        ["ip", "link", "set", "eth0", "up"]):
            subprocess.run(self.inside(command), check=True)
        self.connect(True)

    def inside(self, command):
        return ["nsenter", f"--net=/proc/{self.holder.pid}/ns/net", "--", *command]

    def connect(self, is_connected):
        """Pulls the cable, or plugs it in: packets get lost, and no connection is reset."""
        subprocess.run(["ip", "link", "set", self.end, "up" if is_connected else "down"], check=True)

    def stop(self):
        self.holder.kill()
        self.holder.wait()
