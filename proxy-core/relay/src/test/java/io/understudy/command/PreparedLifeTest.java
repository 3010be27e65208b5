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
import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.command.prepared.PreparedEntry;
import io.understudy.protocol.CommandCode;
import io.understudy.protocol.ServerStatus;
import io.understudy.testkit.LeakCheck;
import io.understudy.testkit.Memory;
import io.understudy.testkit.session.Scripted;
import io.understudy.testkit.session.Watcher;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Prepared statements that end before the response to their preparation, or to their execution, has come. */
@ExtendWith(LeakCheck.class)
class PreparedLifeTest {
    private static final int AC = ServerStatus.AUTOCOMMIT;
    private static final int BOUND = 1 << 20;
    /** MariaDB: the statement prepared last. */
    private static final int LAST = -1;

    private static final String LONG = "SELECT '" + "a".repeat(60 * 1024) + "'";
    private static final byte[] PREPARE = command(CommandCode.STMT_PREPARE, LONG);
    private static final byte[] REFUSED = packet(1, err(1146, "no such table"));

    private final Scripted scripted =
            new Scripted(Memory.direct(), new Watcher(Watcher.ALL)).loggedIn(Scripted.CLASSIC);

    @AfterEach
    void nothingIsKept() {
        scripted.finish();
    }

    private static byte[] close(int id) {
        return command(CommandCode.STMT_CLOSE, int4(id));
    }

    private static byte[] prepared(int id) {
        return packet(1, concat(of(0), int4(id), int2(0), int2(0), of(0, 0, 0)));
    }

    private boolean room(int bytes) {
        return scripted.model().prepared().roomForText(bytes);
    }

    private void execute(int id) {
        scripted.client(command(CommandCode.STMT_EXECUTE, concat(int4(id), of(1), int4(1))));
    }

    private void openCursor() {
        scripted.server(packet(1, of(1)), packet(2, definition("a")), packet(3, eof(AC | ServerStatus.CURSOR_EXISTS)));
    }

    @Test
    void aStatementClosedAheadOfTheResponseIsNotKept() {
        for (int id = 1; id <= 40; id++) {
            scripted.client(PREPARE, close(LAST));
            scripted.server(prepared(id));
            assertThat(scripted.model().prepared().find(id)).isNull();
        }
        assertThat(room(BOUND)).isTrue();
        assertThat(room(BOUND + 1)).isFalse();
    }

    @Test
    void aRefusedStatementTakesNoRoomAndGivesNone() {
        for (int i = 0; i < 40; i++) {
            scripted.client(PREPARE);
            scripted.server(REFUSED);
            scripted.client(close(LAST));
        }
        assertThat(room(BOUND)).isTrue();
        assertThat(room(BOUND + 1)).isFalse();
    }

    /** As on the server: MariaDB's sql_prepare.cc, mysqld_stmt_prepare. */
    @Test
    void noStatementIsTheLastAfterARefusal() {
        scripted.client(command(CommandCode.STMT_PREPARE, "SELECT 1"));
        scripted.server(prepared(7));
        assertThat(scripted.model().prepared().find(LAST)).isNotNull();
        scripted.client(PREPARE);
        scripted.server(REFUSED);
        assertThat(scripted.model().prepared().find(LAST)).isNull();
        assertThat(scripted.model().prepared().find(7)).isNotNull();
    }

    @Test
    void textsOfPreparationsInFlightCount() {
        for (int i = 0; i < 40; i++) {
            scripted.client(PREPARE);
        }
        assertThat(room(LONG.length())).isFalse();
        for (int i = 0; i < 40; i++) {
            scripted.server(REFUSED);
        }
        assertThat(room(BOUND)).isTrue();
    }

    @Test
    void longDataBehindAResetOutliveItsResponse() {
        scripted.client(command(CommandCode.STMT_PREPARE, "SELECT ?"));
        scripted.server(prepared(9));
        byte[] data = command(CommandCode.STMT_SEND_LONG_DATA, concat(int4(9), of(0, 0, 1)));
        scripted.client(data, command(CommandCode.STMT_RESET, int4(9)), data);
        scripted.server(packet(1, ok(0, AC)));
        assertThat(scripted.model().atBoundary()).isFalse();
        scripted.client(command(CommandCode.STMT_RESET, int4(9)));
        scripted.server(packet(1, ok(0, AC)));
        assertThat(scripted.model().atBoundary()).isTrue();
    }

    @Test
    void aCursorOfAClosedStatementIsNotOpen() {
        scripted.client(command(CommandCode.STMT_PREPARE, "SELECT a FROM t"));
        scripted.server(prepared(9));
        execute(9);
        scripted.client(close(9));
        openCursor();
        assertThat(scripted.model().atBoundary()).isTrue();
    }

    @Test
    void longDataOfARefusedStatementAreForgotten() {
        scripted.client(
                command(CommandCode.STMT_PREPARE, "SELECT ?"),
                command(CommandCode.STMT_SEND_LONG_DATA, concat(int4(LAST), int2(0), of('x'))));
        scripted.server(REFUSED);
        assertThat(scripted.model().atBoundary()).isTrue();
    }

    @Test
    void aResetAheadOfTheResponseToACommandOfAnOldStatement() {
        scripted.client(command(CommandCode.STMT_PREPARE, "SELECT a FROM t"));
        scripted.server(prepared(9));
        execute(9);
        openCursor();
        assertThat(scripted.model().atBoundary()).isFalse();
        scripted.client(command(CommandCode.RESET_CONNECTION, ""), command(CommandCode.STMT_RESET, int4(9)));
        scripted.server(packet(1, ok(0, AC)), packet(1, err(1243, "unknown statement")));
        assertThat(scripted.model().atBoundary()).isTrue();
    }

    @Test
    void aStatementPreparedBehindAResetIsTheLast() {
        scripted.client(command(CommandCode.RESET_CONNECTION, ""), command(CommandCode.STMT_PREPARE, "SELECT 1"));
        scripted.server(packet(1, ok(0, AC)));
        assertThat(scripted.model().prepared().find(LAST)).isNotNull();
        scripted.server(prepared(1));
        assertThat(scripted.model().prepared().find(1)).isNotNull();
    }

    /** The names in it are those of the schema in which the server prepares it. */
    @Test
    void aStatementPreparedBehindAChangeOfSchemaBelongsToThatSchema() {
        scripted.client(command(CommandCode.INIT_DB, "other"), command(CommandCode.STMT_PREPARE, "DELETE FROM t"));
        assertThat(scripted.model().schemaInFlight()).isTrue();
        PreparedEntry requested =
                Objects.requireNonNull(scripted.model().prepared().find(-1));
        assertThat(requested.schema()).as("while it is not known").isNull();
        scripted.server(packet(1, concat(of(0), of(0, 0), int2(AC), int2(0))));
        assertThat(scripted.model().schemaInFlight()).isFalse();
        scripted.server(prepared(5));
        PreparedEntry entry = Objects.requireNonNull(scripted.model().prepared().find(5));
        assertThat(entry.schema()).isEqualTo("other");
    }
}
