package io.understudy.command;

import static io.understudy.testkit.Bytes.command;
import static io.understudy.testkit.Bytes.concat;
import static io.understudy.testkit.Bytes.definition;
import static io.understudy.testkit.Bytes.eof;
import static io.understudy.testkit.Bytes.err;
import static io.understudy.testkit.Bytes.int2;
import static io.understudy.testkit.Bytes.int4;
import static io.understudy.testkit.Bytes.of;
import static io.understudy.testkit.Bytes.ok;
import static io.understudy.testkit.Bytes.packet;
import static io.understudy.testkit.Bytes.slice;
import static io.understudy.testkit.Bytes.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.SessionContext;
import io.understudy.protocol.Capabilities;
import io.understudy.protocol.CommandCode;
import io.understudy.protocol.ServerStatus;
import io.understudy.testkit.LeakCheck;
import io.understudy.testkit.Memory;
import io.understudy.testkit.session.Scripted;
import io.understudy.testkit.session.ScriptedConnection;
import io.understudy.testkit.session.Watcher;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Prepared statements of a session that goes on at another server, which numbers them from 1 again. */
@ExtendWith(LeakCheck.class)
class MovedStatementsTest {
    private static final int AC = ServerStatus.AUTOCOMMIT;
    private static final int LAST = -1;
    private static final byte[] DONE = packet(1, ok(0, AC));
    private static final byte[] LONG = of(0x08, 0x00);
    private static final byte[] STRING = of(0xFD, 0x00);

    private final List<Scripted> all = new ArrayList<>();
    private long capabilities = Scripted.CLASSIC;
    private Scripted scripted = session(0);

    private Scripted session(int interests) {
        Watcher watcher = new Watcher(interests);
        Scripted session = new Scripted(Memory.direct(), context -> movable(context, watcher)).loggedIn(capabilities);
        all.add(session);
        scripted = session;
        return session;
    }

    private static Watcher movable(SessionContext context, Watcher watcher) {
        ((SessionModel) context).setMovable();
        return watcher;
    }

    @AfterEach
    void nothingIsKept() {
        all.forEach(Scripted::finish);
    }

    private static byte[] prepareOk(int id, int columns, int parameters) {
        return concat(of(0), int4(id), int2(columns), int2(parameters), of(0, 0, 0));
    }

    private static byte[] execute(int id, byte[]... rest) {
        return command(CommandCode.STMT_EXECUTE, concat(int4(id), of(0), int4(1), concat(rest)));
    }

    /** One parameter, not null, with its type. */
    private static byte[] bound(byte[] type, byte[] value) {
        return concat(of(0, 1), type, value);
    }

    private static byte[] unbound(byte[] value) {
        return concat(of(0, 0), value);
    }

    private void prepare(String sql, int id, int parameters) {
        scripted.client(command(CommandCode.STMT_PREPARE, sql));
        scripted.server(packet(1, prepareOk(id, 0, parameters)));
        if (parameters > 0) {
            for (int i = 0; i < parameters; i++) {
                scripted.server(packet(2 + i, definition("?")));
            }
            scripted.server(packet(2 + parameters, eof(AC)));
        }
        scripted.server.take();
        scripted.client.take();
    }

    private void done(byte[] command) {
        scripted.client(command);
        scripted.server(DONE);
        scripted.server.take();
        scripted.client.take();
    }

    private byte[] sent(byte[] command) {
        scripted.client(command);
        return scripted.server.take();
    }

    private final List<@Nullable String> outcomes = new ArrayList<>();

    private ScriptedConnection move() {
        ScriptedConnection fresh = new ScriptedConnection(capabilities);
        scripted.model()
                .prepared()
                .moveTo(fresh, scripted.model().hasQueryAttributes())
                .thenAccept(outcomes::add);
        return fresh;
    }

    /** Statements 1 (closed) and 2 with one parameter, which the new server knows as 1. */
    private void moved(int interests, byte[] type) {
        session(interests);
        prepare("SELECT 1", 1, 0);
        prepare("DELETE FROM t WHERE a = ?", 2, 1);
        scripted.client(command(CommandCode.STMT_CLOSE, int4(1)));
        done(execute(2, bound(type, of(1, 'x'))));
        ScriptedConnection fresh = move();
        assertThat(fresh.commands).containsExactly("22 DELETE FROM t WHERE a = ?");
        assertThat(outcomes).isEmpty();
        fresh.answer(prepareOk(1, 0, 1), definition("?"), eof(AC));
        assertThat(outcomes).containsExactly((String) null);
        outcomes.clear();
    }

