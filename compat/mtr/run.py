#!/usr/bin/env python3
"""MariaDB's own test suite, directly and through the proxy with all plugins on, and what fails through it alone.

    compat/mtr/run.py --proxy "COMMAND {config}" [--suite main] [--list FILE] [--option=--ps-protocol]... [TEST ...]

COMMAND starts the proxy with a configuration file, `./understudy run -c {config}` unless told otherwise. Needs Debian's
packages mariadb-server and mariadb-test. Each run has a server of its own, started with the options that the suite expects;
all listen on 127.0.0.1. Without TEST and --list the whole suite runs, which takes an hour or more. Exits with 1 when a test
fails through the proxy that passes directly, with 77 when something that it needs is not installed.
"""
import argparse
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
import time

SUITE = "/usr/share/mysql/mysql-test"
NEEDED = ("mariadbd", "mariadb-install-db", "mariadb")
RESULT = re.compile(r"^(\S+\.\S+)(?: '[^']*')?(?: w\d+)?\s+\[ (\w+) \]", re.M)
# What mysqld is given by include/default_mysqld.cnf, as far as tests of the main suite depend on it.
SERVER = """--no-defaults --bind-address=127.0.0.1 --server-id=1 --log-bin=master-bin --plugin-maturity=unknown --local-infile
 --character-set-server=latin1 --collation-server=latin1_swedish_ci --connect-timeout=60 --log-bin-trust-function-creators=1
 --key_buffer_size=1M --sort_buffer_size=256K --max_heap_table_size=1M --aria-pagecache-buffer-size=8M
 --innodb_data_file_path=ibdata1:12M:autoextend --innodb_buffer_pool_size=32M --innodb_log_file_size=10M
 --slave-net-timeout=120 --binlog-direct-non-transactional-updates --default-storage-engine=myisam
 --use_stat_tables=preferably --histogram_type=json_hb --lc-messages-dir=/usr/share/mysql""".split()
# These end the server, which nobody starts again.
ENDS_SERVER = "bootstrap|shutdown|restart|crash|upgrade|events_|log_state|mysqld--help|bind_|ipv"
CONFIG = """
listen: {{ address: ["127.0.0.1:{port}", "unix:{folder}/proxy.sock"] }}
primary:
  address: 127.0.0.1:{primary}
  tls: {{ mode: disabled }}
  monitor: {{ user: root, password: "" }}
standbys:
  - {{ name: s1, address: "127.0.0.1:{standby}", tls: {{ mode: disabled }}, user: root, password: "" }}
admin: {{ enabled: false }}
plugins:
  mirror: {{ rules: [ {{ name: all, sample: 100% }} ] }}
  commit-latency: {{ slow: 10s }}
  gtid-domain: {{ mode: tag, rules: [ {{ name: schema-changes, match: {{ kind: ddl }}, domain: 10 }} ] }}
"""


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
    if os.getuid() == 0:
        shutil.chown(folder, "nobody", "nogroup")


def ask(port, sql):
    return subprocess.run(["mariadb", "--no-defaults", "--skip-ssl", "-uroot", "-h127.0.0.1", f"-P{port}", "-e", sql],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def wait_for(port, process, what):
    for _ in range(600):
        if ask(port, "DO 1"):
            return
        if process.poll() is not None:
            break
        time.sleep(0.2)
    sys.exit(f"{what} does not answer on port {port}")


def server(folder, files, *more):
    folder.mkdir()
    own(folder)
    data = folder / "data"
    subprocess.run(unprivileged(["mariadb-install-db", "--no-defaults", f"--datadir={data}", "--skip-test-db",
                                 "--auth-root-authentication-method=normal"]), check=True, stdout=subprocess.DEVNULL)
    port = free_port()
    log = open(folder / "log", "wb")
    process = subprocess.Popen(unprivileged(
        ["mariadbd"] + SERVER + [f"--datadir={data}", f"--port={port}", f"--socket={folder}/server.sock", f"--tmpdir={folder}",
                                 f"--secure-file-priv={files}"] + list(more)), stdout=log, stderr=log)
    wait_for(port, process, "the server")
    ask(port, "CREATE DATABASE test")
    return port, process


def suite(name, port, sock, options, tests, work):
    vardir = work / f"var-{name}"
    vardir.mkdir()
    own(vardir)
    command = ["./mtr", "--extern", "host=127.0.0.1", "--extern", f"port={port}", "--extern", "user=root",
               "--extern", f"socket={sock}", f"--vardir={vardir}/var", "--force", "--max-test-fail=0", "--retry=0",
               "--nocheck-testcases", "--testcase-timeout=3", f"--skip-test={ENDS_SERVER}"] + options + tests
    done = subprocess.run(unprivileged(command), cwd=SUITE, env=dict(os.environ, HOME=str(vardir)),
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    text = done.stdout.decode(errors="replace")
    (work / f"{name}.out").write_text(text)
    return dict(RESULT.findall(text)), text


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--proxy", default=f"{root}/understudy run -c {{config}}")
    arguments.add_argument("--suite", default="main")
    arguments.add_argument("--list", type=pathlib.Path)
    arguments.add_argument("--option", action="append", default=[])
    arguments.add_argument("tests", nargs="*")
    options = arguments.parse_args()
    missing = [name for name in NEEDED if not shutil.which(name)] + ([] if os.path.exists(SUITE + "/mtr") else [SUITE])
    if missing:
        print("not installed: " + ", ".join(missing))
        return 77
    tests = list(options.tests)
    if options.list:
        tests += [line.strip() for line in options.list.read_text().splitlines() if line.strip() and line[0] != "#"]
    work = pathlib.Path(tempfile.mkdtemp(prefix="mtr-"))
    work.chmod(0o777)
    processes = []
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the servers end as well
    try:
        direct, process = server(work / "direct", work)
        processes.append(process)
        primary, process = server(work / "primary", work)
        processes.append(process)
        standby, process = server(work / "standby", work, "--read-only")
        processes.append(process)
        port = free_port()
        config = work / "proxy.yaml"
        config.write_text(CONFIG.format(port=port, folder=work, primary=primary, standby=standby))
        log = open(work / "proxy.log", "wb")
        proxy = subprocess.Popen(shlex.split(options.proxy.format(config=config)), stdout=log, stderr=log)
        processes.append(proxy)
        wait_for(port, proxy, "the proxy")
        (work / "proxy.sock").chmod(0o777)
        which = options.option + [f"--suite={options.suite}"]
        expected, text = suite("direct", direct, work / "direct/server.sock", which, tests, work)
        seen, _ = suite("proxied", port, work / "proxy.sock", which, tests, work)
    finally:
        for process in reversed(processes):
            process.terminate()
        for process in processes:
            process.wait()
    passed = [test for test, result in expected.items() if result == "pass"]
    lost = [test for test in passed if seen.get(test) != "pass"]
    print(f"directly {len(passed)} of {len(expected)} passed; of these {len(lost)} not through the proxy")
    for test in lost:
        print(f"  {test}: {seen.get(test, 'not run')}")
    unread = (work / "proxy.log").read_text(errors="replace").count("is relayed unread")
    print(f"{unread} sessions were relayed unread")
    if not passed:
        print(text[-3000:])
    if lost or unread or not passed:
        print(f"what they said is in {work}")
        return 1
    shutil.rmtree(work, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
