"""What workers do for tests of the pool: take long, take much, end, or try what they may not."""

import json
import os
import subprocess
import time

_KEPT = []


def _spin(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def _take(megabytes):
    _KEPT.append(bytearray(megabytes * 2**20))


def _write(path):
    with open(path, "w") as file:
        file.write("x" * 10)


def answer(request):
    """Do what is asked for, and answer with the worker's number."""
    data = json.loads(request)
    try:
        if "spin" in data:
            _spin(data["spin"])
        if "take" in data:
            _take(data["take"])
        if "die" in data:
            os._exit(1)
        if "die_once" in data and not os.path.exists(data["die_once"]):
            os.mkdir(data["die_once"])
            os._exit(1)
        if "write" in data:
            _write(data["write"])
        if "start" in data:
            subprocess.run(["true"], check=True)
    except Exception as error:
        return json.dumps({"ok": False, "error": {"kind": "input", "what": type(error).__name__}}).encode()
    return json.dumps({"ok": True, "by": os.getpid()}).encode()
