#!/usr/bin/env python3
"""MariaDB's own test suite, directly and through the proxy with all plugins on, and what fails through it alone.

    compat/mtr/run.py [--suite main] [--option=--ps-protocol]... [--list FILE] [--keep FOLDER]
                      [--proxy "COMMAND {config}"] [--switch SECONDS] [TEST ...]

COMMAND starts the proxy with a configuration file, `./understudy run -c {config}` unless told otherwise. Needs Debian's
packages mariadb-server and mariadb-test. Without TEST and --list the whole suite runs, except the tests that want a
server with options of their own. Both sides run at the same time, each with a server of its own that has the suite's
options, listens on 127.0.0.1 and begins empty every 100 tests. A test that failed through the proxy alone runs once
more, on a server that is empty after each failure: an earlier test's remains or a busy machine may have caused the
first one. --switch gives the proxied server a second address, and makes the proxy change its primary between the two
every so many seconds, with failover.sessions: move; the outcomes are counted at the end. Exits with 1 when a test fails
twice through the proxy alone that differs.txt does not name, with 77 when something that it needs is not installed.
--keep names a folder for what the servers, the proxy and the suite wrote.
"""
import argparse
import collections
import concurrent.futures
import contextlib
import os
import pathlib
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

SUITE = pathlib.Path("/usr/share/mysql/mysql-test")
NEEDED = ("mariadbd", "mariadb-install-db", "mariadb")
RESULT = re.compile(r"^\w+\.(\S+)(?: '[^']*')?(?: w\d+)?\s+\[ (\w+) \]", re.M)
# Parts of a failure that differ between two runs of the same test.
VARIES = re.compile(r"^(?:---|\+\+\+|\s*Test ended| - saving|More results|worker).*$"
                    r"|/\S*/(?:direct|proxied)\b\S*|\d+", re.M)
# Besides what include/default_mysqld.cnf says.
SERVER = """--bind-address=127.0.0.1 --server-id=1 --log-bin=master-bin --collation-server=latin1_swedish_ci
 --lc-messages-dir=/usr/share/mysql --skip-log-error""".split()
# Tests that start or end servers, or want one with options of their own: with --extern nobody does that for them.
OWN_SERVER = re.compile(r"(?:re)?start_mysqld|shutdown_mysqld|kill_mysqld|shutdown_server|kill_server|not_extern"
                        r"|MYSQLD_(?:BOOTSTRAP_|LAST_)?CMD|mysql_upgrade")
CHUNK = 100
MOVED = re.compile(r'^understudy_sessions_moved_total\{outcome="(\w+)"\} ([\d.]+)', re.M)
TOKEN = "the-token-of-the-suite"
OWN_OPTIONS = ("-master.opt", ".opt", "-master.sh", ".cnf")
CONFIG = """
listen: {{ address: ["127.0.0.1:{port}", "unix:{folder}/server.sock"] }}
primary:
  address: 127.0.0.1:{primary}
  tls: {{ mode: disabled }}
  compression: as-client
  monitor: {{ user: root, password: "" }}
standbys:
  - {{ name: s1, address: "127.0.0.1:{standby}", tls: {{ mode: disabled }}, user: root, password: "" }}
{changes}
plugins:
  mirror: {{ rules: [ {{ name: all, sample: 100% }} ] }}
  commit-latency: {{ slow: 10s }}
  black-box: {{ memory: 64MiB }}
  gtid-domain: {{ mode: tag, rules: [ {{ name: schema-changes, match: {{ kind: ddl }}, domain: 10 }} ] }}
"""
STILL = "admin: { enabled: false }"
SWITCHED = """admin: {{ address: "127.0.0.1:{port}", token: {token} }}
failover: {{ sessions: move }}"""


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def unprivileged(command):
    """The suite and the server refuse to run as root."""
    if os.getuid() == 0:
        return ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"] + command
    return command


def own(folder):
    folder.mkdir(parents=True)
    if os.getuid() == 0:
        shutil.chown(folder, "nobody", "nogroup")
    return folder


