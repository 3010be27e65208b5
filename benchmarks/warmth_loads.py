"""Loads of benchmarks/warmth: point reads, sysbench's read-write, and writes of their own."""

import bisect
import itertools
import random
import subprocess
import threading
import time

import pymysql

ROWS_A_MIB = 10_000
DAY = 86_400
SCHEMA = "CREATE TABLE t.a (id INT PRIMARY KEY, k INT, v VARCHAR(400), KEY (k))"


class Zipfian:
    """Ranks with probability 1/rank^skew, spread over the table by a fixed permutation."""

    cached = {}

    def __init__(self, rows, skew, seed):
        self.random, self.rows = random.Random(seed), rows
        if (rows, skew) not in self.cached:
            total, sums = 0.0, []
            for rank in range(1, rows + 1):
                total += rank ** -skew
                sums.append(total)
            self.cached[rows, skew] = sums
        self.sums = self.cached[rows, skew]

    def next(self):
        rank = bisect.bisect_left(self.sums, self.random.random() * self.sums[-1])
        return rank * 48_271 % self.rows + 1


class Paced:
    """Runs statements on some connections, at a rate, until stopped; catches up with a backlog of so many seconds.

    The connections share one schedule, as an application's pool does: one that waits holds up no other's statements.
    """

    def __init__(self, connect, text, threads, rate, backlog=DAY):
        self.stopping, self.done, self.backlog = False, [0] * threads, backlog
        self.each = 1 / rate if rate else 0
        self.due, self.lock = time.time(), threading.Lock()
        self.threads = [threading.Thread(target=self.run, args=(i, connect, text(i))) for i in range(threads)]
        for thread in self.threads:
            thread.start()

    def next_due(self):
        with self.lock:
            self.due = max(self.due, time.time() - self.backlog) + self.each
            return self.due

    def run(self, number, connect, text):
        with connect() as connection, connection.cursor() as cursor:
            while not self.stopping:
                time.sleep(max(0, self.next_due() - time.time()))
                cursor.execute(text())
                cursor.fetchall()
                self.done[number] += 1

    def stop(self):
        self.stopping = True
        for thread in self.threads:
            thread.join()


def connector(port, user="app"):
    return lambda: pymysql.connect(host="127.0.0.1", port=port, user=user, database="t", autocommit=True)


class PointReads:
    """Selects by primary key from a table four times the pool."""

    table = "a"

    def __init__(self, options, name):
        self.options, self.name, self.rows = options, name, options.pool * ROWS_A_MIB
        self.skew = 0.99 if name == "zipfian" else 0.0

    def prepare(self, server):
        rows = (f"WITH RECURSIVE s (seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM s WHERE seq < {self.rows})"
                " SELECT seq, seq * 7919 % 100000, REPEAT('x', 300) FROM s")
        server.run("SET SESSION cte_max_recursion_depth = 100000000" if self.options.mysql
                   else "SET SESSION max_recursive_iterations = 100000000", SCHEMA, "INSERT INTO t.a " + rows)

    def selects(self, seed):
        ids = Zipfian(self.rows, self.skew, seed)
        return lambda: f"SELECT v FROM a WHERE id = {ids.next()}"

    def updates(self, seed):
        ids, numbers = Zipfian(self.rows, self.skew, seed), itertools.count()
        return lambda: f"UPDATE a SET v = INSERT(v, 1, 10, '{next(numbers):010}') WHERE id = {ids.next()}"

    def start(self, port, seed, backlog=DAY):
        return Paced(connector(port), lambda i: self.selects(100 * seed + i), self.options.threads, self.options.rate,
                     backlog)

    def queries(self, server, seed, count):
        """Runs so many queries on one connection, without the load's writes; returns their number."""
        return self.once(server, seed, count)

    def once(self, server, seed, count, prefix="", around=None, user="app"):
        """Runs so many statements on one connection, each between two others if told so; returns their number."""
        text = self.selects(seed)
        with connector(server.port, user)() as connection, connection.cursor() as cursor:
            for _ in range(count):
                for statement in (around, prefix + text(), around) if around else (prefix + text(),):
                    cursor.execute(statement)
                    cursor.fetchall()
        return count


class Sysbench:
    """sysbench's oltp_read_write with its own defaults: 14 selects and 4 writes a transaction, 75 % of them on 1 %."""

    name, table = "sysbench", "sbtest1"
    ROWS_A_MIB = 17_000
    SELECTS = 14

    def __init__(self, options):
        self.options, self.rows = options, options.pool * self.ROWS_A_MIB

    def command(self, port, user, *arguments):
        return ["sysbench", "oltp_read_write", "--mysql-host=127.0.0.1", f"--mysql-port={port}", f"--mysql-user={user}",
                "--mysql-db=t", "--tables=1", f"--table-size={self.rows}", *arguments]

    def prepare(self, server):
        subprocess.run(self.command(server.port, "root", "prepare"), check=True, stdout=subprocess.DEVNULL)

    def updates(self, seed):
        ids = random.Random(seed)
        return lambda: f"UPDATE sbtest1 SET k = k + 1 WHERE id = {ids.randrange(self.rows) + 1}"

    def start(self, port, seed):
        rate = [f"--rate={self.options.rate / self.SELECTS:.0f}"] if self.options.rate else []
        return Running(subprocess.Popen(
            self.command(port, "app", f"--threads={self.options.threads}", "--time=0", f"--rand-seed={seed + 1}", *rate,
                         "run"), stdout=subprocess.DEVNULL))

    def queries(self, server, seed, count):
        return self.once(server, seed, count, "--index-updates=0", "--non-index-updates=0", "--delete-inserts=0")

    def once(self, server, seed, count, *arguments):
        events = -(-count // self.SELECTS)
        subprocess.run(self.command(server.port, "root", "--threads=1", "--time=0", f"--events={events}",
                                    f"--rand-seed={seed + 1}", *arguments, "run"), check=True,
                       stdout=subprocess.DEVNULL)
        return events * self.SELECTS


class Running:
    def __init__(self, process):
        self.process = process

    def stop(self):
        self.process.terminate()
        self.process.wait(60)


def load(options):
    return Sysbench(options) if options.load == "sysbench" else PointReads(options, options.load)
