package io.understudy.it;

import static org.awaitility.Awaitility.await;

import io.understudy.testkit.FreePort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Servers of an installed MariaDB or an unpacked MySQL. */
final class InstalledPair implements ProvedPair {
    private static final String MARIADB = "understudy.it.mariadb";
    private static final String BY_PASSWORD = "@'%' IDENTIFIED BY '" + CommitProxy.PASSWORD + "'";

    static final String[] MARIADB_SCHEMA = {
        "CREATE DATABASE shop",
        "CREATE TABLE shop.t (w INT, n INT, filler VARCHAR(60), PRIMARY KEY (w, n))",
        "CREATE TABLE shop.orders (id INT AUTO_INCREMENT PRIMARY KEY, v VARCHAR(40))",
        "CREATE USER app" + BY_PASSWORD,
        "GRANT ALL ON shop.* TO app@'%'",
        "CREATE USER monitor" + BY_PASSWORD,
        "GRANT REPLICATION SLAVE, SLAVE MONITOR, BINLOG MONITOR, PROCESS ON *.* TO monitor@'%'",
        "GRANT SELECT ON mysql.global_priv TO monitor@'%'",
        "CREATE USER switcher" + BY_PASSWORD,
        "GRANT SELECT, INSERT, UPDATE, DELETE, BINLOG REPLAY, REPLICATION MASTER ADMIN, READ_ONLY ADMIN,"
                + " REPLICATION SLAVE ADMIN, SLAVE MONITOR, RELOAD, EVENT, SET USER ON *.* TO switcher@'%'"
    };
    private static final String[] MYSQL_SCHEMA = {
        MARIADB_SCHEMA[0],
        MARIADB_SCHEMA[1],
        MARIADB_SCHEMA[2],
        MARIADB_SCHEMA[3],
        MARIADB_SCHEMA[4],
        MARIADB_SCHEMA[5],
        "GRANT REPLICATION SLAVE, REPLICATION CLIENT, PROCESS ON *.* TO monitor@'%'",
        "GRANT SELECT ON mysql.user TO monitor@'%'",
        MARIADB_SCHEMA[8],
        "GRANT SELECT, INSERT, UPDATE, DELETE, RELOAD, EVENT, REPLICATION CLIENT ON *.* TO switcher@'%'",
        "GRANT REPLICATION_APPLIER, SYSTEM_VARIABLES_ADMIN, CONNECTION_ADMIN, REPLICATION_SLAVE_ADMIN,"
                + " SESSION_VARIABLES_ADMIN, SET_ANY_DEFINER, SYSTEM_USER ON *.* TO switcher@'%'"
    };

    private final boolean mariadb = System.getProperty(MARIADB) != null;
    private final Path home;
    private final List<String> arguments;
    private final Process[] processes = new Process[2];
    private final int[] ports = {FreePort.next(), FreePort.next()};

    static boolean isChosen() {
        return System.getProperty(MARIADB) != null || System.getProperty(MySqlSemiSyncPair.PROPERTY) != null;
    }

    InstalledPair(String... arguments) throws Exception {
        this.arguments = List.of(arguments);
        // A run that is killed leaves no server.
        Runtime.getRuntime().addShutdownHook(new Thread(this::stop));
        home = Files.createTempDirectory("understudy-proved-");
        try {
            install();
            launch(1);
            launch(2);
            prepare();
        } catch (Exception e) {
            close();
            throw e;
        }
    }

    private List<String> server(String... own) {
        Path root = Path.of(System.getProperty(mariadb ? MARIADB : MySqlSemiSyncPair.PROPERTY));
        List<String> command = mariadb
                ? new ArrayList<>(List.of(root + "/sbin/mariadbd", "--no-defaults"))
                : MySqlSemiSyncPair.program(
                        "usr/sbin/mysqld",
                        "--basedir=" + root.resolve("usr"),
                        "--plugin-dir=" + root.resolve("usr/lib/mysql/plugin"),
                        "--secure-file-priv=",
                        "--mysqlx=OFF");
        if ("root".equals(System.getProperty("user.name"))) {
            command.add("--user=root");
        }
        command.addAll(List.of(own));
        return command;
    }

    /** Both servers get a copy of the files of one installation. */
    private void install() throws Exception {
        Path data = home.resolve("data1");
        run(
                mariadb
                        ? List.of(
                                System.getProperty(MARIADB) + "/bin/mariadb-install-db",
                                "--no-defaults",
                                "--user=" + System.getProperty("user.name"),
                                "--datadir=" + data,
                                "--skip-test-db",
                                "--auth-root-authentication-method=normal")
                        : server("--initialize-insecure", "--datadir=" + data));
        run(List.of("cp", "-r", data.toString(), home.resolve("data2").toString()));
        for (int id = 1; id <= 2; id++) {
            Files.deleteIfExists(home.resolve("data" + id).resolve("auto.cnf"));
        }
    }