def client(port, *more, **streams):
    return subprocess.run(["mariadb", "--no-defaults", "--skip-ssl", "-uroot", "-h127.0.0.1", f"-P{port}", *more],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, **streams).returncode == 0


def wait_for(port, process, what):
    for _ in range(600):
        if client(port, "-eDO 1"):
            return
        if process.poll() is not None:
            break
        time.sleep(0.1)
    sys.exit(f"{what} does not respond on port {port}")


def suite_options(vardir):
    """The suite's own options for servers, without TLS: the legs of this proxy have none."""
    options, in_section = [], False
    for line in (SUITE / "include/default_mysqld.cnf").read_text().splitlines():
        line = line.strip()
        if line.startswith("["):
            in_section = line == "[mysqld]"
        elif in_section and line and not line.startswith("#") and "ssl" not in line:
            name, _, value = line.partition("=")
            value = value.strip().strip("'").replace("@ENV.MYSQLTEST_VARDIR", str(vardir))
            options.append("--" + name.strip() + ("=" + value if value else ""))
    return options


class Switch:
    """Changes the proxy's primary between two addresses of the same server, and counts what its sessions came to."""

    def __init__(self, seconds, primary):
        self.seconds, self.primary, self.port = seconds, primary, free_port()
        self.changes, self.outcomes = 0, collections.Counter()
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)

    def config(self):
        return SWITCHED.format(port=self.port, token=TOKEN)

    def _ask(self, path, method="GET"):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/{path}", method=method,
                                         headers={"Authorization": "Bearer " + TOKEN})
        with urllib.request.urlopen(request, timeout=10) as response:
            return response.read().decode()

    def _run(self):
        while not self.ended.wait(self.seconds):
            try:
                self._ask(f"api/primary?force=true&address=127.0.0.{2 - self.changes % 2}:{self.primary}", "POST")
                self.changes += 1
                outcomes = {outcome: float(count) for outcome, count in MOVED.findall(self._ask("metrics"))}
                self.outcomes = collections.Counter(outcomes)
            except (OSError, urllib.error.URLError) as refused:
                print(f"switch {self.changes}: {refused}", file=sys.stderr)

    def end(self):
        self.ended.set()
        if self.thread.is_alive():
            self.thread.join()