    private void probed(String mode) {
        long now = System.nanoTime();
        long minute = 60_000_000_000L;
        scripted.environment.sqlMode().seen(mode, now - minute, now - minute);
        scripted.environment.sqlMode().seen(mode, now + minute, now + minute);
    }

    @Test
    void aModeThatHasBecomeKnownAfterThePreparationIsTheSame() {
        session(0);
        prepare("DELETE FROM t", 1, 0);
        probed("ANSI_QUOTES");
        assertThat(scripted.model().settings().sqlMode()).isEqualTo("'ANSI_QUOTES'");
        scripted.environment.sqlMode().seen("", System.nanoTime(), System.nanoTime()); // the new primary's
        assertThat(move().commands).containsExactly("22 DELETE FROM t");
    }

    @Test
    void aStatementOfAnUnknownModeIsNotPreparedUnderTheDefaultOfAnotherServer() {
        session(0);
        prepare("DELETE FROM t", 1, 0);
        done(command(CommandCode.QUERY, "SET sql_mode = ''"));
        assertThat(move().commands).isEmpty();
        assertThat(outcomes).containsExactly("statement_settings");
        outcomes.clear();
        probed("ANSI_QUOTES");
        assertThat(move().commands)
                .containsExactly(
                        "3 SET SESSION sql_mode = 'ANSI_QUOTES'", "22 DELETE FROM t", "3 SET SESSION sql_mode = ''");
    }

    @Test
    void theIdsOfAllCommandsAreReplacedWhereverTheyAreCut() {
        byte[][] commands = {
            command(CommandCode.STMT_SEND_LONG_DATA, concat(int4(2), int2(0), text("long"))),
            execute(2, bound(STRING, of(1, 'y'))),
            command(CommandCode.STMT_RESET, int4(2)),
            command(CommandCode.STMT_FETCH, concat(int4(2), int4(5))),
            command(CommandCode.STMT_BULK_EXECUTE, concat(int4(2), int2(128), STRING, of(0, 1, 'z'))),
            command(CommandCode.STMT_CLOSE, int4(2))
        };
        byte[] out = concat(commands);
        byte[] expected = out.clone();
        int at = 0;
        for (byte[] command : commands) {
            expected[at + 5] = 1;
            at += command.length;
        }
        for (int interests : new int[] {0, Watcher.ALL}) {
            for (int cut = 1; cut < out.length; cut++) {
                moved(interests, STRING);
                scripted.client(slice(out, 0, cut));
                scripted.client(slice(out, cut, out.length));
                assertThat(scripted.server.take()).as("cut at %d", cut).isEqualTo(expected);
            }
        }
    }

    @Test
    void aStatementThatIsNotOpenIsNoOther() {
        moved(0, STRING);
        assertThat(sent(execute(1))).as("closed: 1 is another one now").isEqualTo(execute(0));
        scripted.server(packet(1, err(1243, "unknown")));
        assertThat(sent(execute(77))).isEqualTo(execute(0));
        scripted.server(packet(1, err(1243, "unknown")));
        assertThat(scripted.session.ended()).isFalse();
    }

    @Test
    void laterStatementsGetIdsThatTheClientHasNotSeen() {
        byte[] response = concat(
                packet(1, prepareOk(2, 1, 1)),
                packet(2, definition("?")),
                packet(3, eof(AC)),
                packet(4, definition("a")),
                packet(5, eof(AC)));
        byte[] expected = response.clone();
        expected[5] = 3;
        for (int cut = 1; cut < response.length; cut++) {
            moved(Watcher.ALL, STRING);
            scripted.client(command(CommandCode.STMT_PREPARE, "SELECT a FROM t WHERE a = ?"));
            scripted.client.take();
            scripted.server(slice(response, 0, cut));
            scripted.server(slice(response, cut, response.length));
            assertThat(scripted.client.take()).as("cut at %d", cut).isEqualTo(expected);
            scripted.server.take();
            assertThat(sent(execute(3, bound(LONG, new byte[8])))).isEqualTo(execute(2, bound(LONG, new byte[8])));
        }
    }