    private void run(List<String> command) throws Exception {
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(home.resolve("install.log").toFile())
                .start();
        if (!process.waitFor(180, TimeUnit.SECONDS) || process.exitValue() != 0) {
            throw new IOException(command + " failed: " + Files.readString(home.resolve("install.log")));
        }
    }

    private void launch(int id) throws Exception {
        List<String> command = server(
                "--datadir=" + home.resolve("data" + id),
                "--port=" + ports[id - 1],
                "--bind-address=127.0.0.1",
                "--socket=" + home.resolve("s" + id),
                "--pid-file=" + home.resolve("pid" + id),
                "--server-id=" + id,
                "--log-bin=binlog",
                "--innodb-buffer-pool-size=64M",
                "--max-connections=500",
                "--read-only=" + (id == 1 ? 0 : 1));
        if (mariadb) {
            command.addAll(List.of(
                    "--log-slave-updates=1",
                    "--gtid-strict-mode=1",
                    "--binlog-format=ROW",
                    "--skip-name-resolve",
                    "--rpl-semi-sync-master-wait-point=AFTER_SYNC",
                    "--rpl-semi-sync-master-timeout=120000",
                    "--rpl-semi-sync-slave-enabled=" + (id == 1 ? 0 : 1)));
        } else {
            command.addAll(List.of(
                    "--gtid-mode=ON",
                    "--enforce-gtid-consistency=ON",
                    "--plugin-load-add=semisync_source.so",
                    "--plugin-load-add=semisync_replica.so",
                    "--loose-rpl-semi-sync-source-timeout=120000",
                    "--loose-rpl-semi-sync-replica-enabled=" + (id == 1 ? 0 : 1)));
        }
        command.addAll(arguments);
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        home.resolve("log" + id).toFile()))
                .start();
        processes[id - 1] = process;
        await().atMost(Duration.ofSeconds(120)).ignoreExceptions().until(() -> {
            if (!process.isAlive()) {
                return true;
            }
            connect(ports[id - 1]).close();
            return true;
        });
        if (!process.isAlive()) {
            throw new IOException("the server has ended: " + Files.readString(home.resolve("log" + id)));
        }
    }

    private void prepare() throws SQLException {
        if (mariadb) {
            for (int port : ports) {
                execute(
                        port,
                        "SET SESSION sql_log_bin = 0",
                        "DELETE FROM mysql.global_priv WHERE User = ''",
                        "FLUSH PRIVILEGES");
            }
        }
        execute(primary(), mariadb ? MARIADB_SCHEMA : MYSQL_SCHEMA);
        String from = "HOST='127.0.0.1', %sCONNECT_RETRY=1, %sPORT=" + primary() + ", %sUSER='monitor', %sPASSWORD='"
                + CommitProxy.PASSWORD + "'";
        if (mariadb) {
            execute(
                    standby(),
                    "CHANGE MASTER TO MASTER_" + from.replace("%s", "MASTER_") + ", MASTER_USE_GTID=slave_pos,"
                            + " MASTER_SSL_VERIFY_SERVER_CERT=0",
                    "START SLAVE");
        } else {
            execute(
                    standby(),
                    "CHANGE REPLICATION SOURCE TO SOURCE_" + from.replace("%s", "SOURCE_")
                            + ", SOURCE_AUTO_POSITION=1, SOURCE_SSL=0, GET_SOURCE_PUBLIC_KEY=1",
                    "START REPLICA");
        }
        await().atMost(Duration.ofSeconds(60)).ignoreExceptions().until(() -> {
            execute(standby(), "SELECT * FROM shop.orders", "SHOW GRANTS FOR switcher");
            return true;
        });
        execute(primary(), "SET GLOBAL rpl_semi_sync_" + (mariadb ? "master" : "source") + "_enabled = 1");
    }

    @Override
    public boolean mariadb() {
        return mariadb;
    }

    @Override
    public int primary() {
        return ports[0];
    }

    @Override
    public int standby() {
        return ports[1];
    }

    @Override
    public Connection connect(int port) throws SQLException {
        return DriverManager.getConnection(
                "jdbc:mariadb://127.0.0.1:" + port + "/?sslMode=disable&allowPublicKeyRetrieval=true", "root", "");
    }

    @Override
    public void kill() {
        processes[0].destroyForcibly().onExit().join();
    }

    @Override
    public void restart() throws Exception {
        launch(1);
        execute(primary(), "SET GLOBAL rpl_semi_sync_" + (mariadb ? "master" : "source") + "_enabled = 1");
    }

    @Override
    public void close() {
        stop();
        try (Stream<Path> files = Files.walk(home)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void stop() {
        for (Process process : processes) {
            if (process != null) {
                process.destroyForcibly().onExit().join();
            }
        }
    }
}
