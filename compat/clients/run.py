#!/usr/bin/env python3
r"""The client matrix: the same script by many clients, direct and through the proxy, and whether they say the same.

    compat/clients/run.py --server NAME=HOST:PORT --proxy NAME/optional=HOST:PORT --proxy NAME/required=HOST:PORT
                          --user NAME/METHOD=USER:PASSWORD [--work DIR] [--only CLIENT,...]

For example:

    compat/clients/run.py --server maria=127.0.0.1:3306 --user maria/native=app:secret \
        --proxy maria/optional=127.0.0.1:3307 --proxy maria/required=127.0.0.1:3308

"optional" and "required" are proxies with that listen.tls.mode. DIR is the folder for built programs and for
node_modules (DIR/node, "npm install mysql2 mariadb mysql"); COMPAT_PYTHON, COMPAT_MARIADB and COMPAT_MYSQL name an
interpreter with the drivers and the two command-line clients. Accounts need a database "test" and the privilege to
create temporary tables. A client that is not installed is reported as not run. docs/clients.md has the result.
"""
import argparse
import glob
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
REFUSED = "connect refused"


def clients(work):
    python = os.environ.get("COMPAT_PYTHON", sys.executable)
    yield "mariadb CLI", ["sh", f"{HERE}/cli.sh", os.environ.get("COMPAT_MARIADB", "mariadb")]
    yield "mysql CLI", ["sh", f"{HERE}/cli.sh", os.environ.get("COMPAT_MYSQL", "")]
    for driver in ("mysqlclient", "mariadb", "pymysql", "connector-python", "connector-c"):
        yield "Python " + driver, [python, f"{HERE}/dbapi.py", driver]
    yield "Go go-sql-driver", [f"{work}/goclient"]
    for driver in ("mysql2", "mariadb", "mysql"):
        yield "Node " + driver, ["node", f"{work}/node/client.js", driver]
    yield "Rust mysql_async", [f"{work}/rs-target/debug/clients"]
    for driver in ("mysqli", "pdo"):
        yield f"PHP mysqlnd ({driver})", ["php", f"{HERE}/client.php", driver]
    java = [("Connector/J 5.1", "mysql5", "Jdbc"), ("Connector/J 8.0", "mysql8", "Jdbc"), ("Connector/J 9.7", "mysql9", "Jdbc"),
            ("MariaDB Connector/J 2.7", "mariadb2", "Jdbc"), ("MariaDB Connector/J 3.5", "mariadb3", "Jdbc"),
            ("R2DBC io.asyncer", "r2dbc-mysql", "R2dbc"), ("R2DBC MariaDB", "r2dbc-mariadb", "R2dbc"),
            ("Vert.x", "vertx", "VertxClient")]
    for name, profile, program in java:
        yield name, ["java", "-XX:TieredStopAtLevel=1", "-cp", f"{work}/jars/{profile}/*:{work}/classes/{profile}", program, profile]


def prepare(work):
    """Builds what is compiled; what cannot be is left out and reported."""
    os.makedirs(work, exist_ok=True)
    if os.path.isdir(f"{work}/node"):
        shutil.copy(f"{HERE}/client.js", f"{work}/node/client.js")
    if not os.path.exists(f"{work}/goclient") and shutil.which("go"):
        subprocess.run(["go", "build", "-o", f"{work}/goclient", "."], cwd=f"{HERE}/go")
    if not os.path.exists(f"{work}/rs-target/debug/clients") and shutil.which("cargo"):
        subprocess.run(["cargo", "build", "-q"], cwd=f"{HERE}/rust", env=dict(os.environ, CARGO_TARGET_DIR=f"{work}/rs-target"))
    programs = dict(mysql5="Jdbc", mysql8="Jdbc", mysql9="Jdbc", mariadb2="Jdbc", mariadb3="Jdbc", vertx="VertxClient")
    programs.update({"r2dbc-mysql": "R2dbc", "r2dbc-mariadb": "R2dbc"})
    for profile, program in programs.items():
        if not glob.glob(f"{work}/jars/{profile}/*.jar") and shutil.which("mvn"):
            subprocess.run(["mvn", "-q", "-B", "-P", profile, "org.apache.maven.plugins:maven-dependency-plugin:3.11.0:copy-dependencies",
                            f"-DoutputDirectory={work}/jars/{profile}"], cwd=f"{HERE}/java")
        if not os.path.exists(f"{work}/classes/{profile}/{program}.class"):
            subprocess.run(["javac", "-nowarn", "-cp", f"{work}/jars/{profile}/*", "-d", f"{work}/classes/{profile}",
                            f"{HERE}/java/{program}.java"])


def play(command, address, account, tls):
    host, port = address.split(":")
    user, password = account.split(":")
    try:
        done = subprocess.run(command + [host, port, user, password, "on" if tls else "off"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    except FileNotFoundError:
        return None
    except subprocess.TimeoutExpired:
        return "TIMEOUT"
    text = done.stdout.decode(errors="replace").replace(port, "PORT")
    if "connect ok" not in text and REFUSED not in text and "cli.sh" not in " ".join(command):
        missing = ("No module", "no driver", "Cannot find module", "ClassNotFound", "Could not find or load main class")
        if any(m in done.stderr.decode(errors="replace") for m in missing):
            return None
        text += "EXIT %d %s" % (done.returncode, done.stderr.decode(errors="replace")[-300:])
    if done.returncode != 0 and "connect ok" in text:
        text += "EXIT %d %s" % (done.returncode, done.stderr.decode(errors="replace").replace(port, "PORT")[-300:])
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("--server", "--proxy", "--user"):
        parser.add_argument(option, action="append", default=[])
    parser.add_argument("--work", default="/tmp/understudy-clients")
    parser.add_argument("--only", default="")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    pairs = lambda values: dict(v.split("=", 1) for v in values)
    servers, proxies, users = pairs(options.server), pairs(options.proxy), pairs(options.user)
    prepare(options.work)
    only = [w for w in options.only.split(",") if w]
    columns = [(key, tls) for key in users for tls in (False, True)]
    print("| client | " + " | ".join(f"{key.replace('/', ' ')}, {'TLS' if tls else 'plain'}" for key, tls in columns) + " |")
    print("|---|" + "---|" * len(columns))
    same = different = 0
    for name, command in clients(options.work):
        if only and not any(w in name for w in only):
            continue
        cells = []
        if not command[-1]:
            print(f"| {name} | " + " | ".join(["not run"] * len(columns)) + " |", flush=True)
            continue
        for key, tls in columns:
            server = key.split("/")[0]
            direct = play(command, servers[server], users[key], tls)
            if direct is None or "not available" in direct:
                cells.append("not run")
                continue
            word = "works" if "still here" in direct else "refused"
            if "EXIT" in direct or "FAILED" in direct or "TIMEOUT" in direct:
                word = "fails"
            for mode in ("optional", "required"):
                if mode == "required" and not tls or f"{server}/{mode}" not in proxies:
                    continue
                through = play(command, proxies[f"{server}/{mode}"], users[key], tls)
                if through == direct:
                    same += 1
                else:
                    different += 1
                    word += f", DIFFERENT ({mode})"
                    print(f"--- {name} {key} tls={tls} {mode}\n<<< direct\n{direct}\n>>> proxied\n{through}", file=sys.stderr, flush=True)
            if options.verbose:
                print(f"--- {name} {key} tls={tls}\n{direct}", file=sys.stderr, flush=True)
            cells.append(word)
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
    print(f"\n{same} comparisons the same, {different} different")
    return 1 if different else 0


sys.exit(main())
