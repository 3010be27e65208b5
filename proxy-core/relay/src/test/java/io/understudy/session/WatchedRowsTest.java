package io.understudy.session;

import static io.understudy.testkit.Bytes.concat;
import static io.understudy.testkit.Bytes.definition;
import static io.understudy.testkit.Bytes.eof;
import static io.understudy.testkit.Bytes.of;
import static io.understudy.testkit.Bytes.packet;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.understudy.plugin.CommandView;
import io.understudy.plugin.Interest;
import io.understudy.plugin.RowWatcher;
import io.understudy.protocol.CommandCode;
import io.understudy.protocol.ServerStatus;
import io.understudy.testkit.Bytes;
import io.understudy.testkit.LeakCheck;
import io.understudy.testkit.Memory;
import io.understudy.testkit.session.Scripted;
import io.understudy.testkit.session.Watcher;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A watcher sees the beginning of each row, however the rows arrive, and changes nothing of what the client gets. */
@ExtendWith(LeakCheck.class)
class WatchedRowsTest {
    private static final int ROWS = 300;
    private static final int SHOWN = 40;

    private final Memory memory = Memory.heap();

    private static class Rows extends Watcher implements RowWatcher {
        private final List<String> rows = new ArrayList<>();
        private final int failsAt;
        private final boolean asks;
        private int commands;

        Rows(int interests, int failsAt, boolean asks) {
            super(interests);
            this.failsAt = failsAt;
            this.asks = asks;
        }

        @Override
        public void onCommand(CommandView command) {
            commands++;
            if (asks) {
                assertThat(command.watchRows(this)).isTrue();
                assertThat(command.watchRows(this)).as("a second watcher").isFalse();
            }
        }

        @Override
        public int rowBytes() {
            return SHOWN;
        }

        @Override
        public void onRow(ByteBuf buf, int index, int shown, int length) {
            if (rows.size() == failsAt) {
                throw new IllegalStateException("planted");
            }
            rows.add(length + " " + ByteBufUtil.hexDump(buf, index, shown));
        }
    }

    private static byte[] row(int i) {
        byte[] row = new byte[1 + i % 250];
        row[0] = (byte) (i % 3 == 0 ? 0xFB : row.length - 1);
        return row;
    }

    private static byte[] result() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(concat(packet(1, of(1)), packet(2, definition("a")), packet(3, eof(ServerStatus.AUTOCOMMIT))));
        for (int i = 0; i < ROWS; i++) {
            out.writeBytes(packet(4 + i, row(i)));
        }
        out.writeBytes(packet(4 + ROWS, eof(ServerStatus.AUTOCOMMIT)));
        return out.toByteArray();
    }

    private void query(Rows watcher, int read) {
        Scripted scripted = new Scripted(memory, watcher).loggedIn(Scripted.CLASSIC);
        byte[] result = result();
        for (int times = 0; times < 2; times++) {
            scripted.client(Bytes.command(CommandCode.QUERY, "SELECT a FROM t"));
            for (int at = 0; at < result.length; at += read) {
                scripted.server(Bytes.slice(result, at, Math.min(result.length, at + read)));
            }
            assertThat(scripted.client.take()).isEqualTo(result);
        }
        scripted.finish();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 100, 4_096, 1 << 20})
    void eachRowIsShown(int read) {
        Rows watcher = new Rows(Watcher.ALL | Interest.ROWS, -1, true);
        query(watcher, read);
        assertThat(watcher.rows).hasSize(2 * ROWS);
        for (int i = 0; i < 2 * ROWS; i++) {
            byte[] row = row(i % ROWS);
            byte[] shown = java.util.Arrays.copyOf(row, Math.min(SHOWN, row.length));
            assertThat(watcher.rows.get(i)).isEqualTo(row.length + " " + ByteBufUtil.hexDump(shown));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {7, 1 << 20})
    void aWatcherThatThrowsEndsItsObserver(int read) {
        Rows watcher = new Rows(Watcher.ALL | Interest.ROWS, 5, true);
        query(watcher, read);
        assertThat(watcher.rows).hasSize(5);
        assertThat(watcher.commands).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {7, 1 << 20})
    void withoutAWatcherOrTheInterestNoRowIsShown(int read) {
        for (Rows watcher :
                List.of(new Rows(Watcher.ALL | Interest.ROWS, -1, false), new Rows(Watcher.ALL, -1, true))) {
            query(watcher, read);
            assertThat(watcher.rows).isEmpty();
            assertThat(watcher.commands).isEqualTo(2);
        }
    }

    /** In the middle of a result and of a row; what it injected is undone all the same. */
    @ParameterizedTest
    @ValueSource(ints = {7, 100})
    void aPluginThatIsRemovedSeesNoMoreRows(int read) {
        Rows watcher = new Rows(Watcher.ALL | Interest.ROWS, -1, true);
        Scripted scripted = new Scripted(memory, watcher).loggedIn(Scripted.CLASSIC);
        byte[] result = result();
        scripted.client(Bytes.command(CommandCode.QUERY, "SELECT a FROM t"));
        int seen = -1;
        for (int at = 0; at < result.length; at += read) {
            scripted.server(Bytes.slice(result, at, Math.min(result.length, at + read)));
            if (seen < 0 && watcher.rows.size() > 5) {
                scripted.session.leave(List.of("p0"));
                seen = watcher.rows.size();
            }
        }
        assertThat(scripted.client.take()).isEqualTo(result);
        assertThat(watcher.rows).hasSize(seen);
        scripted.finish();
    }

    /** Its rows are in flight when something else of it fails. */
    @Test
    void anObserverThatWasRetiredSeesNoMoreRows() {
        Rows watcher = new Rows(Watcher.ALL | Interest.ROWS, -1, true) {
            @Override
            public void onCommand(CommandView command) {
                if (Objects.requireNonNull(command.text()).contains("planted")) {
                    throw new IllegalStateException("planted");
                }
                super.onCommand(command);
            }
        };
        Scripted scripted = new Scripted(memory, watcher).loggedIn(Scripted.CLASSIC);
        scripted.client(Bytes.command(CommandCode.QUERY, "SELECT a FROM t"));
        scripted.client(Bytes.command(CommandCode.QUERY, "SELECT planted"));
        scripted.server(result());
        scripted.server(result());
        assertThat(watcher.rows).isEmpty();
        scripted.finish();
    }
}