    @Test
    void theLastStatementIsTheClientsLast() {
        moved(0, STRING);
        assertThat(sent(execute(LAST, bound(STRING, of(1, 'y'))))).isEqualTo(execute(1, bound(STRING, of(1, 'y'))));
        scripted.server(DONE);
        scripted.client(command(CommandCode.STMT_PREPARE, "DELETE FROM u"));
        scripted.server.take();
        assertThat(sent(execute(LAST))).as("not yet prepared").isEqualTo(execute(LAST));
        scripted.server(packet(1, prepareOk(2, 0, 0)), DONE);
        assertThat(sent(execute(LAST))).isEqualTo(execute(2));
        scripted.server(DONE);
        assertThat(sent(command(CommandCode.STMT_CLOSE, int4(LAST))))
                .isEqualTo(command(CommandCode.STMT_CLOSE, int4(2)));
        assertThat(sent(execute(LAST))).as("there is none").isEqualTo(execute(0));
        scripted.server(packet(1, err(1243, "unknown")));
    }

    @Test
    void typesAreGivenUntilTheServerHasSeenThem() {
        byte[] repeated = execute(2, unbound(of(2, 'y', 'y')));
        byte[] given = execute(1, bound(STRING, of(2, 'y', 'y')));
        byte[] ping = command(CommandCode.PING, new byte[0]);
        byte[] out = concat(ping, repeated, ping);
        for (int cut = 1; cut < out.length; cut++) {
            moved(cut % 2 == 0 ? 0 : Watcher.ALL, STRING);
            scripted.client(slice(out, 0, cut));
            scripted.client(slice(out, cut, out.length));
            assertThat(scripted.server.take()).as("cut at %d", cut).isEqualTo(concat(ping, given, ping));
            scripted.server(DONE, packet(1, err(1205, "lock wait timeout")), DONE);
            assertThat(sent(repeated)).as("the server may not have read them").isEqualTo(given);
            scripted.server(DONE);
            assertThat(sent(repeated)).isEqualTo(execute(1, unbound(of(2, 'y', 'y'))));
            scripted.server(DONE);
        }
    }

    @Test
    void longValuesFollowTheTypesWithoutBeingCollected() {
        moved(0, STRING);
        byte[] value = concat(of(0xFD), int2(0x0000), of(0x20), new byte[0x200000]);
        byte[] repeated = execute(2, unbound(value));
        scripted.client(slice(repeated, 0, 5000));
        assertThat(scripted.server.take()).hasSize(5002);
        scripted.client(slice(repeated, 5000, repeated.length));
        scripted.server.take();
        scripted.server(DONE);
        assertThat(sent(repeated)).isEqualTo(execute(1, unbound(value)));
        scripted.server(DONE);
    }

    @Test
    void typesOfABulkExecution() {
        moved(0, STRING);
        byte[] rows = of(0, 1, 'a', 0, 1, 'b');
        assertThat(sent(command(CommandCode.STMT_BULK_EXECUTE, concat(int4(2), int2(64), rows))))
                .isEqualTo(command(CommandCode.STMT_BULK_EXECUTE, concat(int4(1), int2(128 + 64), STRING, rows)));
        scripted.server(DONE);
        session(0);
        prepare("INSERT INTO t VALUES (?)", 1, 1);
        done(command(CommandCode.STMT_BULK_EXECUTE, concat(int4(1), int2(128), LONG, of(1))));
        move().answer(prepareOk(9, 0, 1), definition("?"), eof(AC));
        assertThat(sent(execute(1, unbound(new byte[8])))).isEqualTo(execute(9, bound(LONG, new byte[8])));
        scripted.server(DONE);
    }

    @Test
    void typesBesideQueryAttributes() {
        capabilities |= Capabilities.QUERY_ATTRIBUTES;
        session(0);
        prepare("DELETE FROM t WHERE a = ?", 1, 1);
        done(execute(1, of(1), of(0, 1), LONG, of(0), new byte[8]));
        move().answer(prepareOk(9, 0, 1), definition("?"), eof(AC));
        assertThat(sent(execute(1, of(1), of(0, 0), new byte[8])))
                .isEqualTo(execute(9, of(1), of(0, 1), LONG, of(0), new byte[8]));
        scripted.server(DONE);
    }

