#!/bin/sh
# The script of the client matrix for the command-line clients: cli.sh PROGRAM HOST PORT USER PASSWORD TLS
# (password by variable, so that no client warns of the command line)
program=$1 host=$2 port=$3 user=$4 password=$5 tls=$6
case "$($program --no-defaults --version)" in
    *MariaDB*) if [ "$tls" = on ]; then t="--ssl --skip-ssl-verify-server-cert"; else t="--skip-ssl"; fi ;;
    *) if [ "$tls" = on ]; then t=--ssl-mode=REQUIRED; else t="--ssl-mode=DISABLED --get-server-public-key"; fi ;;
esac
run() { MYSQL_PWD=$password $program --no-defaults -h"$host" -P"$port" -u"$user" --protocol=tcp $t --max-allowed-packet=64M test "$@" 2>&1; }
run -vv --force <<'SQL' | sed -e 's/([0-9.]* sec)//'
SELECT 1, NULL, 'héllo', 2.50;
PREPARE p FROM 'SELECT ? * 2'; SET @a = 21; EXECUTE p USING @a;
CREATE TEMPORARY TABLE m (a INT, b LONGBLOB);
INSERT INTO m VALUES (1, 'x'), (2, 'x'), (3, 'x');
BEGIN; INSERT INTO m VALUES (1000, REPEAT('0123456789abcdef', 327680));
SELECT LENGTH(b), SHA2(b, 256) FROM m WHERE a = 1000;
ROLLBACK; SELECT COUNT(*) FROM m;
SELEC; SELECT * FROM nosuch; SHOW WARNINGS;
SELECT 'still here';
SQL
run -N -e "SELECT REPEAT('0123456789abcdef', 327680)" | md5sum
