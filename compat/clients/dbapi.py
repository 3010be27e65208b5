"""The script of the client matrix for Python's drivers: dbapi.py DRIVER HOST PORT USER PASSWORD TLS"""
import hashlib
import sys

driver, host, port, user, password, tls = sys.argv[1:7]
port, tls = int(port), tls == "on"
base = dict(host=host, port=port, user=user, password=password)
mark = "%s"

if driver == "pymysql":
    import pymysql as module
    connect = lambda: module.connect(**base, database="test", ssl={"check_hostname": False, "verify_mode": False} if tls else None, ssl_disabled=not tls)
elif driver == "mysqlclient":
    import MySQLdb as module
    connect = lambda: module.connect(**base, database="test", ssl_mode="REQUIRED" if tls else "DISABLED")
elif driver in ("connector-python", "connector-c"):
    import mysql.connector as module
    connect = lambda: module.connect(**base, database="test", use_pure=driver == "connector-python", ssl_disabled=not tls)
elif driver == "mariadb":
    import mariadb as module
    mark = "?"
    connect = lambda: module.connect(**base, database="test", ssl=tls, ssl_verify_cert=False)
else:
    sys.exit("no driver " + driver)


def number(e):
    return getattr(e, "errno", None) or (e.args[0] if e.args else "?")


def text(v):
    return v.decode() if isinstance(v, (bytes, bytearray)) else str(v)


try:
    db = connect()
except Exception as e:
    print("connect refused:", number(e))
    sys.exit(0)
print("connect ok")
c = db.cursor()
c.execute("SELECT 1, NULL, 'h\u00e9llo', 2.50")
print("query", [text(v) for v in c.fetchone()])
if driver.startswith("connector") or driver == "mariadb":
    p = db.cursor(prepared=True)
    for n in (20, 21):
        p.execute("SELECT ? * 2", (n,))
        print("prepare", int(p.fetchone()[0]))
    p.close()
c.execute("CREATE TEMPORARY TABLE m (a INT, b LONGBLOB)")
c.executemany(f"INSERT INTO m (a, b) VALUES ({mark}, {mark})", [(i, b"x") for i in range(100)])
print("batch", c.rowcount)
db.commit()
c.execute("SELECT COUNT(*), SUM(a) FROM m")
print("sum", [int(v) for v in c.fetchone()])
big = bytes(range(256)) * 20480
c.execute(f"INSERT INTO m VALUES ({mark}, {mark})", (1000, big))
c.execute("SELECT b FROM m WHERE a = 1000")
value = c.fetchone()[0]
print("big", len(value), hashlib.md5(value).hexdigest())
db.rollback()
c.execute("SELECT COUNT(*) FROM m")
print("rollback", int(c.fetchone()[0]))
for sql in ("SELEC", "SELECT * FROM nosuch"):
    try:
        c.execute(sql)
        print("no error")
    except Exception as e:
        print("error", number(e), str(e)[-60:])
c.execute("SELECT 'still here'")
print("after", text(c.fetchone()[0]))
c.close()
db.close()
print("closed")