    @Test
    void anExecutionThatHasNoRoomForItsTypesEndsTheSession() {
        moved(0, STRING);
        byte[] value = concat(of(0xFD), of(0xEF, 0xFF, 0xFF), new byte[0xFFFFEF]);
        byte[] repeated = execute(2, unbound(value));
        assertThat(sent(slice(repeated, 0, 5000))).isEmpty();
        assertThat(scripted.session.ended()).isTrue();
        assertThat(new String(scripted.client.take(), java.nio.charset.StandardCharsets.UTF_8))
                .contains("parameter types", "prepare the statement anew");
    }

    /** Relayed unread, the ids would be those of other statements. */
    @Test
    void whatCannotBeReadEndsTheSession() {
        moved(0, STRING);
        scripted.client(packet(5, of(CommandCode.PING)));
        assertThat(scripted.session.ended()).isTrue();
        scripted.server.take();
    }

    @Test
    void aStatementIsPreparedUnderItsOwnSettings() {
        done(command(CommandCode.INIT_DB, "one"));
        done(command(CommandCode.QUERY, "SET sql_mode = 'ANSI_QUOTES'"));
        prepare("SELECT \"a\" FROM t", 1, 0);
        done(command(CommandCode.INIT_DB, "two"));
        done(command(CommandCode.QUERY, "SET sql_mode = ''"));
        prepare("SELECT \"a\"", 2, 0);
        ScriptedConnection fresh = move();
        assertThat(fresh.commands)
                .containsExactlyInAnyOrder(
                        "2 one",
                        "3 SET SESSION sql_mode = 'ANSI_QUOTES'",
                        "22 SELECT \"a\" FROM t",
                        "2 two",
                        "3 SET SESSION sql_mode = ''",
                        "22 SELECT \"a\"");
        int ids = 0;
        for (String command : List.copyOf(fresh.commands)) {
            fresh.answer(command.startsWith("22") ? prepareOk(++ids, 0, 0) : ok(0, AC));
        }
        assertThat(outcomes).containsExactly((String) null);
    }

    /** A COM_QUERY has their number, none, and that of their sets before its text. */
    @Test
    void settingsAreChangedBetweenQueryAttributes() {
        capabilities |= Capabilities.QUERY_ATTRIBUTES;
        session(0);
        done(command(CommandCode.QUERY, concat(of(0, 1), text("SET sql_mode = 'ANSI_QUOTES'"))));
        prepare("SELECT \"a\" FROM t", 1, 0);
        done(command(CommandCode.QUERY, concat(of(0, 1), text("SET sql_mode = ''"))));
        assertThat(move().commands)
                .containsExactly(
                        "3 \0\1SET SESSION sql_mode = 'ANSI_QUOTES'",
                        "22 SELECT \"a\" FROM t",
                        "3 \0\1SET SESSION sql_mode = ''");
    }

    private void run(String... texts) {
        for (String sql : texts) {
            done(command(CommandCode.QUERY, sql));
        }
    }

    private void fails(String sql) {
        scripted.client(command(CommandCode.QUERY, sql));
        scripted.server(packet(1, err(1064, "syntax")));
        scripted.server.take();
        scripted.client.take();
    }

