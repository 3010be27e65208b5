package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.understudy.base.Secret;
import io.understudy.config.Address;
import io.understudy.config.FailoverAccount;
import io.understudy.config.Transport;
import io.understudy.connection.NetworkTransport;
import io.understudy.connection.ServerLogin;
import io.understudy.connection.SessionConnector;
import io.understudy.connection.auth.LoginSecret;
import io.understudy.connection.auth.LoginSecret.NativeKey;
import io.understudy.connection.auth.LoginSecret.Password;
import io.understudy.handshake.LoginPolicy;
import io.understudy.handshake.LoginPolicy.ConnectionTls;
import io.understudy.handshake.LoginPolicy.Proofs;
import io.understudy.handshake.LoginPolicy.ServerTls;
import io.understudy.handshake.LoginProof;
import io.understudy.handshake.LoginProof.ClearText;
import io.understudy.handshake.LoginProof.NativeResponse;
import io.understudy.handshake.LoginProof.None;
import io.understudy.handshake.tls.ReloadableTls;
import io.understudy.handshake.tls.TlsContexts;
import io.understudy.handshake.tls.TlsContexts.Verification;
import io.understudy.move.NotMoved;
import io.understudy.move.SessionSecrets;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.ServerConnection;
import io.understudy.plugin.ServerResponse;
import io.understudy.protocol.Capabilities;
import io.understudy.protocol.CommandCode;
import io.understudy.wire.Packets;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mariadb.jdbc.MariaDbDataSource;

/** Logs in to a real server as a client did, with what the client's login has shown. */
@Timeout(120)
@SuppressWarnings("NullAway") // a failure has its cause
class LoginAgainServerTest {
    private static final NetworkTransport TRANSPORT = NetworkTransport.resolve(Transport.AUTO);
    private static final EventLoopGroup LOOPS = TRANSPORT.relayGroup(1, "it-again");
    private static final ServerUnderTest SERVER = ServerUnderTest.shared();
    private static final byte[] SCRAMBLE = "12345678abcdefghijkl".getBytes(StandardCharsets.US_ASCII);
    private static final long CAPABILITIES = Capabilities.PROTOCOL_41
            | Capabilities.SECURE_CONNECTION
            | Capabilities.TRANSACTIONS
            | Capabilities.FOUND_ROWS
            | Capabilities.MULTI_RESULTS
            | Capabilities.PLUGIN_AUTH
            | Capabilities.PLUGIN_AUTH_LENENC_DATA
            | Capabilities.CONNECT_ATTRS
            | Capabilities.SESSION_TRACK
            | Capabilities.DEPRECATE_EOF;

    @AfterEach
    void dropAccounts() {
        SERVER.execute("DROP USER IF EXISTS it_again@'%', it_again@'10.9.8.%', it_monitor@'%'");
    }

