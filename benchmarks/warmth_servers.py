"""Servers and the proxy for benchmarks/warmth."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request

import pymysql

PASSWORD = "s3same-Warmth"


def free_port():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


class Server:
    """One server on a data folder. With a read time each page read takes that many microseconds (strace)."""

    def __init__(self, options, data, pool, number=0, read_time=0):
        self.options, self.data, self.pool, self.number, self.read_time = options, data, pool, number, read_time
        self.port = free_port()
        self.start()

    def start(self):
        log = ["--skip-log-bin"]
        if self.number == 1:
            log = [f"--log-bin={self.data}/binlog", "--binlog-format=ROW", "--sync-binlog=0"]
        if self.number and self.options.mysql:
            log += ["--gtid-mode=ON", "--enforce-gtid-consistency=ON"]
        slow = ["strace", "-f", "-qq", "--seccomp-bpf", "-o", "/dev/null", "-e", "trace=pread64",
                "-e", f"inject=pread64:delay_exit={self.read_time}"] if self.read_time else []
        self.process = subprocess.Popen(
            [*slow, *self.options.server, "--no-defaults", *self.options.server_option, *log,
             f"--datadir={self.data}", f"--port={self.port}", f"--socket={self.data}.sock", "--bind-address=127.0.0.1",
             f"--server-id={self.number}", f"--innodb-buffer-pool-size={self.pool}M",
             "--innodb-flush-log-at-trx-commit=0", "--innodb-buffer-pool-dump-at-shutdown=0",
             "--innodb-buffer-pool-load-at-startup=0", "--innodb-fast-shutdown=0"],
            stdout=subprocess.DEVNULL, stderr=open(f"{self.data}.log", "a"))
        for _ in range(600):
            try:
                self.connect().close()
                return
            except pymysql.Error:
                if self.process.poll() is not None:
                    sys.exit(f"the server has ended:\n{open(f'{self.data}.log').read()[-2000:]}")
                time.sleep(0.1)
        sys.exit("the server does not respond")

    def connect(self, user="root", password=""):
        return pymysql.connect(host="127.0.0.1", port=self.port, user=user, password=password, autocommit=True)

    def run(self, *statements):
        with self.connect() as connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
            return cursor.fetchall()

    def reads(self):
        """Pages that statements read: on MariaDB without read-ahead, as the proxy's floor has it."""
        values = dict(self.run("SHOW GLOBAL STATUS WHERE Variable_name IN"
                               " ('Innodb_buffer_pool_reads', 'Innodb_buffer_pool_read_ahead')"))
        reads, ahead = (int(values[name]) for name in ("Innodb_buffer_pool_reads", "Innodb_buffer_pool_read_ahead"))
        return reads + ahead if self.options.mysql else reads - ahead

    def settle(self):
        """Waits until nothing reads pages any more, such as the purge of what writes have left."""
        last, quiet = self.reads(), 0
        for _ in range(120):
            time.sleep(0.5)
            now = self.reads()
            quiet = quiet + 1 if now == last else 0
            last = now
            if quiet == 4:
                return
        sys.exit("the server does not come to rest")

    def cpu(self):
        fields = open(f"/proc/{self.process.pid}/stat").read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def replicate(self, primary):
        source = f"HOST='127.0.0.1', {{0}}_PORT={primary.port}, {{0}}_USER='repl', {{0}}_PASSWORD='{PASSWORD}'"
        if self.options.mysql:
            self.run("CHANGE REPLICATION SOURCE TO SOURCE_" + source.format("SOURCE")
                     + ", SOURCE_AUTO_POSITION=1, GET_SOURCE_PUBLIC_KEY=1", "START REPLICA")
        else:
            self.run("CHANGE MASTER TO MASTER_" + source.format("MASTER") + ", MASTER_USE_GTID=slave_pos",
                     "START SLAVE")

    def applier(self, state):
        """Starts or stops the applier, when it has applied everything."""
        self.run(f"{state} {'REPLICA' if self.options.mysql else 'SLAVE'} SQL_THREAD")

    def await_caught_up(self, primary):
        if self.options.mysql:
            gtids = primary.run("SELECT @@GLOBAL.gtid_executed")[0][0]
            done = self.run(f"SELECT WAIT_FOR_EXECUTED_GTID_SET('{gtids}', 120)")[0][0] == 0
        else:
            gtids = primary.run("SELECT @@GLOBAL.gtid_binlog_pos")[0][0]
            done = not gtids or self.run(f"SELECT MASTER_GTID_WAIT('{gtids}', 120)")[0][0] == 0
        if not done:
            sys.exit("the standby does not catch up")

    def stop(self):
        try:
            self.run("SHUTDOWN")
        except pymysql.Error:
            pass  # it may close the connection first
        try:
            self.process.wait(120)
        except subprocess.TimeoutExpired:
            self.process.kill()

    def restart_cold(self):
        self.stop()
        self.start()
        self.run("SET GLOBAL read_only = 1")


