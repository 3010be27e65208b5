package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.understudy.config.Address;
import io.understudy.plugin.CommandView;
import io.understudy.plugin.Interest;
import io.understudy.plugin.Outcome;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.ProxyPlugin;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A client is told of its lost statement over each kind of leg, and by the driver's exception. */
@SuppressWarnings("NullAway") // a failure has its cause
class OutcomeLegsServerTest extends FollowingProxy {
    /** Says of each statement that it was not committed, once there is a new primary. */
    private static final class Knowing implements ProxyPlugin<Knowing.Config> {
        /** The configuration, which has no keys. */
        record Config() {}

        final CountDownLatch sent = new CountDownLatch(1);
        final CompletableFuture<Outcome> found = new CompletableFuture<>();

        @Override
        public String id() {
            return "knowing";
        }

        @Override
        public Class<Config> configType() {
            return Config.class;
        }

        @Override
        public void start(PluginContext context, Config config) {}

        @Override
        public void reload(Config config) {}

        @Override
        public void stop() {}

        @Override
        public SessionObserver openSession(SessionContext session) {
            return new SessionObserver() {
                @Override
                public int interests() {
                    return Interest.COMMANDS | Interest.STATEMENTS;
                }

                @Override
                public void onCommand(CommandView command) {
                    if ("DO SLEEP(600)".equals(command.text())) {
                        sent.countDown();
                    }
                }

                @Override
                public @Nullable CompletionStage<Outcome> outcomeOf(CommandView command, Duration patience) {
                    return found;
                }
            };
        }
    }

    @TempDir
    private Path folder;

    private String file() throws Exception {
        X509Bundle certificate = new CertificateBuilder()
                .ecp256()
                .subject("CN=127.0.0.1")
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
        Path pem = Files.writeString(folder.resolve("p.pem"), certificate.getCertificatePEM());
        Path key = Files.writeString(folder.resolve("p.key"), certificate.getPrivateKeyPEM());
        String listen = "listen: { address: \"127.0.0.1:0\"";
        String more = "failover: { sessions: move, hold: 60s }\nplugins: { knowing: {} }";
        return config(address(old), more)
                .replace(listen, listen + ", tls: { mode: optional, certificate: '" + pem + "', key: '" + key + "' }");
    }

    private static void sleep(Connection connection) {
        try (Statement statement = connection.createStatement()) {
            statement.execute("DO SLEEP(600)");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"sslMode=disable", "sslMode=trust", "sslMode=disable&useCompression=true"})
    void theDriverThrowsWhatIsToBeRepeated(String leg) throws Exception {
        Knowing plugin = new Knowing();
        try (ProxyUnderTest proxy = ProxyUnderTest.start(file(), plugin);
                Connection connection = DriverManager.getConnection(
                        "jdbc:mariadb://127.0.0.1:" + proxy.port() + "/shop?socketTimeout=120000&" + leg,
                        "app",
                        PASSWORD)) {
            connection.setAutoCommit(false);
            write(connection, "lost");
            CompletableFuture<Void> statement = CompletableFuture.runAsync(() -> sleep(connection));
            assertThat(plugin.sent.await(30, TimeUnit.SECONDS)).isTrue();
            old.kill();
            promote();
            proxy.server().choosePrimary(Address.parse(text(promoted)), false);
            assertThat(statement).isNotDone();
            plugin.found.complete(new Outcome.NotCommitted());

            SQLException told = (SQLException)
                    catchThrowableOfType(ExecutionException.class, () -> statement.get(60, TimeUnit.SECONDS))
                            .getCause()
                            .getCause();
            assertThat(told.getErrorCode()).isEqualTo(1213);
            assertThat(told.getSQLState()).isEqualTo("40001");
            assertThat(told.getMessage()).contains("was not committed");
            if (!leg.contains("Compression")) { // such a session is not moved
                write(connection, "again");
                connection.commit();
                assertThat(port(connection)).isEqualTo(promoted.port());
            }
        }
        assertThat(promoted.query("SELECT COUNT(*) FROM shop.t WHERE v = 'lost'"))
                .isEqualTo("0");
    }
}
