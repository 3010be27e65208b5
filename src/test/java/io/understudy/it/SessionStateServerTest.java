package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.EventLoopGroup;
import io.understudy.base.Secret;
import io.understudy.command.PipelineBudget;
import io.understudy.command.SessionModel;
import io.understudy.command.settings.ServerSqlMode;
import io.understudy.config.Address;
import io.understudy.config.ServerTlsConfig;
import io.understudy.config.ServerTlsMode;
import io.understudy.config.Transport;
import io.understudy.connection.NettyServerConnector;
import io.understudy.connection.NetworkTransport;
import io.understudy.move.CarriedState;
import io.understudy.move.NotMoved;
import io.understudy.move.StateReader;
import io.understudy.move.StateRestorer;
import io.understudy.plugin.ServerConnection;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugin.SessionContext;
import io.understudy.protocol.Capabilities;
import io.understudy.protocol.CommandCode;
import io.understudy.sql.SqlAnalyzer;
import io.understudy.testkit.Bytes;
import io.understudy.testkit.Memory;
import io.understudy.testkit.session.Scripted;
import io.understudy.testkit.session.Watcher;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a session can have, set by an account without any privilege but on its schema, read, and restored on a fresh
 * connection: to the same server, or to that of {@code -Dunderstudy.it.standby=host:port}, which has the same accounts.
 */
@Timeout(120)
class SessionStateServerTest {
    private static final ServerUnderTest SERVER = ServerUnderTest.shared();
    private static final String STANDBY = System.getProperty("understudy.it.standby", "");
    private static final NetworkTransport TRANSPORT = NetworkTransport.resolve(Transport.NIO);
    private static final EventLoopGroup GROUP = TRANSPORT.relayGroup(1, "test-state");
    private static final boolean MARIADB = SERVER.isMariaDb();

