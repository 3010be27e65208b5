package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.PairOptions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Sessions that take over a global {@code sql_mode} which changes how their texts are read, and which the standby does
 * not have.
 */
@Tag("long")
@Timeout(120)
class MirrorSqlModeTest {
    private static final String MIRROR = "understudy_mirror";
    /** The proxy probes the primary every second. */
    private static final Duration LOOKS = Duration.ofSeconds(5);

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static EmbeddedPair pair;
    private static GeneralLog log;

    private String before;

    @BeforeAll
    static void start() {
        pair = EmbeddedPair.start(PairOptions.defaults().withSemiSync(false));
        MirroredPair.prepare(pair);
        log = new GeneralLog(pair.standby());
    }

    @AfterAll
    static void stop() {
        pair.close();
    }

    @BeforeEach
    void remember() throws SQLException {
        try (Connection connection = pair.primary().connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT @@global.sql_mode")) {
            row.next();
            before = row.getString(1);
        }
    }

    @AfterEach
    void restore() {
        globalMode(before);
    }

    private static void globalMode(String mode) {
        pair.primary().execute("SET GLOBAL sql_mode = '" + mode + "'");
    }

    private static MirrorProxy proxy() throws Exception {
        MirrorProxy proxy = MirrorProxy.start(
                pair.primary().port(), pair.standby().port(), "rules: [ { name: all, sample: 100% } ]");
        proxy.awaitMirroring();
        return proxy;
    }

    private static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static int mirrored(String marker) throws SQLException {
        return log.of(MIRROR, marker).size();
    }

    /** A read for sure only where a double quote begins a name. */
    private static String ansi(String marker) {
        return "SELECT \"id\" FROM \"orders\" /* " + marker + " */";
    }

    /** A read only where it begins a string: otherwise the string is a name, and INTO is said behind it. */
    private static String plain(String marker) {
        return "SELECT /* " + marker + " */ \"a\\\" INTO @a -- \", note FROM orders";
    }

    /** Until the first probe after the login, the mode is unknown. */
    private static void awaitMirrored(Connection connection, String sql, String marker) {
        await().atMost(LOOKS).until(() -> {
            run(connection, sql);
            return mirrored(marker) > 0;
        });
    }

    /**
     * A session that begins just when the mode changes never knows its mode; one that begins after the next probe does.
     */
    private static void awaitProbeOf(MirrorProxy proxy, String marker) {
        await().atMost(PATIENCE).until(() -> {
            try (Connection young = proxy.mariadb("")) {
                awaitMirrored(young, ansi(marker), marker);
                return true;
            } catch (ConditionTimeoutException e) {
                return false;
            }
        });
    }

    @Test
    void quotedNamesAreMirroredWhenTheServerHasAnsiQuotes() throws Exception {
        globalMode("ANSI_QUOTES," + before);
        try (MirrorProxy proxy = proxy();
                Connection connection = proxy.mariadb("")) {
            awaitMirrored(connection, ansi("ansi-text"), "ansi-text");
            try (PreparedStatement prepared = connection.prepareStatement(
                    "SELECT \"note\" FROM \"orders\" /* ansi-prepared */ WHERE \"id\" = ?")) {
                prepared.setInt(1, 7);
                prepared.executeQuery().close();
            }
            await().until(() -> mirrored("ansi-prepared") == 1);
            assertThat(proxy.executed("error")).isZero();
            assertThat(proxy.dropped("not_reproducible")).isZero();
        }
    }

    /** Prepared by a driver in the first moments of a session, and executed for as long as it lasts. */
    @Test
    void aStatementThatWasPreparedBeforeTheModeWasKnownIsMirroredAfterwards() throws Exception {
        globalMode("ANSI_QUOTES," + before);
        try (MirrorProxy proxy = proxy();
                Connection connection = proxy.mariadb("&useServerPrepStmts=true");
                PreparedStatement prepared = connection.prepareStatement(
                        "SELECT \"note\" FROM \"orders\" /* ansi-early */ WHERE \"id\" = ?")) {
            await().until(() -> {
                prepared.setInt(1, 7);
                prepared.executeQuery().close();
                return log.of(MIRROR, "ansi-early").stream()
                        .anyMatch(line -> line.command().equals("Execute"));
            });
            assertThat(proxy.executed("error")).isZero();
        }
    }

    @Test
    void aSessionKeepsTheModeThatItBeganWith() throws Exception {
        try (MirrorProxy proxy = proxy();
                Connection old = proxy.mariadb("")) {
            awaitMirrored(old, plain("kept-begin"), "kept-begin");
            globalMode("ANSI_QUOTES," + before);
            awaitProbeOf(proxy, "kept-young");
            run(old, plain("kept-old"));
            await().until(() -> mirrored("kept-old") == 1);
            assertThat(proxy.executed("error")).isZero();
        }
    }

    /** A character that ends a string by default does not end it there, and the other way round. */
    @Test
    void backslashesAreReadAsTheServerReadsThem() throws Exception {
        globalMode("NO_BACKSLASH_ESCAPES," + before);
        try (MirrorProxy proxy = proxy();
                Connection connection = proxy.mariadb("")) {
            awaitMirrored(
                    connection, "SELECT 'a\\', note FROM orders /* plain-read */ WHERE note <> 'b'", "plain-read");
            double into = proxy.skipped("into");
            run(connection, "SELECT 'a\\' INTO @a /* hidden-write */ -- '");
            run(connection, "SELECT note FROM orders /* behind-it */");
            await().until(() -> mirrored("behind-it") == 1);
            assertThat(mirrored("hidden-write")).isZero();
            assertThat(proxy.skipped("into")).isEqualTo(into + 1);
            assertThat(proxy.executed("error")).isZero();
        }
    }
}