def template(options, work, load):
    """Returns a data folder with accounts and the load's table."""
    data = f"{work}/template"
    if options.mysql:
        subprocess.run([*options.server, "--no-defaults", *options.server_option, f"--datadir={data}",
                        "--initialize-insecure"], check=True, stderr=subprocess.DEVNULL)
    else:
        subprocess.run([*options.install, "--no-defaults", f"--datadir={data}", "--user=root",
                        "--auth-root-authentication-method=normal", "--skip-test-db"],
                       check=True, stdout=subprocess.DEVNULL)
    server = Server(options, data, 256)
    server.run("CREATE DATABASE t",
               "CREATE USER app@'%'", "GRANT ALL ON t.* TO app@'%'",
               f"CREATE USER repl@'%' IDENTIFIED BY '{PASSWORD}'", "GRANT REPLICATION SLAVE ON *.* TO repl@'%'",
               f"CREATE USER mirror@'%' IDENTIFIED BY '{PASSWORD}'", "GRANT SELECT ON t.* TO mirror@'%'",
               *(["GRANT REPLICATION CLIENT ON *.* TO mirror@'%'",
                  "GRANT SELECT ON performance_schema.events_waits_summary_by_thread_by_event_name TO mirror@'%'"]
                 if options.mysql else ["GRANT SLAVE MONITOR ON *.* TO mirror@'%'"]))
    load.prepare(server)
    server.run(f"ANALYZE TABLE t.{load.table}")
    pages = server.run("SELECT SUM(data_length + index_length) FROM information_schema.tables"
                       " WHERE table_schema = 't'")[0][0]
    print(f"{load.name}: a table of {int(pages) / 2 ** 20:.0f} MiB, pools of {options.pool} MiB", flush=True)
    server.stop()
    return data


def pair(options, work, data, read_time=0):
    """Returns a primary and its standby on copies of the data folder, with nothing in their pools."""
    for name in ("primary", "standby"):
        shutil.rmtree(f"{work}/{name}", ignore_errors=True)
        shutil.copytree(data, f"{work}/{name}")
        if os.path.exists(f"{work}/{name}/auto.cnf"):
            os.remove(f"{work}/{name}/auto.cnf")
    primary = Server(options, f"{work}/primary", options.pool, 1)
    standby = Server(options, f"{work}/standby", options.pool, 2, read_time)
    standby.run("SET GLOBAL read_only = 1")
    standby.replicate(primary)
    return primary, standby


class Proxy:
    """The proxy between, with the plugin mirror alone."""

    def __init__(self, options, work, primary, standby, section):
        self.port, self.admin = free_port(), free_port()
        with open(f"{work}/proxy.yaml", "w") as file:
            file.write(f"""
transport: epoll
listen: {{ address: "127.0.0.1:{self.port}" }}
primary:
  address: "127.0.0.1:{primary.port}"
  monitor: {{ user: root, password: "" }}
standbys:
  - {{ name: s1, address: "127.0.0.1:{standby.port}", user: mirror, password: {PASSWORD} }}
admin: {{ address: "127.0.0.1:{self.admin}" }}
plugins:
  mirror: {section}
""")
        self.process = subprocess.Popen([*options.understudy, "run", "-c", f"{work}/proxy.yaml"],
                                        stdout=open(f"{work}/proxy.log", "a"), stderr=subprocess.STDOUT)
        for _ in range(600):
            try:
                if self.api("mirror")["standbys"][0]["state"] == "mirroring":
                    return
            except OSError:
                pass
            time.sleep(0.2)
        self.stop()
        sys.exit(f"the proxy does not mirror:\n{open(f'{work}/proxy.log').read()[-2000:]}")

    def api(self, name):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.admin}/api/{name}", timeout=10) as response:
            return json.load(response)

    def warmth(self):
        return self.api("standbys")[0]["warmth"]

    def stop(self):
        self.process.terminate()
        self.process.wait(60)