    @AfterAll
    static void stop() {
        LOOPS.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    private static byte[] sha1(byte[]... parts) throws Exception {
        MessageDigest digest = MessageDigest.getInstance("SHA-1");
        Arrays.stream(parts).forEach(digest::update);
        return digest.digest();
    }

    private static NativeResponse response(String password) throws Exception {
        byte[] once = sha1(password.getBytes(StandardCharsets.UTF_8));
        byte[] mask = sha1(SCRAMBLE, sha1(once));
        for (int i = 0; i < once.length; i++) {
            once[i] ^= mask[i];
        }
        return new NativeResponse(SCRAMBLE, once);
    }

    private static LoginProof clear(String password) {
        return new ClearText(password.getBytes(StandardCharsets.UTF_8));
    }

    private static DataSource as(String user, String password) throws Exception {
        MariaDbDataSource source = new MariaDbDataSource("jdbc:mariadb://"
                + SERVER.address().getHostString() + ":" + SERVER.address().getPort()
                + "/?sslMode=disable&allowPublicKeyRetrieval=true");
        source.setUser(user);
        source.setPassword(password);
        return source;
    }

    private static SessionSecrets secrets() throws Exception {
        return new SessionSecrets(as(SERVER.user(), SERVER.password()), Runnable::run);
    }

    private static LoginSecret find(SessionSecrets secrets, LoginProof proof) throws Exception {
        return secrets.find("it_again", proof).toCompletableFuture().get(30, TimeUnit.SECONDS);
    }

    /** Returns why there is none, with the reason in front. */
    private static String missing(SessionSecrets secrets, LoginProof proof) {
        Throwable thrown = catchThrowable(() -> find(secrets, proof));
        assertThat(thrown).hasCauseInstanceOf(NotMoved.class);
        NotMoved why = (NotMoved) thrown.getCause();
        return why.reason() + ": " + why.getMessage();
    }

    private static LoginPolicy policy(boolean tls) throws Exception {
        return new LoginPolicy(
                ConnectionTls.DISABLED,
                null,
                tls ? ServerTls.REQUIRED : ServerTls.DISABLED,
                tls
                        ? ReloadableTls.connecting(
                                TlsContexts.connecting(Verification.NONE, null, null, null), () -> null)
                        : null,
                0,
                false,
                List.of(),
                Proofs.OFF);
    }

    private static ServerConnection login(@Nullable LoginSecret secret, boolean tls, @Nullable String schema)
            throws Exception {
        SessionConnector connector = new SessionConnector(
                TRANSPORT,
                policy(tls),
                null,
                WriteBufferWaterMark.DEFAULT,
                () -> false,
                Duration.ofSeconds(5),
                Duration.ofSeconds(10));
        Address to = Address.parse(
                SERVER.address().getHostString() + ":" + SERVER.address().getPort());
        ServerLogin login = new ServerLogin(
                "it_again",
                Objects.requireNonNull(secret),
                schema,
                CAPABILITIES,
                33,
                1 << 24,
                Map.of("program_name", "billing"),
                false);
        try {
            return connector
                    .connect(LOOPS.next(), to, login, null)
                    .toCompletableFuture()
                    .get(30, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw (Exception) e.getCause();
        }
    }

    private static long rows(ServerConnection connection, String sql) throws Exception {
        CompletableFuture<Long> rows = new CompletableFuture<>();
        connection.execute(
                Packets.command(ByteBufAllocator.DEFAULT, CommandCode.QUERY, sql.getBytes(StandardCharsets.UTF_8)),
                new ServerResponse() {
                    @Override
                    public void onResponse(ResponseView response, int preparedId) {
                        rows.complete(response.errorCode() == 0 ? response.rows() : -response.errorCode());
                    }

                    @Override
                    public void onFailure(String reason) {
                        rows.completeExceptionally(new AssertionError(reason));
                    }
                });
        return rows.get(30, TimeUnit.SECONDS);
    }

    private static void isLoggedIn(@Nullable LoginSecret secret, boolean tls) throws Exception {
        ServerConnection connection = login(secret, tls, null);
        assertThat(rows(connection, "SELECT 1 FROM DUAL WHERE CURRENT_USER() = 'it_again@%'"))
                .isOne();
        connection.close();
    }

    @Test
    void theKeyOfNativePasswordIsFoundAmongTheHostsOfAUser() throws Exception {
        assumeTrue(SERVER.isMariaDb(), "this server has no mysql_native_password");
        SERVER.execute(
                "CREATE USER it_again@'10.9.8.%' IDENTIFIED BY 'elsewhere'",
                "CREATE USER it_again@'%' IDENTIFIED BY 'sésame'");
        LoginSecret found = find(secrets(), response("sésame"));
        assertThat(found).isInstanceOf(NativeKey.class);
        isLoggedIn(found, false);
        assertThat(missing(secrets(), response("other")))
                .startsWith("no_credential: ")
                .contains("no stored hash of 'it_again' fits")
                .contains("failover.accounts");
    }

    @Test
    void theHashesAreReadAgainOnceForAChangedPasswordAndForAnotherPrimary() throws Exception {
        assumeTrue(SERVER.isMariaDb(), "this server has no mysql_native_password");
        SERVER.execute("CREATE USER it_again@'%' IDENTIFIED BY 'before'");
        SessionSecrets secrets = secrets();
        assertThat(find(secrets, response("before"))).isNotNull();
        SERVER.execute("ALTER USER it_again@'%' IDENTIFIED BY 'after'");
        assertThat(find(secrets, response("before"))).as("known before").isNotNull();
        isLoggedIn(find(secrets, response("after")), false);
        assertThat(missing(secrets, response("before"))).contains("changed since");
        SERVER.execute("ALTER USER it_again@'%' IDENTIFIED BY 'third'");
        secrets.forget();
        assertThat(missing(secrets, response("after"))).contains("changed since");
    }

    @Test
    void aMethodAheadOfNativePasswordIsPassed() throws Exception {
        assumeTrue(SERVER.isMariaDb(), "the syntax is MariaDB's");
        assumeTrue(
                "1"
                        .equals(SERVER.query(
                                "SELECT COUNT(*) FROM information_schema.PLUGINS WHERE PLUGIN_NAME = 'ed25519'")),
                "this server has no plugin ed25519 installed (INSTALL SONAME 'auth_ed25519')");
        SERVER.execute("CREATE USER it_again@'%' IDENTIFIED VIA ed25519 USING PASSWORD('apps')"
                + " OR mysql_native_password USING PASSWORD('proxys')");
        isLoggedIn(find(secrets(), response("proxys")), false);
        isLoggedIn(find(secrets(), clear("apps")), false);
        isLoggedIn(find(secrets(), clear("proxys")), false);
        SERVER.execute("ALTER USER it_again@'%' IDENTIFIED VIA ed25519 USING PASSWORD('apps')");
        NativeKey key = new NativeKey(sha1("apps".getBytes(StandardCharsets.UTF_8)));
        assertThatThrownBy(() -> login(key, false, null))
                .hasMessageContaining("refused the login")
                .hasMessageContaining("the password is not known");
    }

    @Test
    void aMonitorThatMayNotReadTheHashesIsToldTheGrant() throws Exception {
        assumeTrue(SERVER.isMariaDb(), "this server has no mysql_native_password");
        SERVER.execute(
                "CREATE USER it_again@'%' IDENTIFIED BY 'secret'", "CREATE USER it_monitor@'%' IDENTIFIED BY 'm'");
        SessionSecrets secrets = new SessionSecrets(as("it_monitor", "m"), Runnable::run);
        assertThat(missing(secrets, response("secret")))
                .startsWith("no_credential: ")
                .contains("cannot be read")
                .contains("denied");
        String grant = SessionSecrets.grant(true, "it_monitor@%");
        assertThat(grant).isEqualTo("GRANT SELECT ON mysql.global_priv TO 'it_monitor'@'%'");
        SERVER.execute(grant);
        assertThat(find(secrets, response("secret"))).isNotNull();
        assertThat(missing(new SessionSecrets(null, Runnable::run), response("secret")))
                .contains("primary.monitor");
    }

    @Test
    void aServerThatCannotBeReachedIsNoMatterOfCredentials() throws Exception {
        MariaDbDataSource nowhere = new MariaDbDataSource("jdbc:mariadb://127.0.0.1:1/");
        assertThat(missing(new SessionSecrets(nowhere, Runnable::run), response("secret")))
                .startsWith("unreachable: ");
    }

    @Test
    void theAccountOfTheConfigurationComesFirst() throws Exception {
        SessionSecrets secrets = new SessionSecrets(null, Runnable::run);
        secrets.accounts(List.of(new FailoverAccount("it_again", Secret.parse("proxys"))));
        assertThat(find(secrets, response("apps")))
                .isInstanceOfSatisfying(
                        Password.class,
                        password -> assertThat(password.bytes()).isEqualTo("proxys".getBytes(StandardCharsets.UTF_8)));
        secrets.accounts(List.of());
        assertThat(missing(secrets, new None("client_ed25519")))
                .isEqualTo("no_credential: the login by client_ed25519 has not shown what another login needs;"
                        + " list 'it_again' in failover.accounts");
    }

    /** The statement that {@code check --connect} prints; the application keeps its password. */
    @Test
    void bothPasswordsOfAUserLogIn() throws Exception {
        assumeTrue(!SERVER.isMariaDb(), "the syntax is MySQL's");
        for (String method : List.of("caching_sha2_password", "sha256_password")) {
            SERVER.execute(
                    "CREATE USER it_again@'%' IDENTIFIED WITH " + method + " BY 'apps'",
                    "ALTER USER it_again@'%' IDENTIFIED BY 'proxys' RETAIN CURRENT PASSWORD");
            isLoggedIn(find(secrets(), clear("apps")), true);
            isLoggedIn(find(secrets(), clear("proxys")), true);
            assertThatThrownBy(() -> login(LoginSecret.of(Secret.parse("wrong")), true, null))
                    .hasMessageContaining("1045");
            dropAccounts();
        }
    }

    @Test
    void schemaAndAttributesAreTheClients() throws Exception {
        SERVER.execute(
                "CREATE USER it_again@'%' IDENTIFIED BY 'secret'",
                "GRANT SELECT ON " + ServerUnderTest.SCHEMA + ".* TO it_again@'%'");
        ServerConnection connection =
                login(find(secrets(), clear("secret")), !SERVER.isMariaDb(), ServerUnderTest.SCHEMA);
        assertThat(rows(
                        connection,
                        "SELECT 1 FROM DUAL WHERE DATABASE() = '" + ServerUnderTest.SCHEMA
                                + "' AND @@character_set_client LIKE 'utf8%'"))
                .isOne();
        if (!SERVER.isMariaDb()) { // MariaDB has its performance schema off
            assertThat(rows(
                            connection,
                            "SELECT 1 FROM performance_schema.session_account_connect_attrs WHERE PROCESSLIST_ID ="
                                    + " CONNECTION_ID() AND ATTR_NAME = 'program_name' AND ATTR_VALUE = 'billing'"))
                    .isOne();
        }
        connection.close();
    }
}
