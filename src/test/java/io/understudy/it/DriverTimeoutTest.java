package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.net.InetSocketAddress;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Drivers that leave in the middle of a transaction's statement because of their {@code socketTimeout}, as the test
 * {@code ensureSocketTimeoutState} of MariaDB's Connector/J 2.7 has it: the row locks end as soon as they do directly.
 */
@Tag("long")
class DriverTimeoutTest {
    private static final Duration SOON = Duration.ofSeconds(14);
    private static final String TABLE = ServerUnderTest.SCHEMA + ".held";
    private static final int ROWS = 100;
    /** Copied by the build: its classes have the names of those of the newer driver, which the other tests use. */
    private static final Path MARIADB_2_7 = Path.of("target", "drivers", "mariadb-java-client-2.7.12.jar");

    @TempDir
    Path folder;

    private final ServerUnderTest server = ServerUnderTest.shared();
    private final List<Holder> holders = new ArrayList<>();

    /**
     * A transaction that holds the lock of one row.
     *
     * @param leg of the server, empty for none
     */
    private record Holder(String leg, String how, int row, Connection connection) {
        /** Returns whether the driver gave up while the statement ran. */
        boolean gaveUp() {
            try (Statement statement = connection.createStatement()) {
                statement.execute("SELECT SLEEP(61)");
                return false;
            } catch (SQLException timeout) {
                return true;
            }
        }
    }

    @Test
    void theRowLocksEnd() throws Exception {
        server.execute(
                "DROP TABLE IF EXISTS " + TABLE,
                "CREATE TABLE " + TABLE + " (id INT PRIMARY KEY, n INT) ENGINE=InnoDB");
        for (int row = 1; row <= ROWS; row++) {
            server.execute("INSERT INTO " + TABLE + " VALUES (" + row + ", 0)");
        }
        String alike = config().replace("tls: { mode: disabled }", "tls: { mode: as-client }, compression: as-client");
        try (ProxyUnderTest plain = ProxyUnderTest.start(config());
                ProxyUnderTest asClient = ProxyUnderTest.start(alike)) {
            for (Map.Entry<String, Driver> driver : drivers().entrySet()) {
                hold("", server.address(), driver);
                hold("plain", plain.address(), driver);
                hold("as the client's", asClient.address(), driver);
            }
            List<CompletableFuture<Boolean>> all = holders.stream()
                    .map(holder -> CompletableFuture.supplyAsync(holder::gaveUp, task -> new Thread(task).start()))
                    .toList();
            for (CompletableFuture<Boolean> one : all) {
                assertThat(one.get()).isTrue();
            }
            try {
                await().atMost(SOON).until(() -> stillHeld().isEmpty());
            } catch (ConditionTimeoutException some) {
                // Those that are also held without the proxy are as they should be.
            }
            List<Holder> held = stillHeld();
            List<String> directly = held.stream()
                    .filter(holder -> holder.leg().isEmpty())
                    .map(Holder::how)
                    .toList();
            assertThat(held.stream().filter(holder -> !directly.contains(holder.how())))
                    .isEmpty();
            assertThat(directly).noneMatch(how -> !how.contains("TLS"));
        } finally {
            for (Holder holder : holders) {
                holder.connection().abort(Runnable::run);
            }
        }
    }

    private void hold(String leg, InetSocketAddress address, Map.Entry<String, Driver> driver) throws SQLException {
        for (String how : List.of("plain", "compressed", "TLS", "TLS, compressed")) {
            boolean tls = how.contains("TLS");
            String secure = switch (driver.getKey()) {
                case "mariadb 2.7" -> "useSsl=" + tls + "&trustServerCertificate=true";
                case "mariadb" -> "sslMode=" + (tls ? "trust" : "disable");
                default -> "characterEncoding=utf8&sslMode=" + (tls ? "REQUIRED" : "DISABLED");
            };
            String url = "jdbc:%s://%s:%d/?allowPublicKeyRetrieval=true&socketTimeout=1000&useCompression=%s&%s"
                    .formatted(
                            driver.getKey().startsWith("mariadb") ? "mariadb" : "mysql",
                            address.getAddress().getHostAddress(),
                            address.getPort(),
                            how.contains("compressed"),
                            secure);
            Properties account = new Properties();
            account.setProperty("user", server.user());
            account.setProperty("password", server.password());
            Connection connection = Objects.requireNonNull(driver.getValue().connect(url, account));
            int row = holders.size() + 1;
            holders.add(new Holder(leg, driver.getKey() + ", " + how, row, connection));
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                assertThat(statement.executeUpdate("UPDATE " + TABLE + " SET n = n + 1 WHERE id = " + row))
                        .isEqualTo(1);
            }
        }
    }

    private List<Holder> stillHeld() throws SQLException {
        List<Holder> held = new ArrayList<>();
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            for (Holder holder : holders) {
                try {
                    statement.execute("SELECT n FROM " + TABLE + " WHERE id = " + holder.row() + " FOR UPDATE NOWAIT");
                } catch (SQLException locked) {
                    held.add(holder);
                }
            }
        }
        return held;
    }

    private String config() throws Exception {
        X509Bundle certificate = new CertificateBuilder()
                .ecp256()
                .subject("CN=proxy")
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
        Path pem = Files.writeString(folder.resolve("proxy.pem"), certificate.getCertificatePEM());
        Path key = Files.writeString(folder.resolve("proxy.key"), certificate.getPrivateKeyPEM());
        String tls = ", tls: { mode: optional, certificate: '%s', key: '%s' }".formatted(pem, key);
        return ProxyUnderTest.config("127.0.0.1:0", server.address(), tls, "");
    }

    private static Map<String, Driver> drivers() throws Exception {
        Map<String, Driver> drivers = new TreeMap<>();
        drivers.put("mariadb", new org.mariadb.jdbc.Driver());
        drivers.put("mysql", new com.mysql.cj.jdbc.Driver());
        URL old = MARIADB_2_7.toUri().toURL();
        // Never closed: its driver loads classes until the JVM ends.
        ClassLoader apart = new URLClassLoader(new URL[] {old}, ClassLoader.getPlatformClassLoader());
        drivers.put("mariadb 2.7", (Driver) apart.loadClass("org.mariadb.jdbc.Driver")
                .getDeclaredConstructor()
                .newInstance());
        return drivers;
    }
}