    /** A statement, and a query whose result it changes. */
    private static final String SETTINGS = """
        SET time_zone = '+02:00' | SELECT @@time_zone
        SET sql_mode = 'ANSI_QUOTES,PIPES_AS_CONCAT,NO_BACKSLASH_ESCAPES' | SELECT @@sql_mode, 'a\\' || 'b'
        SET sql_mode = '' | SELECT @@sql_mode
        SET autocommit = 0 | SELECT @@autocommit
        SET NAMES latin1 COLLATE latin1_german1_ci | SELECT @@collation_connection, @@character_set_client
        SET character_set_results = NULL | SELECT @@character_set_results IS NULL
        SET character_set_results = utf16 | SELECT @@character_set_results
        SET collation_connection = ucs2_unicode_ci | SELECT @@collation_connection, HEX('a')
        SET NAMES gbk | SELECT @@character_set_client
        SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, READ ONLY | SHOW VARIABLES LIKE '%isolation'
        SET sql_select_limit = 1 | SELECT @@sql_select_limit
        SET sql_select_limit = 0 | SELECT @@sql_select_limit LIMIT 1
        SET max_join_size = 1 | SELECT @@max_join_size, @@sql_big_selects
        SET sql_big_selects = 0 | SELECT @@sql_big_selects
        SET foreign_key_checks = 0, unique_checks = 0 | SELECT @@foreign_key_checks, @@unique_checks
        SET long_query_time = 0.25, lock_wait_timeout = 7 | SELECT @@long_query_time, @@lock_wait_timeout
        SET optimizer_switch = 'index_merge=off' | SELECT @@optimizer_switch
        SET group_concat_max_len = 5000000 | SELECT @@group_concat_max_len
        SET timestamp = 12345.678901 | SELECT @@timestamp, NOW(6)
        SET insert_id = 17 | SELECT @@insert_id
        SET last_insert_id = 18446744073709551615 | SELECT LAST_INSERT_ID()
        DO LAST_INSERT_ID(5) | SELECT LAST_INSERT_ID()
        SET lc_time_names = 'de_DE' | SELECT DATE_FORMAT('2026-11-27', '%W')
        SET default_storage_engine = 'MyISAM' | SELECT @@default_storage_engine
        SET default_storage_engine=MyISAM | SELECT @@default_storage_engine
        SET NAMES DEFAULT | SELECT @@character_set_client, @@collation_connection
        SET max_heap_table_size = 20000, tmp_table_size = 1024 | SELECT @@max_heap_table_size, @@tmp_table_size
        SET @@unique_checks = FALSE | SELECT @@unique_checks
        SET default_week_format = 3, div_precision_increment = 7 | SELECT 1/3
        SET sql_safe_updates = 1, sql_auto_is_null = 1 | SELECT @@sql_safe_updates, @@sql_auto_is_null
        SET session_track_schema = 0 | SELECT @@session_track_schema
        SET session_track_system_variables = 'time_zone' | SELECT @@session_track_system_variables
        SET session_track_transaction_info = 'CHARACTERISTICS' | SELECT @@session_track_transaction_info
        SET wait_timeout = 99, net_read_timeout = 98 | SELECT @@wait_timeout, @@net_read_timeout
        SET profiling = 1 | SELECT @@profiling
        USE understudy_it | SELECT DATABASE()
        SET ROLE move_role | SELECT CURRENT_ROLE()
        SET @a = -9223372036854775808, @b = 18446744073709551615 | SELECT @a, @b
        SET @c = CAST(5 AS UNSIGNED) | SELECT @c - 6
        SET @d = 1.50, @e = CAST(7 AS DECIMAL(20, 0)), @f = -0.0 | SELECT @d, @e / 3, @f
        SET @g = 0.1e0, @h = 1e300, @i = 5e0, @j = -1e-20 | SELECT @g, @h, @i / 3, @j
        SET @k = _latin1 X'E4' COLLATE latin1_german2_ci | SELECT HEX(@k), COLLATION(@k)
        SET @l = X'FF0027', @m = NULL, @n = '' | SELECT HEX(@l), CHARSET(@l), @m IS NULL, @n
        SET @o = _ucs2 X'006100E4' | SELECT HEX(@o), CHARSET(@o)
        SET @p = CURRENT_DATE, @r = ST_GeomFromText('POINT(1 2)') | SELECT @p, HEX(@r)
        SET @`it's ``quoted`` "so"` = 'it''s \\\\ "so"' | SELECT @`it's ``quoted`` "so"`
        SET @s = REPEAT('x', 60000) | SELECT LENGTH(@s), MD5(@s)
        SET @t = 'ü€😀' | SELECT HEX(@t), COLLATION(@t)
        """;

    @BeforeAll
    static void accounts() {
        for (ServerUnderTest server : servers()) {
            server.execute(
                    "DROP USER IF EXISTS move_app",
                    "CREATE USER move_app IDENTIFIED BY 'Secret-31'",
                    "GRANT ALL ON " + ServerUnderTest.SCHEMA + ".* TO move_app",
                    "DROP ROLE IF EXISTS move_role",
                    "CREATE ROLE move_role",
                    "GRANT move_role TO move_app");
            if (!MARIADB) {
                server.execute("GRANT SELECT ON performance_schema.user_variables_by_thread TO move_app");
            }
        }
    }

    private static List<ServerUnderTest> servers() {
        return STANDBY.isEmpty() ? List.of(SERVER) : List.of(SERVER, target());
    }

    private static ServerUnderTest target() {
        return STANDBY.isEmpty()
                ? SERVER
                : ServerUnderTest.at(
                        new InetSocketAddress(
                                STANDBY.substring(0, STANDBY.lastIndexOf(':')),
                                Integer.parseInt(STANDBY.substring(STANDBY.lastIndexOf(':') + 1))),
                        SERVER.user(),
                        SERVER.password());
    }

