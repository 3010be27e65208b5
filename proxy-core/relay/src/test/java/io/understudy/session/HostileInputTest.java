package io.understudy.session;

import static io.understudy.testkit.Bytes.concat;
import static io.understudy.testkit.Bytes.definition;
import static io.understudy.testkit.Bytes.of;
import static io.understudy.testkit.Bytes.ok;
import static io.understudy.testkit.Bytes.packet;
import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.InjectedStatement;
import io.understudy.plugin.Interest;
import io.understudy.protocol.CommandCode;
import io.understudy.testkit.Bytes;
import io.understudy.testkit.LeakCheck;
import io.understudy.testkit.Memory;
import io.understudy.testkit.session.Scripted;
import io.understudy.testkit.session.Watcher;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;

/** Whatever either side sends, the session continues or ends with a reason, and leaks no memory. */
class HostileInputTest {
    private static final long MEMORY_BOUND = 2 << 20;

    @AfterContainer
    static void nothingLeaked() {
        assertThat(LeakCheck.collect()).isEmpty();
    }

    private static Scripted scripted() {
        Watcher watcher = new Watcher(Watcher.ALL | Interest.BOUNDARY);
        watcher.next = new InjectedStatement("SET @a = 1", "test");
        return new Scripted(Memory.heap(), watcher);
    }

    private static void check(Scripted scripted) {
        assertThat(scripted.memory.used()).isLessThan(MEMORY_BOUND);
        boolean ended = scripted.session.ended();
        assertThat(scripted.ends()).isEqualTo(ended ? 1 : 0);
        assertThat(scripted.closed("internal_error"))
                .as("sessions ended by a fault of the proxy")
                .isZero();
        scripted.finish();
    }

    @Property(tries = 600, shrinking = ShrinkingMode.BOUNDED)
    void randomBytesLeakNothing(@ForAll List<byte[]> pieces, @ForAll boolean clientFirst, @ForAll boolean loggedIn) {
        Scripted scripted = scripted();
        if (loggedIn) {
            scripted.loggedIn(Scripted.CLASSIC);
        } else {
            scripted.connectServer();
        }
        boolean client = clientFirst;
        for (byte[] piece : pieces) {
            if (client) {
                scripted.client(piece);
            } else {
                scripted.server(piece);
            }
            client = !client;
        }
        check(scripted);
    }

    /** Returns a valid conversation, with packets of client and server in turn. */
    private static byte[][] conversation() {
        return new byte[][] {
            packet(1, Scripted.handshakeResponse(Scripted.CLASSIC, "app", null)),
            packet(2, ok(0, 2)),
            concat(Bytes.command(CommandCode.STMT_PREPARE, "SELECT ?"), Bytes.command(CommandCode.QUERY, "SELECT 1")),
            concat(
                    packet(1, concat(of(0), Bytes.int4(1), of(1, 0, 1, 0, 0, 0, 0))),
                    packet(2, definition("?")),
                    packet(3, Bytes.eof(2)),
                    packet(4, definition("a")),
                    packet(5, Bytes.eof(2)),
                    packet(1, of(1)),
                    packet(2, definition("a")),
                    packet(3, Bytes.eof(2)),
                    packet(4, of(1, 65)),
                    packet(5, Bytes.eof(2))),
            concat(
                    Bytes.command(
                            CommandCode.STMT_EXECUTE,
                            concat(Bytes.int4(1), of(0), Bytes.int4(1), of(0, 1, 3, 0), Bytes.int4(9))),
                    Bytes.command(CommandCode.CHANGE_USER, concat(Bytes.text("u\0"), of(0), Bytes.text("db\0")))),
            concat(packet(1, ok(0, 2)), packet(1, ok(1, 2)), packet(1, of(0xFE)), packet(2, Bytes.err(1045, "no"))),
            Bytes.command(CommandCode.INIT_DB, "db"),
            packet(1, ok(0, 2))
        };
    }

    @Property(tries = 1500, shrinking = ShrinkingMode.BOUNDED)
    void damagedConversationsLeakNothing(@ForAll long seed) {
        Random random = new Random(seed);
        Scripted scripted = scripted();
        scripted.connectServer();
        scripted.server(packet(0, Scripted.handshakeV10(Scripted.CLASSIC, "8.4.0")));
        byte[][] turns = conversation();
        int first = random.nextInt(turns.length);
        for (int i = 0; i < turns.length; i++) {
            byte[] bytes = i >= first && random.nextInt(3) > 0 ? damaged(turns[i], random) : turns[i];
            int cut = random.nextInt(bytes.length + 1);
            for (byte[] part : List.of(Bytes.slice(bytes, 0, cut), Bytes.slice(bytes, cut, bytes.length))) {
                if (i % 2 == 0) {
                    scripted.client(part);
                } else {
                    scripted.server(part);
                }
            }
        }
        check(scripted);
    }

    private static byte[] damaged(byte[] bytes, Random random) {
        byte[] copy = bytes.clone();
        for (int i = random.nextInt(3); i >= 0; i--) {
            int[] favourites = {0, 1, 0xFB, 0xFC, 0xFE, 0xFF, random.nextInt(256)};
            copy[random.nextInt(copy.length)] = (byte) favourites[random.nextInt(favourites.length)];
        }
        return random.nextInt(4) == 0 ? Bytes.slice(copy, 0, random.nextInt(copy.length)) : copy;
    }
}