class Side:
    """A server that begins empty at every start; `proxy` starts what stands in front of it."""

    def __init__(self, folder, empty, more=(), proxy=None, standby=None, switch=None):
        self.folder, self.empty, self.more = own(folder), empty, list(more)
        self.command, self.standby = proxy, standby
        self.server_port = free_port()
        self.port = free_port() if proxy else self.server_port
        self.processes = []
        self.seconds, self.switch, self.changes, self.outcomes = switch, None, 0, collections.Counter()
        self.results, self.texts, self.starts, self.ended = {}, {}, 0, False

    def start(self):
        self.starts += 1
        self.vardir = own(self.folder / f"var{self.starts}")
        for name in ("log", "run", "tmp"):
            own(self.vardir / name)
        home = own(self.vardir / "server")  # where tests expect files that they write or read through the server
        subprocess.run(unprivileged(["cp", "-r", str(self.empty), str(home / "data")]), check=True)
        sock = home / "server.sock" if self.command else self.folder / "server.sock"
        self._run(unprivileged(["mariadbd", "--no-defaults", *suite_options(self.vardir), *SERVER,
                                f"--datadir={home}/data", f"--port={self.server_port}", f"--socket={sock}",
                                f"--tmpdir={home}", *self.more]), "server.log", self.server_port)
        client(self.server_port, "-eCREATE DATABASE test; CREATE DATABASE mtr")
        script = (SUITE / "include/mtr_warnings.sql").read_bytes() + (SUITE / "include/mtr_check.sql").read_bytes()
        client(self.server_port, "--force", "mtr", input=script.replace(b"delimiter ||;", b"delimiter ||"))
        client(self.server_port, "mysql", input=(SUITE.parent / "mysql_test_data_timezone.sql").read_bytes())
        if self.command:
            config = self.folder / "proxy.yaml"
            self.switch = Switch(self.seconds, self.server_port) if self.seconds else None
            config.write_text(CONFIG.format(port=self.port, folder=self.folder, primary=self.server_port,
                                            standby=self.standby,
                                            changes=self.switch.config() if self.switch else STILL))
            self._run(shlex.split(self.command.format(config=config)), "proxy.log", self.port)
            (self.folder / "server.sock").chmod(0o777)
            if self.switch:
                self.switch.thread.start()

    def _run(self, command, log, port):
        with open(self.folder / log, "ab") as out:
            process = subprocess.Popen(command, stdout=out, stderr=out, env=dict(os.environ, TZ="GMT-3"))
        self.processes.append(process)
        wait_for(port, process, command[0])

    def stop(self):
        if self.switch:
            self.switch.end()
            self.changes += self.switch.changes
            self.outcomes += self.switch.outcomes
            self.switch = None
        for process in reversed(self.processes):
            process.terminate()
            process.wait()
        self.processes = []

    def suite(self, options, tests, alone):
        """Runs the tests; what each of them came to, and what was written about it, is in results and texts.

        alone: after a failure the next test begins with an empty server; otherwise after CHUNK tests."""
        left = list(tests)
        while left and not self.ended:
            self.start()
            chunk = left if alone else left[:CHUNK]
            how = options if alone else options + ["--force", "--max-test-fail=0"]
            command = ["./mtr", "--extern", "host=127.0.0.1", "--extern", f"port={self.port}", "--extern", "user=root",
                       "--extern", f"socket={self.folder}/server.sock", f"--vardir={self.vardir}", "--retry=0",
                       "--nocheck-testcases", "--testcase-timeout=3", *how, *chunk]
            said = self.folder / f"suite{self.starts}.out"
            with open(said, "wb") as out:
                process = subprocess.Popen(
                    unprivileged(command), cwd=SUITE, stdout=out, stderr=subprocess.STDOUT,
                    env=dict(os.environ, HOME=str(self.vardir), MASTER_MYPORT=str(self.port),
                             MASTER_MYSOCK=f"{self.folder}/server.sock"))
            self.processes.append(process)
            process.wait()
            self.stop()
            shutil.rmtree(self.vardir / "server")
            text = said.read_text(errors="replace")
            found = [match for match in RESULT.finditer(text) if match[1] in chunk]
            ends = [match.start() for match in found[1:]] + [len(text)]
            for match, end in zip(found, ends):
                self.results[match[1]] = match[2]
                self.texts[match[1]] = text[match.start():end].split("\n---------------")[0]
            stopped = alone and any(match[2] == "fail" for match in found)
            left = [test for test in left if test not in (self.results if stopped else chunk)]

    def end(self):
        self.ended = True
        self.stop()


def both(command, empty, options, tests, work, alone, switch):
    """Runs the tests directly and through the proxy."""
    with contextlib.ExitStack() as sides:
        standby = Side(work / "standby", empty, ["--read-only"])
        sides.callback(standby.end)
        standby.start()
        direct = Side(work / "direct", empty)
        sides.callback(direct.end)
        addresses = ["--bind-address=127.0.0.1,127.0.0.2"] if switch else []
        proxied = Side(work / "proxied", empty, addresses, command, standby.port, switch)
        sides.callback(proxied.end)
        # Not a context: when this process is to end, the sides end the suite, and with it the pool's threads.
        pool = concurrent.futures.ThreadPoolExecutor(2)
        for side in [pool.submit(side.suite, options, tests, alone) for side in (direct, proxied)]:
            side.result()
    return direct, proxied


def lost(direct, proxied):
    return [test for test, result in direct.results.items() if result == "pass" and proxied.results.get(test) != "pass"]


def listed(file):
    return [line.split("#")[0].strip() for line in file.read_text().splitlines() if line.split("#")[0].strip()]


