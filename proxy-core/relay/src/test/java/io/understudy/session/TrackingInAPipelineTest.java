package io.understudy.session;

import static io.understudy.testkit.Bytes.concat;
import static io.understudy.testkit.Bytes.err;
import static io.understudy.testkit.Bytes.of;
import static io.understudy.testkit.Bytes.ok;
import static io.understudy.testkit.Bytes.packet;
import static io.understudy.testkit.Bytes.shortString;
import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.InjectionResult;
import io.understudy.plugin.Interest;
import io.understudy.protocol.Capabilities;
import io.understudy.protocol.CommandCode;
import io.understudy.protocol.ServerStatus;
import io.understudy.testkit.Bytes;
import io.understudy.testkit.LeakCheck;
import io.understudy.testkit.Memory;
import io.understudy.testkit.session.Scripted;
import io.understudy.testkit.session.Watcher;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A client that tracks its session gets nothing that only the proxy asked for, whatever it sends behind a write. */
@ExtendWith(LeakCheck.class)
class TrackingInAPipelineTest {
    private static final int AC = ServerStatus.AUTOCOMMIT;
    private static final long MYSQL = Scripted.CLASSIC | Capabilities.SESSION_TRACK;
    private static final long MARIADB = MYSQL & ~Capabilities.LONG_PASSWORD;
    private static final byte[] INSERT = query("INSERT INTO t VALUES (1)");
    private static final byte[] PLAIN = packet(1, ok(1, AC));
    private static final byte[] LIST =
            tracked(0, concat(variable("session_track_system_variables", "session_track_system_variables,last_gtid")));
    private static final byte[] GTID = tracked(1, variable("last_gtid", "0-1-10"));
    private static final byte[] OWN_GTID = tracked(1, of(3, 7, 0, 5, 'a', 'b', 'c', ':', '1'));

    private final Watcher watcher = new Watcher(Watcher.ALL | Interest.GTIDS);
    private final Scripted scripted = new Scripted(Memory.direct(), watcher);

    @AfterEach
    void nothingIsKept() {
        scripted.finish();
    }

    private static byte[] query(String sql) {
        return Bytes.command(CommandCode.QUERY, sql);
    }

    private static byte[] setsTheList(String list) {
        return query("SET session_track_system_variables='" + list + "'");
    }

    private static byte[] variable(String name, String value) {
        byte[] both = concat(shortString(name), shortString(value));
        return concat(of(0, both.length), both);
    }

    private static byte[] tracked(int affected, byte[] entries) {
        return packet(1, concat(of(0, affected, 0, AC, 0x40, 0, 0, 0, entries.length), entries));
    }

    private void send(String injected, byte[]... commands) {
        scripted.client(commands);
        byte[] sent = scripted.server.take();
        byte[] theirs = concat(commands);
        assertThat(Bytes.slice(sent, sent.length - theirs.length, sent.length)).isEqualTo(theirs);
        assertThat(new String(sent, 0, sent.length - theirs.length, java.nio.charset.StandardCharsets.ISO_8859_1))
                .contains(injected);
    }

    private byte[] answered(byte[]... responses) {
        scripted.server(responses);
        return scripted.client.take();
    }

    @Test
    void aWriteIsAnsweredWithTheTrackingThatHeldForIt() {
        scripted.loggedIn(MARIADB);
        send("last_gtid", INSERT, setsTheList("autocommit"), INSERT);
        assertThat(answered(LIST, GTID, PLAIN, PLAIN)).isEqualTo(concat(PLAIN, PLAIN, PLAIN));
        assertThat(watcher.injected).isEmpty();

        send("last_gtid", INSERT, setsTheList("autocommit"), INSERT);
        assertThat(answered(LIST, GTID, PLAIN, PLAIN)).isEqualTo(concat(PLAIN, PLAIN, PLAIN));
    }

    @Test
    void whatTheClientAsksForHoldsFromTheServersAnswerOn() {
        scripted.loggedIn(MARIADB);
        send("last_gtid", INSERT, setsTheList("last_gtid"), INSERT);
        assertThat(answered(LIST, GTID, PLAIN, GTID)).isEqualTo(concat(PLAIN, PLAIN, GTID));
    }

    @Test
    void aListThatTheServerRefusesChangesNothing() {
        scripted.loggedIn(MARIADB);
        byte[] refused = packet(1, err(1193, "no such variable"));
        send("last_gtid", INSERT, setsTheList("last_gtid,nope"), INSERT);
        assertThat(answered(LIST, GTID, refused, GTID)).isEqualTo(concat(PLAIN, refused, PLAIN));
        send("", INSERT);
        assertThat(answered(GTID)).isEqualTo(PLAIN);
    }

    @Test
    void mySqlsWriteIsAnsweredWithTheTrackingThatHeldForIt() {
        scripted.loggedIn(MYSQL);
        send("OWN_GTID", INSERT, query("SET session_track_gtids=OWN_GTID"), INSERT);
        assertThat(answered(packet(1, ok(0, AC)), OWN_GTID, PLAIN, OWN_GTID)).isEqualTo(concat(PLAIN, PLAIN, OWN_GTID));
    }

    @Test
    void aWriteBehindAnUnknownCommandIsFiltered() {
        scripted.loggedIn(MARIADB);
        send("last_gtid", INSERT);
        assertThat(answered(LIST, GTID)).isEqualTo(PLAIN);
        byte[] unknown = packet(1, err(1047, "Unknown command"));
        send("", Bytes.command(0x7F, ""), INSERT);
        assertThat(answered(unknown, GTID)).isEqualTo(concat(unknown, PLAIN));
        assertThat(watcher.injected).doesNotContain(new InjectionResult(1047, "Unknown command"));
    }
}