    /** Text PREPARE: each is run again as it was written, under the settings of then. */
    @Test
    void statementsOfPrepareAreRunAgain() {
        done(command(CommandCode.INIT_DB, "one"));
        run(
                "SET sql_mode = 'ANSI_QUOTES'",
                "PREPARE p FROM 'SELECT \"a\", ''x''';",
                "SET sql_mode = ''",
                "/* a */ PREPARE `Q` FROM \"SELECT 2\"",
                "PREPARE r FROM 'SELECT 3'",
                "PREPARE R FROM 'SELECT 4'",
                "PREPARE s FROM @s",
                "PREPARE s FROM 'SELECT 5'",
                "PREPARE gone FROM @s",
                "DEALLOCATE PREPARE GONE",
                "DROP PREPARE s");
        assertThat(scripted.model().prepared().whyTextsNotMoved()).isNull();
        ScriptedConnection fresh = move();
        List<String> prepares =
                fresh.commands.stream().filter(sql -> sql.contains("PREPARE")).toList();
        assertThat(prepares)
                .containsExactlyInAnyOrder(
                        "3 PREPARE p FROM 'SELECT \"a\", ''x''';",
                        "3 /* a */ PREPARE `Q` FROM \"SELECT 2\"",
                        "3 PREPARE R FROM 'SELECT 4'");
        int mode = fresh.commands.indexOf("3 SET SESSION sql_mode = 'ANSI_QUOTES'");
        assertThat(fresh.commands.get(mode + 1)).startsWith("3 PREPARE p ");
        assertThat(fresh.commands.get(mode + 2)).isEqualTo("3 SET SESSION sql_mode = ''");
        for (int i = fresh.commands.size(); i > 0; i--) {
            fresh.answer(ok(0, AC));
        }
        assertThat(outcomes).containsExactly((String) null);
        scripted.model().moved(7);
        assertThat(scripted.model().prepared().explainsTexts(3, 0, true)).isTrue();
        assertThat(scripted.model().prepared().explainsTexts(4, 0, false)).isFalse();
    }

    @Test
    void aPrepareThatIsNotKnownKeepsTheSession() {
        run("PREPARE p FROM 'SELECT 1'");
        fails("PREPARE p FROM 'SELEC 1'");
        assertThat(scripted.model().prepared().whyTextsNotMoved()).contains("statement p");
        run("DEALLOCATE PREPARE p");
        assertThat(scripted.model().prepared().whyTextsNotMoved()).isNull();
        assertThat(scripted.model().prepared().explainsTexts(2, 1, false)).isTrue();
        assertThat(scripted.model().prepared().explainsTexts(2, 1, true))
                .as("a procedure may have had one of the two")
                .isFalse();
        assertThat(scripted.model().prepared().explainsTexts(2, 2, false)).isFalse();
        run("PREPARE p FROM @a");
        assertThat(scripted.model().prepared().whyTextsNotMoved()).contains("statement p");
        run("PREPARE p FROM 'SELECT 1'", "SET NAMES latin1");
        assertThat(scripted.model().prepared().whyTextsNotMoved()).contains("settings");
        run("SET NAMES utf8mb4", "PREPARE p FROM 'SELECT 1'");
        assertThat(scripted.model().prepared().whyTextsNotMoved()).isNull();
        run("SELECT 1; DEALLOCATE PREPARE p");
        assertThat(scripted.model().prepared().whyTextsNotMoved()).contains("could not be read");
        session(0);
        for (int i = 0; i <= 64; i++) {
            assertThat(scripted.model().prepared().whyTextsNotMoved()).isNull();
            run("PREPARE p" + i + " FROM 'SELECT 1'");
        }
        assertThat(scripted.model().prepared().whyTextsNotMoved()).contains("too many");
    }

    @Test
    void aStatementOfAnotherCharacterSetStays() {
        prepare("SELECT 1", 1, 0);
        done(command(CommandCode.QUERY, "SET NAMES latin1"));
        assertThat(scripted.model().prepared().whyNotMoved()).isEqualTo("statement_settings");
        move();
        assertThat(outcomes).containsExactly("statement_settings");
    }

    /** Two such names are not told apart, and the statement would be prepared in the schema of now. */
    @Test
    void aStatementOfASchemaWhoseNameCannotBeReadStays() {
        done(command(CommandCode.QUERY, "SET NAMES latin1"));
        done(command(CommandCode.INIT_DB, new byte[] {(byte) 0xE4}));
        assertThat(scripted.model().prepared().whyNotMoved()).isNull();
        prepare("DELETE FROM t", 1, 0);
        assertThat(scripted.model().prepared().whyNotMoved()).isEqualTo("statement_settings");
    }

    @Test
    void aClientThatKnowsNoIdGetsThoseOfTheServer() {
        move();
        assertThat(outcomes).containsExactly((String) null);
        assertThat(scripted.model().prepared().moved()).isFalse();
        prepare("DELETE FROM t", 5, 0);
        assertThat(sent(execute(5))).isEqualTo(execute(5));
        scripted.server(DONE);
    }