    @AfterAll
    static void stop() {
        GROUP.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    private static TextSession session(InetSocketAddress to) throws Exception {
        ServerConnection connection = new NettyServerConnector(
                        TRANSPORT,
                        GROUP,
                        Address.parse(to.getHostString() + ":" + to.getPort()),
                        "move_app",
                        Secret.parse("Secret-31"),
                        new ServerTlsConfig(ServerTlsMode.PREFERRED, null, null, null),
                        Duration.ofSeconds(5),
                        Duration.ofSeconds(10))
                .connect()
                .toCompletableFuture()
                .get(20, TimeUnit.SECONDS);
        return new TextSession(connection);
    }

    private static SessionModel model() {
        return new SessionModel(
                new SessionModel.Login(
                        1,
                        "move_app",
                        null,
                        45,
                        SERVER.address(),
                        MARIADB ? ServerFlavor.MARIADB : ServerFlavor.MYSQL,
                        "",
                        1,
                        0,
                        2,
                        new SessionModel.Client(false, null, Map.of(), () -> {})),
                new SqlAnalyzer(),
                1024,
                new ServerSqlMode(),
                new PipelineBudget(0),
                0);
    }

    private static CarriedState read(TextSession session) throws Exception {
        return CompletableFuture.supplyAsync(
                        () -> StateReader.read(session.connection(), model(), Set.of(), () -> {}),
                        session.connection().loop())
                .thenCompose(reading -> reading)
                .get(20, TimeUnit.SECONDS);
    }

    /** Returns what restoring says: "restored", or why not. */
    private static String restore(TextSession fresh, CarriedState state) throws Exception {
        CompletableFuture<String> restored = new CompletableFuture<>();
        fresh.connection()
                .loop()
                .execute(() -> StateRestorer.restore(fresh.connection(), state)
                        .thenAccept(why -> restored.complete(why == null ? "restored" : why)));
        return restored.get(20, TimeUnit.SECONDS);
    }

    /** Restores a session elsewhere and checks that the same state is read there. */
    private static TextSession moved(TextSession session) throws Exception {
        CarriedState state = read(session);
        TextSession fresh = session(target().address());
        assertThat(restore(fresh, state)).as("%s", state.statements()).isEqualTo("restored");
        assertThat(lasting(read(fresh))).containsExactlyInAnyOrderElementsOf(lasting(state));
        return fresh;
    }

    /** Returns what stays the same without anything being run: RAND() goes on. */
    private static List<String> lasting(CarriedState state) {
        return state.statements().stream()
                .filter(sql -> !sql.contains("rand_seed"))
                .toList();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = SETTINGS)
    void movesWhatASessionHasSet(String set, String check) throws Exception {
        TextSession old = session(SERVER.address());
        old.runAll(set);
        TextSession fresh = moved(old);
        List<String> wanted = old.run(check);
        assertThat(fresh.run(check)).isEqualTo(wanted);
        old.connection().close();
        fresh.connection().close();
    }

    /** CONVERT(), of which MySQL cuts the digits, is no way to read them. */
    @ParameterizedTest
    @ValueSource(strings = {"utf8mb4", "utf16", "NULL"})
    void movesEveryDigitOfADouble(String results) throws Exception {
        TextSession old = session(SERVER.address());
        Random random = new Random(31);
        List<String> numbers = new ArrayList<>(List.of("1.7334230877219065e-144", "-2.2250738585072014E-308", "1e0"));
        while (numbers.size() < 400) {
            double number = Double.longBitsToDouble(random.nextLong());
            if (Math.abs(number) < Double.POSITIVE_INFINITY && Math.abs(number) > Double.MIN_NORMAL) {
                numbers.add(Double.toString(number).replace(".0E", "e").replace('E', 'e'));
            }
        }
        StringBuilder set = new StringBuilder("SET character_set_results = " + results);
        StringBuilder check = new StringBuilder("SELECT CAST(0");
        for (int i = 0; i < numbers.size(); i++) {
            set.append(", @n").append(i).append(" = ").append(numbers.get(i));
            check.append(" + (@n")
                    .append(i)
                    .append(" = ")
                    .append(numbers.get(i))
                    .append(')');
        }
        check.append(" AS BINARY)");
        old.runAll(set.toString());
        assertThat(old.run(check.toString())).containsExactly("400");
        TextSession fresh = moved(old);
        assertThat(fresh.run(check.toString())).containsExactly("400");
        old.connection().close();
        fresh.connection().close();
    }

    /** The server is gone: what the texts have set is known from them alone, or known not to be. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = SETTINGS)
    void movesWhatTheTextsOfASessionHaveSet(String set, String check) throws Exception {
        TextSession old = session(SERVER.address());
        old.runAll(set);
        Scripted scripted = new Scripted(Memory.direct(), SessionStateServerTest::movable)
                .loggedIn(MARIADB ? Scripted.CLASSIC & ~Capabilities.LONG_PASSWORD : Scripted.CLASSIC);
        scripted.client(Bytes.command(CommandCode.QUERY, set));
        scripted.server(Bytes.packet(1, Bytes.ok(0, old.status())));
        if (Pattern.compile("[^@]@[^@]|ROLE|insert_id|INSERT_ID").matcher(set).find()) {
            assertThatThrownBy(() -> StateReader.followed(scripted.model())).isInstanceOf(NotMoved.class);
        } else {
            TextSession fresh = session(target().address());
            String schema = scripted.model().schema();
            if (schema != null) {
                fresh.runAll("USE " + schema); // the login has it
            }
            CarriedState state = StateReader.followed(scripted.model());
            assertThat(restore(fresh, state)).as("%s", state.statements()).isEqualTo("restored");
            assertThat(fresh.run(check)).as("%s", state.statements()).isEqualTo(old.run(check));
            fresh.connection().close();
        }
        scripted.finish();
        old.connection().close();
    }

    private static Watcher movable(SessionContext context) {
        ((SessionModel) context).setMovable();
        return new Watcher(0);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
                    CREATE TEMPORARY TABLE understudy_it.temporary (a INT) | temporary_table
                    HANDLER understudy_it.handled OPEN | handler
                    HANDLER understudy_it.handled OPEN; HANDLER handled CLOSE | handler
                    CALL understudy_it.flushes() | lock
                    SET sql_auto_is_null = 1; DO LAST_INSERT_ID(5) | unknown_state
                    XA START 'understudy'; XA END 'understudy'; XA PREPARE 'understudy' | xa
                    PREPARE p FROM 'SELECT 1' | text_prepared
                    CALL understudy_it.hidden() | temporary_table
                    DO GET_LOCK('understudy', 0) | user_lock
                    """)
    void tellsWhatCannotMove(String statements, String reason) throws Exception {
        SERVER.execute(
                "DROP PROCEDURE IF EXISTS understudy_it.hidden",
                "CREATE PROCEDURE understudy_it.hidden() CREATE TEMPORARY TABLE understudy_it.temporary (a INT)",
                "DROP PROCEDURE IF EXISTS understudy_it.flushes",
                "CREATE PROCEDURE understudy_it.flushes() FLUSH TABLES",
                "CREATE TABLE IF NOT EXISTS understudy_it.handled (a INT)");
        TextSession old = session(SERVER.address());
        try {
            old.runAll(statements.split("; "));
            assertThatThrownBy(() -> read(old)).cause().extracting("reason").isEqualTo(reason);
            assertThat(old.run("SELECT 1")).containsExactly("1");
        } finally {
            old.run("XA ROLLBACK 'understudy'");
            old.connection().close();
        }
    }

    @Test
    void aValueThatTheNewServerDoesNotTakeIsNamed() throws Exception {
        TextSession fresh = session(SERVER.address());
        assertThat(restore(fresh, new CarriedState(List.of("SET SESSION time_zone = 'Mars/Olympus'"), null, false)))
                .startsWith("SET SESSION time_zone: error 1298")
                .contains("Mars/Olympus");
        assertThat(restore(fresh, new CarriedState(List.of(), "move_app@elsewhere", false)))
                .contains("move_app@%")
                .contains("move_app@elsewhere");
        assertThat(restore(fresh, new CarriedState(List.of(), "move_app@%", false)))
                .isEqualTo("restored");
        fresh.connection().close();
        assertThat(restore(fresh, new CarriedState(List.of(), null, false))).contains("closed");
    }
}