def whole(suite):
    folder = SUITE / ("main" if suite == "main" else f"suite/{suite}")
    folder = folder / "t" if (folder / "t").is_dir() else folder
    return [file.stem for file in sorted(folder.glob("*.test"))
            if not any((folder / (file.stem + end)).exists() for end in OWN_OPTIONS)
            and not OWN_SERVER.search(file.read_text(errors="replace"))]


def report(direct, proxied, at_first, again):
    """Prints the counts; returns the tests that differ without a reason in differs.txt."""
    differ = listed(pathlib.Path(__file__).with_name("differs.txt"))
    passed = [test for test, result in direct.results.items() if result == "pass"]
    failed = [test for test, result in direct.results.items() if result == "fail"]
    unknown = [test for test in again if test not in differ]
    print(f"{len(passed) + len(failed)} tests ran directly, {len(passed)} passed")
    print(f"of these passed through the proxy {len(passed) - len(at_first)} at once and {len(at_first) - len(again)} "
          f"at the second try; {len(again) - len(unknown)} differ as differs.txt says, {len(unknown)} differ")
    for test in unknown:
        print(f"  {test}: {proxied.results.get(test, 'not run')}")
    unlike = [test for test in failed if proxied.results.get(test) != "fail"
              or VARIES.sub("", direct.texts[test]) != VARIES.sub("", proxied.texts[test])]
    print(f"{len(failed)} failed directly, {len(failed) - len(unlike)} of them in the same way through the proxy")
    for test in unlike:
        print(f"  {test}: {proxied.results.get(test, 'not run')}, in another way")
    return unknown


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--proxy", default=f"{root}/understudy run -c {{config}}")
    arguments.add_argument("--suite", default="main")
    arguments.add_argument("--list", type=pathlib.Path)
    arguments.add_argument("--option", action="append", default=[])
    arguments.add_argument("--keep", type=pathlib.Path)
    arguments.add_argument("--switch", type=float, metavar="SECONDS")
    arguments.add_argument("tests", nargs="*")
    options = arguments.parse_args()
    missing = [name for name in NEEDED if not shutil.which(name)] + ([] if (SUITE / "mtr").exists() else [str(SUITE)])
    if missing:
        print("not installed: " + ", ".join(missing))
        return 77
    tests = options.tests + (listed(options.list) if options.list else []) or whole(options.suite)
    which = options.option + [f"--suite={options.suite}"]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the servers end as well
    work = options.keep or pathlib.Path(tempfile.mkdtemp(prefix="mtr-"))
    work.mkdir(exist_ok=True)
    work.chmod(0o755)
    empty = own(work / "empty") / "data"
    subprocess.run(unprivileged(["mariadb-install-db", "--no-defaults", f"--datadir={empty}", "--skip-test-db",
                                 "--innodb-data-file-path=ibdata1:12M:autoextend", "--innodb-log-file-size=10M",
                                 "--auth-root-authentication-method=normal"]), check=True, stdout=subprocess.DEVNULL)
    direct, proxied = both(options.proxy, empty, which, tests, work / "all", False, options.switch)
    at_first = lost(direct, proxied)
    again = at_first
    if at_first:
        second = both(options.proxy, empty, which, at_first, work / "again", True, options.switch)
        again = [test for test in at_first if test in lost(*second)]
        (work / "lost.txt").write_text("\n".join(second[1].texts.get(test, test + ": not run\n") for test in again))
    unknown = report(direct, proxied, at_first, again)
    unread = (work / "all/proxied/proxy.log").read_text(errors="replace").count("is relayed unread")
    print(f"{unread} sessions were relayed unread")
    if options.switch:
        outcomes = ", ".join(f"{outcome} {count:.0f}" for outcome, count in proxied.outcomes.most_common())
        print(f"the primary changed {proxied.changes} times; sessions by outcome: {outcomes}")
    if not direct.results:
        print((work / "all/direct/suite1.out").read_text(errors="replace")[-3000:])
    if unknown or unread or "pass" not in direct.results.values():
        print(f"what they said is in {work}")
        return 1
    if not options.keep:
        shutil.rmtree(work, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
