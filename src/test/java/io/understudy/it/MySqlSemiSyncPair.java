package io.understudy.it;

import static org.awaitility.Awaitility.await;

import io.understudy.embedded.DelayedLink;
import io.understudy.testkit.FreePort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Two MySQL servers from unpacked Debian packages (mysql-server-core and its dependencies).
 * {@code -Dunderstudy.it.mysql=DIR} names the folder with {@code usr/sbin/mysqld}. They run with the dynamic linker and
 * the libraries of that folder.
 */
final class MySqlSemiSyncPair implements SemiSyncPair {
    static final String PROPERTY = "understudy.it.mysql";

    private final Path home;
    private final List<Process> processes = new ArrayList<>();
    private final int source;
    private final int replica;
    private final DelayedLink link;

    MySqlSemiSyncPair() throws Exception {
        home = Files.createTempDirectory("understudy-mysql-");
        try {
            source = server(1);
            replica = server(2);
            link = DelayedLink.to(address(), Duration.ZERO);
            prepare();
        } catch (Exception e) {
            processes.forEach(Process::destroyForcibly);
            throw e;
        }
    }

    /** Returns the command line of an unpacked program, such as {@code usr/bin/mysqlbinlog}. */
    static List<String> program(String path, String... arguments) {
        Path root = Path.of(System.getProperty(PROPERTY));
        List<String> command = new ArrayList<>(List.of(
                root.resolve("usr/lib64/ld-linux-x86-64.so.2").toString(),
                "--library-path",
                root.resolve("usr/lib/x86_64-linux-gnu").toString(),
                root.resolve(path).toString(),
                "--no-defaults"));
        command.addAll(List.of(arguments));
        return command;
    }

    private static List<String> mysqld(String... arguments) {
        Path root = Path.of(System.getProperty(PROPERTY));
        List<String> command = new ArrayList<>(program(
                "usr/sbin/mysqld",
                "--basedir=" + root.resolve("usr"),
                "--plugin-dir=" + root.resolve("usr/lib/mysql/plugin"),
                "--secure-file-priv="));
        if ("root".equals(System.getProperty("user.name"))) {
            command.add("--user=root");
        }
        command.addAll(List.of(arguments));
        return command;
    }

    private int server(int id) throws Exception {
        Path data = home.resolve("data" + id);
        Path log = home.resolve("log" + id);
        Process initialize = new ProcessBuilder(mysqld("--initialize-insecure", "--datadir=" + data))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        if (!initialize.waitFor(120, TimeUnit.SECONDS) || initialize.exitValue() != 0) {
            throw new IOException("mysqld --initialize-insecure failed: " + Files.readString(log));
        }
        int port = FreePort.next();
        processes.add(new ProcessBuilder(mysqld(
                        "--datadir=" + data,
                        "--port=" + port,
                        "--bind-address=127.0.0.1",
                        "--socket=" + home.resolve("s" + id),
                        "--mysqlx=OFF",
                        "--server-id=" + id,
                        "--gtid-mode=ON",
                        "--enforce-gtid-consistency=ON",
                        "--innodb-buffer-pool-size=128M",
                        "--performance-schema=OFF"))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start());
        await().atMost(Duration.ofSeconds(60)).ignoreExceptions().until(() -> {
            connect(port).close();
            return true;
        });
        return port;
    }

    private static Connection connect(int port) throws SQLException {
        return connect(port, "root", "");
    }

    private static Connection connect(int port, String user, String password) throws SQLException {
        return DriverManager.getConnection(
                "jdbc:mariadb://127.0.0.1:" + port + "/?sslMode=disable&allowPublicKeyRetrieval=true", user, password);
    }

    /** Has a server keep the digest of an account's password, so that logins without TLS need not send it. */
    static void logIn(InetSocketAddress server, String user, String password) {
        await().atMost(Duration.ofSeconds(60)).ignoreExceptions().until(() -> {
            connect(server.getPort(), user, password).close();
            return true;
        });
    }

    private static void execute(int port, String... statements) throws SQLException {
        try (Connection connection = connect(port);
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    private void prepare() throws SQLException {
        String password = "' IDENTIFIED BY '" + CommitProxy.PASSWORD + "'";
        execute(
                source,
                "INSTALL PLUGIN rpl_semi_sync_source SONAME 'semisync_source.so'",
                "SET GLOBAL rpl_semi_sync_source_timeout = 30000",
                "CREATE USER 'monitor'@'%" + password,
                "GRANT REPLICATION SLAVE ON *.* TO 'monitor'@'%'",
                "CREATE USER 'app'@'%" + password,
                "CREATE DATABASE shop",
                "GRANT ALL ON shop.* TO 'app'@'%'");
        execute(
                replica,
                "INSTALL PLUGIN rpl_semi_sync_replica SONAME 'semisync_replica.so'",
                "SET GLOBAL rpl_semi_sync_replica_enabled = ON",
                "CHANGE REPLICATION SOURCE TO SOURCE_HOST='127.0.0.1', SOURCE_PORT=" + link.port()
                        + ", SOURCE_USER='monitor', SOURCE_PASSWORD='" + CommitProxy.PASSWORD
                        + "', SOURCE_AUTO_POSITION=1, SOURCE_SSL=0, GET_SOURCE_PUBLIC_KEY=1, SOURCE_CONNECT_RETRY=1",
                "START REPLICA");
        execute(source, "SET GLOBAL rpl_semi_sync_source_enabled = ON");
        await().atMost(Duration.ofSeconds(60)).until(() -> {
            try (Connection connection = connect();
                    Statement statement = connection.createStatement()) {
                return SemiSyncPair.status(statement, "Rpl_semi_sync_source_clients") == 1;
            }
        });
    }

    @Override
    public InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), source);
    }

    @Override
    public Connection connect() throws SQLException {
        return connect(source);
    }

    InetSocketAddress replica() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), replica);
    }

    Connection connectReplica() throws SQLException {
        return connect(replica);
    }

    /** Kills the source with SIGKILL. */
    void killSource() {
        processes.get(0).destroyForcibly().onExit().join();
    }

    @Override
    public DelayedLink link() {
        return link;
    }

    @Override
    public void waitPoint(String value) throws SQLException {
        execute(source, "SET GLOBAL rpl_semi_sync_source_wait_point = '" + value + "'");
    }

    @Override
    public boolean mariadb() {
        return false;
    }

    @Override
    public String counters() {
        return "Rpl_semi_sync_source";
    }

    @Override
    public void close() {
        link.close();
        for (Process process : processes) {
            process.destroyForcibly().onExit().join();
        }
        try (Stream<Path> files = Files.walk(home)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
