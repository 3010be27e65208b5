package io.understudy.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.understudy.base.Secret;
import io.understudy.config.Address;
import io.understudy.config.ServerTlsConfig;
import io.understudy.connection.Credentials;
import io.understudy.connection.NameLookup;
import io.understudy.protocol.Capabilities;
import io.understudy.testkit.session.FakeServer;
import io.understudy.testkit.session.FakeServerConnection;
import java.lang.reflect.Proxy;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class DriverConnectionsTest {
    private static <T> T fake(Class<T> type, Map<String, Object> results) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    Object result = results.get(method.getName());
                    if (result instanceof Callable<?> call) {
                        return call.call();
                    }
                    return result instanceof AtomicInteger calls ? (Object) (calls.getAndIncrement() % 2 == 0) : result;
                }));
    }

    /** Returns a connection to a server of that version. */
    private static Connection connection(String version) {
        return connection(version, Map.of());
    }

    private static Connection connection(String version, Map<String, Object> results) {
        ResultSet rows = fake(ResultSet.class, Map.of("next", new AtomicInteger(), "getString", version));
        Statement statement = fake(Statement.class, Map.of("executeQuery", rows));
        Map<String, Object> all = new HashMap<>(results);
        all.put("createStatement", statement);
        return fake(Connection.class, all);
    }

    /** Closed before its first query, or while it turns to another address, it leaves no connection open. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aProbeThatIsClosedClosesTheConnectionThatItStillOpens(boolean inTheMiddle) throws Exception {
        AtomicInteger aborted = new AtomicInteger();
        AtomicReference<PrimaryProbe> itself = new AtomicReference<>();
        PrimaryProbe probe = new JdbcPrimaryProbe(
                () -> Address.parse("unix:/s"),
                at -> {
                    if (inTheMiddle) {
                        Objects.requireNonNull(itself.get()).close();
                    }
                    return fake(DataSource.class, Map.of("getConnection", connection("11.8", Map.of("abort", (Callable<
                                    Object>)
                            () -> {
                                aborted.incrementAndGet();
                                return null;
                            }))));
                },
                NameLookup.RUNTIME,
                Runnable::run);
        itself.set(probe);
        if (!inTheMiddle) {
            probe.close();
        }
        probe.run();
        assertThat(aborted).hasPositiveValue();
    }

    /** It was frozen, so that the proxy follows another one, and wakes up. */
    @Test
    void aFormerPrimaryThatLetsInLateIsNotTakenForThePresentOne() throws Exception {
        CountDownLatch awake = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(2); // the query of the former primary, and one of the present
        Callable<Connection> frozen = () -> {
            await(awake);
            return connection("/former");
        };
        AtomicReference<Address> address = new AtomicReference<>(Address.parse("unix:/former"));
        ExecutorService threads = Executors.newCachedThreadPool();
        try (PrimaryProbe probe = new JdbcPrimaryProbe(
                address::get,
                at -> fake(
                        DataSource.class,
                        Map.of("getConnection", at.path().equals("/former") ? frozen : connection(at.path()))),
                NameLookup.RUNTIME,
                task -> threads.execute(() -> {
                    task.run();
                    ended.countDown();
                }))) {
            assertThatThrownBy(probe::run).isInstanceOf(SocketTimeoutException.class);
            address.set(Address.parse("unix:/present"));
            assertThat(probe.run().version()).isEqualTo("/present");
            awake.countDown();
            await(ended);
            assertThat(probe.run().version()).isEqualTo("/present");
        } finally {
            threads.shutdownNow();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A probe would wait for ever, and the server would count as reachable. */
    @Test
    void aFrozenServerBehindASocketFileIsGivenUp(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("s");
        try (ServerSocketChannel frozen = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            frozen.bind(UnixDomainSocketAddress.of(file)); // its kernel accepts
            DriverSource source = new DriverSource(
                    Address.parse("unix:" + file),
                    ServerTlsConfig.preferred(),
                    "app",
                    Secret.parse("s3same"),
                    Duration.ofMillis(300));
            assertThatThrownBy(source::getConnection)
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("no response within 300 ms");
        }
    }

    /** It is alive, and its account is not at fault. */
    @Test
    void aLoginThatIsAnsweredLateIsNoTroubleWithTheAccount() throws Exception {
        try (FakeServer server = new FakeServer(connection -> {
            pause();
            connection.greet("mysql_native_password");
            connection.receive();
            pause();
            connection.send("\376mysql_native_password\00001234567890123456789\000".getBytes(ISO_8859_1));
            connection.receive();
        })) {
            DriverSource source = new DriverSource(
                    Address.parse("127.0.0.1:" + server.address().getPort()),
                    ServerTlsConfig.preferred(),
                    "app",
                    Secret.parse("s3same"),
                    Duration.ofSeconds(4));
            assertThatThrownBy(source::getConnection)
                    .hasMessageEndingWith("no response in time")
                    .satisfies(late -> {
                        assertThat(ProbeFailure.of((Exception) late)).isEqualTo(ProbeFailure.LATE);
                        assertThat(ProbeFailure.reason(late)).isEqualTo("no response in time");
                    });
        }
    }

    /** Each of two is shorter than the limit of the connection, and both together are longer. */
    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(2500);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** In place of an error: the driver does not send it without TLS. */
    private static final int ASKED_FOR_THE_PASSWORD = 0;

    private static final int ASKED_FOR_IT_AS_CLEAR_TEXT = 1;

    /** It was restarted with a certificate, and an account of it, or the server, may demand TLS. */
    @ParameterizedTest
    @ValueSource(ints = {1045, 3159, ASKED_FOR_THE_PASSWORD, ASKED_FOR_IT_AS_CLEAR_TEXT})
    void aServerThatHadNoTlsIsAskedForItAgainAfterAFailure(int code) throws Exception {
        AtomicInteger connections = new AtomicInteger();
        AtomicReference<byte[]> last = new AtomicReference<>(new byte[0]);
        AtomicLong nanos = new AtomicLong();
        try (FakeServer server = new FakeServer(connection -> {
            boolean certificate = connections.incrementAndGet() > 3;
            connection.greet(
                    "mysql_native_password", FakeServerConnection.CAPABILITIES | (certificate ? Capabilities.SSL : 0));
            last.set(connection.receive());
            if (code == ASKED_FOR_THE_PASSWORD) {
                connection.send("\376caching_sha2_password\00001234567890123456789\000".getBytes(ISO_8859_1));
                connection.receive();
                connection.send(new byte[] {1, 4});
                connection.closedByPeer();
            } else if (code == ASKED_FOR_IT_AS_CLEAR_TEXT) {
                connection.send("\376mysql_clear_password\000".getBytes(ISO_8859_1));
                connection.closedByPeer();
            } else {
                connection.error(code, "no");
            }
        })) {
            DriverSource source = preferringTls(server, nanos);
            assertRefused(source);
            nanos.set(Duration.ofMinutes(11).toNanos());
            assertRefused(source);
            assertRefused(source);
            assertThat(connections).hasValue(4);
            assertThat(last.get()).as("an SSLRequest").hasSize(32);
        }
    }

    /** The server counts each handshake that breaks off there, and refuses the host after some of them. */
    @ParameterizedTest
    @CsvSource({"1045, 1", "1040, 3600"})
    void tenRefusedLoginsMakeOneAttemptWithTls(int code, long secondsBetween) throws Exception {
        AtomicInteger connections = new AtomicInteger();
        AtomicLong nanos = new AtomicLong();
        try (FakeServer server = new FakeServer(connection -> {
            connections.incrementAndGet();
            connection.greet("mysql_native_password");
            connection.receive();
            connection.error(code, "no");
        })) {
            DriverSource source = preferringTls(server, nanos);
            for (int i = 0; i < 10; i++) {
                assertRefused(source);
                nanos.addAndGet(Duration.ofSeconds(secondsBetween).toNanos());
            }
            assertThat(connections).as("one with TLS, and the logins").hasValue(11);
        }
    }

    private static void assertRefused(DriverSource source) {
        assertThatThrownBy(source::getConnection).isInstanceOf(SQLException.class);
    }

    private static DriverSource preferringTls(FakeServer server, AtomicLong nanos) {
        Address address = Address.parse("127.0.0.1:" + server.address().getPort());
        return new DriverSource(
                () -> address,
                NameLookup.RUNTIME,
                ServerTlsConfig.preferred(),
                () -> new Credentials("app", Secret.parse("s3same")),
                Duration.ofSeconds(5),
                DriverSource.RESPONSE_TIMEOUT,
                nanos::get);
    }
}
