package io.understudy.command;

import static io.understudy.testkit.Bytes.command;
import static io.understudy.testkit.Bytes.concat;
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
import io.understudy.testkit.session.Watcher;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** KILL of a session that has moved, by the number that its client knows. */
@ExtendWith(LeakCheck.class)
class KilledNumbersTest {
    private static final byte[] DONE = packet(1, ok(0, ServerStatus.AUTOCOMMIT));
    private static final String HERE = "primary b:3306";

    private final ThreadIds ids = new ThreadIds((number, server) -> number == 40 && server.equals(HERE));

    private Scripted session(long capabilities) {
        return new Scripted(Memory.direct(), this::watched).loggedIn(capabilities);
    }

    private Watcher watched(SessionContext context) {
        ((SessionModel) context).setThreadIds(ids, () -> HERE);
        return new Watcher(0);
    }

    private static String sent(Scripted scripted, String sql) {
        scripted.client(command(CommandCode.QUERY, sql));
        byte[] bytes = scripted.server.take();
        assertThat(bytes[0] & 0xFF | (bytes[1] & 0xFF) << 8)
                .as("the header's length")
                .isEqualTo(bytes.length - 4);
        scripted.server(DONE);
        return new String(bytes, 5, bytes.length - 5, StandardCharsets.UTF_8);
    }

    private void moved(long session, long before, long now) {
        ids.register(session, "app", HERE, before, now);
    }

    @Test
    void theTextOfAKillGetsThePresentNumber() {
        Scripted scripted = session(Scripted.CLASSIC);
        assertThat(sent(scripted, "KILL 7")).as("nothing has moved").isEqualTo("KILL 7");
        moved(1, 7, 1234);
        assertThat(sent(scripted, "KILL 7")).isEqualTo("KILL 1234");
        assertThat(sent(scripted, "kill query 7;")).isEqualTo("kill query 1234;");
        assertThat(sent(scripted, "/* app */ KILL HARD CONNECTION\n7"))
                .isEqualTo("/* app */ KILL HARD CONNECTION\n1234");
        assertThat(sent(scripted, "/*my app*/ KILL 7")).isEqualTo("/*my app*/ KILL 1234");
        assertThat(sent(scripted, "KILL /*!50000 QUERY */ 7")).isEqualTo("KILL /*!50000 QUERY */ 1234");
        for (String other : new String[] {
            "KILL 8",
            "KILL QUERY ID 7",
            "KILL USER 7",
            "KILL CONNECTION_ID()",
            "SELECT 7",
            "SELECT 'KILL 7'",
            "/*!50000 DO 1; */ KILL 7",
            "/*M!100000 DO 1; */ KILL 7",
            "KILL 7 + 1"
        }) {
            assertThat(sent(scripted, other)).isEqualTo(other);
        }
        ids.remove(1);
        assertThat(sent(scripted, "KILL 7")).isEqualTo("KILL 7");
        scripted.finish();
    }

    @Test
    void aKillIsFoundWhereverItIsCut() {
        moved(1, 7, 12);
        byte[] kill = command(CommandCode.QUERY, "KILL QUERY 7");
        byte[] old = command(CommandCode.PROCESS_KILL, int4(7));
        byte[] ping = command(CommandCode.PING, new byte[0]);
        byte[] out = concat(ping, kill, old, ping);
        byte[] expected =
                concat(ping, command(CommandCode.QUERY, "KILL QUERY 12"), command(CommandCode.QUERY, "KILL 12"), ping);
        for (int cut = 1; cut < out.length; cut++) {
            Scripted scripted = session(Scripted.CLASSIC);
            scripted.client(slice(out, 0, cut));
            scripted.client(slice(out, cut, out.length));
            assertThat(scripted.server.take()).as("cut at %d", cut).isEqualTo(expected);
            scripted.server(DONE, DONE, DONE, DONE);
            assertThat(scripted.model().inFlight().isEmpty()).isTrue();
            scripted.finish();
        }
    }

    @Test
    void queryAttributesStay() {
        moved(1, 7, 12);
        Scripted scripted = session(Scripted.CLASSIC | Capabilities.QUERY_ATTRIBUTES);
        scripted.client(command(CommandCode.QUERY, concat(of(0, 1), text("KILL 7"))));
        assertThat(scripted.server.take()).isEqualTo(command(CommandCode.QUERY, concat(of(0, 1), text("KILL 12"))));
        scripted.server(DONE);
        scripted.client(command(CommandCode.PROCESS_KILL, int4(7)));
        assertThat(scripted.server.take()).isEqualTo(command(CommandCode.QUERY, concat(of(0, 1), text("KILL 12"))));
        scripted.server(DONE);
        scripted.finish();
    }

    @Test
    void aNumberOfTwoSessionsIsRefusedByTheServer() {
        moved(1, 40, 41);
        Scripted scripted = session(Scripted.CLASSIC);
        String refusal = sent(scripted, "KILL 40");
        assertThat(refusal)
                .startsWith("SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = 1094")
                .contains("40 is the number");
        assertThat(refusal.substring(refusal.indexOf("'Understudy") + 1, refusal.length() - 1))
                .hasSizeLessThanOrEqualTo(128 - 18);
        scripted.client(command(CommandCode.PROCESS_KILL, int4(40)));
        assertThat(new String(scripted.server.take(), StandardCharsets.UTF_8)).contains("SIGNAL SQLSTATE");
        scripted.server(DONE);
        moved(2, 50, 60);
        moved(3, 50, 61);
        assertThat(sent(scripted, "KILL 50")).startsWith("SIGNAL");
        scripted.finish();
    }

    @Test
    void numbersAreThoseOfOneUserOnOneServer() {
        moved(1, 7, 12);
        assertThat(ids.translate(7, "root", HERE)).isEqualTo(7);
        assertThat(ids.translate(7, "app", "primary a:3306")).isEqualTo(7);
        assertThat(ids.translate(12, "app", HERE)).isEqualTo(12);
    }

    @Test
    void allNumbersThatASessionHasHadAreItsOwn() {
        moved(1, 7, 12);
        moved(1, 12, 7);
        assertThat(ids.translate(7, "app", HERE)).isEqualTo(7);
        assertThat(ids.translate(12, "app", HERE)).isEqualTo(7);
        moved(1, 7, 30);
        assertThat(ids.translate(7, "app", HERE)).isEqualTo(30);
        assertThat(ids.translate(12, "app", HERE)).isEqualTo(30);
    }
}
