<?php
// The script of the client matrix for PHP's mysqlnd: client.php mysqli|pdo HOST PORT USER PASSWORD TLS
[, $driver, $host, $port, $user, $password, $tls] = $argv;
$tls = $tls === 'on';
$big = str_repeat(implode('', array_map('chr', range(0, 255))), 20480);
try {
    if ($driver === 'mysqli') {
        mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
        $db = mysqli_init();
        $db->real_connect($host, $user, $password, 'test', (int) $port, null, $tls ? MYSQLI_CLIENT_SSL | MYSQLI_CLIENT_SSL_DONT_VERIFY_SERVER_CERT : 0);
        $ask = fn($sql) => $db->query($sql);
        $row = fn($r) => $r->fetch_row();
        $run = function ($sql, $values) use ($db) { $s = $db->prepare($sql); $s->execute($values); return $s; };
        $fetch = fn($s) => $s->get_result()->fetch_row();
    } else {
        $options = [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION, PDO::ATTR_EMULATE_PREPARES => false];
        if ($tls) {
            $options[PDO::MYSQL_ATTR_SSL_CA] = '';
            $options[PDO::MYSQL_ATTR_SSL_CIPHER] = 'DEFAULT';
            $options[PDO::MYSQL_ATTR_SSL_VERIFY_SERVER_CERT] = false;
        }
        $db = new PDO("mysql:host=$host;port=$port;dbname=test;charset=utf8mb4", $user, $password, $options);
        $ask = fn($sql) => $db->query($sql);
        $row = fn($r) => $r->fetch(PDO::FETCH_NUM);
        $run = function ($sql, $values) use ($db) { $s = $db->prepare($sql); $s->execute($values); return $s; };
        $fetch = fn($s) => $s->fetch(PDO::FETCH_NUM);
    }
} catch (Throwable $e) {
    echo 'connect refused: ', $e->getCode(), "\n";
    exit(0);
}
echo "connect ok\n";
echo 'query ', json_encode($row($ask("SELECT 1, NULL, 'héllo', 2.50"))), "\n";
foreach ([20, 21] as $n) {
    echo 'prepare ', (int) $fetch($run('SELECT ? * 2', [$n]))[0], "\n";
}
$ask('CREATE TEMPORARY TABLE m (a INT, b LONGBLOB)');
for ($i = 0; $i < 100; $i++) {
    $run('INSERT INTO m VALUES (?, ?)', [$i, 'x']);
}
echo 'sum ', json_encode($row($ask('SELECT COUNT(*), SUM(a) FROM m'))), "\n";
$ask('START TRANSACTION');
$run('INSERT INTO m VALUES (?, ?)', [1000, $big]);
$value = $row($ask('SELECT b FROM m WHERE a = 1000'))[0];
echo 'big ', strlen($value), ' ', md5($value), "\n";
$ask('ROLLBACK');
echo 'rollback ', $row($ask('SELECT COUNT(*) FROM m'))[0], "\n";
foreach (['SELEC', 'SELECT * FROM nosuch'] as $sql) {
    try {
        $ask($sql);
        echo "no error\n";
    } catch (Throwable $e) {
        echo 'error ', $e->getCode(), ' ', substr($e->getMessage(), -60), "\n";
    }
}
echo 'after ', $row($ask("SELECT 'still here'"))[0], "\n";