    @Test
    void aPreparedBlockMayHaveSetAnything() {
        prepare("START TRANSACTION READ ONLY", 1, 0);
        done(execute(1));
        assertThat(scripted.model().settings().known()).isTrue();
        prepare("BEGIN NOT ATOMIC SET foreign_key_checks = 0; END", 2, 0);
        done(execute(2));
        assertThat(scripted.model().settings().known()).isFalse();
    }

    @Test
    void aStatementWhoseTextIsNotKeptStays() {
        prepare("SELECT '" + "a".repeat(Scripted.STATEMENT_LIMIT) + "'", 1, 0);
        assertThat(scripted.model().prepared().whyNotMoved()).isEqualTo("statement_text");
        scripted.client(command(CommandCode.STMT_CLOSE, int4(1)));
        assertThat(scripted.model().prepared().whyNotMoved()).isNull();
    }

    @Test
    void typesThatCouldNotBeReadKeepTheStatement() {
        prepare("DELETE FROM t WHERE a = ?", 1, 1);
        done(execute(1, of(0, 1), of(8)));
        assertThat(scripted.model().prepared().whyNotMoved()).isEqualTo("parameter_types");
        done(execute(1, bound(LONG, new byte[8])));
        assertThat(scripted.model().prepared().whyNotMoved()).isNull();
    }

    @Test
    void afterAFailureNothingHasChanged() {
        for (String expected : List.of("refused_statement", "changed_statement", "changed_statement", "server_lost")) {
            outcomes.clear();
            session(0);
            prepare("SELECT 1", 1, 0);
            prepare("SELECT 2", 7, 0);
            ScriptedConnection fresh = move();
            fresh.answer(prepareOk(1, 0, 0));
            if (expected.equals("server_lost")) {
                fresh.fail();
            } else if (expected.equals("refused_statement")) {
                fresh.answer(err(1146, "no such table"));
            } else {
                fresh.answer(prepareOk(2, 1, 0), definition("a"), eof(AC));
            }
            assertThat(outcomes).hasSize(1);
            assertThat(outcomes.get(0)).startsWith(expected);
            assertThat(scripted.model().prepared().moved()).isFalse();
            assertThat(sent(execute(7))).isEqualTo(execute(7));
            scripted.server(DONE);
        }
    }

    /** With this capability a server sends definitions again only if they have changed since the preparation. */
    @Test
    void definitionsThatTheClientKeepsMustBeTheSame() {
        capabilities = Scripted.CLASSIC & ~Capabilities.LONG_PASSWORD | Capabilities.MARIADB_CACHE_METADATA;
        for (String column : List.of("a", "b")) {
            outcomes.clear();
            session(0);
            scripted.client(command(CommandCode.STMT_PREPARE, "SELECT * FROM t"));
            scripted.server(packet(1, prepareOk(1, 1, 0)), packet(2, definition("a")), packet(3, eof(AC)));
            move().answer(prepareOk(1, 1, 0), definition(column), eof(AC | ServerStatus.IN_TRANS));
            assertThat(outcomes).containsExactly(column.equals("a") ? null : "changed_statement");
        }
    }

    @Test
    void aSessionMovesAgain() {
        moved(0, STRING);
        scripted.client(command(CommandCode.STMT_PREPARE, "DELETE FROM u"));
        scripted.server(packet(1, prepareOk(2, 0, 0)));
        scripted.server.take();
        ScriptedConnection third = move();
        int ids = 40;
        for (String command : List.copyOf(third.commands)) {
            if (command.endsWith("?")) {
                third.answer(prepareOk(++ids, 0, 1), definition("?"), eof(AC));
            } else {
                third.answer(prepareOk(++ids, 0, 0));
            }
        }
        int second = third.commands.indexOf("22 DELETE FROM u") + 41;
        assertThat(sent(execute(3))).isEqualTo(execute(second));
        scripted.server(DONE);
        assertThat(sent(execute(2, unbound(of(1, 'y'))))).isEqualTo(execute(83 - second, bound(STRING, of(1, 'y'))));
        scripted.server(DONE);
    }
}
