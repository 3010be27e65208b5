package io.understudy.session;

import static io.understudy.testkit.Bytes.concat;
import static io.understudy.testkit.Bytes.definition;
import static io.understudy.testkit.Bytes.eof;
import static io.understudy.testkit.Bytes.of;
import static io.understudy.testkit.Bytes.packet;
import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.CommandView;
import io.understudy.plugin.ResponseView;
import io.understudy.protocol.CommandCode;
import io.understudy.protocol.ServerStatus;
import io.understudy.testkit.Bytes;
import io.understudy.testkit.LeakCheck;
import io.understudy.testkit.Memory;
import io.understudy.testkit.session.Scripted;
import io.understudy.testkit.session.Watcher;
import io.understudy.wire.MalformedPacketException;
import java.io.ByteArrayOutputStream;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rows that arrive together are counted like rows that arrive one by one. */
@ExtendWith(LeakCheck.class)
class RowsTest {
    private static final int ROWS = 1_000;

    /** Packets before the rows: column count, definition, EOF. */
    private static final int BEFORE = 3;

    private final Memory memory = Memory.heap();

    /** Notes what the response says of itself. */
    private static final class Sums extends Watcher {
        private long rows;
        private long bytes;

        Sums() {
            super(Watcher.ALL);
        }

        @Override
        public void onResponse(CommandView command, ResponseView response) {
            rows += response.rows();
            bytes += response.bytes();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 100, 4_096, 1 << 20})
    void rowsAndBytesDoNotDependOnTheReads(int read) {
        Sums sums = new Sums();
        Scripted scripted = new Scripted(memory, sums).loggedIn(Scripted.CLASSIC);
        scripted.client(Bytes.command(CommandCode.QUERY, "SELECT a FROM t"));
        byte[] result = concat(begin(), rows(), packet(BEFORE + ROWS + 1, eof(ServerStatus.AUTOCOMMIT)));
        inReads(scripted, result, read);
        assertThat(sums.rows).isEqualTo(ROWS);
        int headers = (BEFORE + ROWS + 1) * 4;
        assertThat(sums.bytes).isEqualTo(result.length - headers);
        assertThat(scripted.client.take()).isEqualTo(result);
        scripted.finish();
    }

    /** An error of the proxy's own behind complete rows continues their numbers. */
    @ParameterizedTest
    @ValueSource(ints = {7, 4_096, 1 << 20})
    void anErrorBehindRowsHasTheNextNumber(int read) {
        Scripted scripted = new Scripted(memory, new Sums()).loggedIn(Scripted.CLASSIC);
        scripted.client(Bytes.command(CommandCode.QUERY, "SELECT a FROM t"));
        inReads(scripted, concat(begin(), rows()), read);
        scripted.client.take();
        scripted.session.serverFailed(new MalformedPacketException("a frame is cut off"));
        assertThat(scripted.client.take()[3] & 0xFF).isEqualTo(BEFORE + ROWS + 1 & 0xFF);
        scripted.finish();
    }

    private static byte[] begin() {
        return concat(packet(1, of(1)), packet(2, definition("a")), packet(3, eof(ServerStatus.AUTOCOMMIT)));
    }

    private static byte[] rows() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int i = 0; i < ROWS; i++) {
            byte[] row = new byte[1 + i % 250];
            row[0] = (byte) (i % 3 == 0 ? 0xFB : row.length - 1);
            out.writeBytes(packet(BEFORE + 1 + i, row));
        }
        return out.toByteArray();
    }

    private static void inReads(Scripted scripted, byte[] bytes, int read) {
        for (int at = 0; at < bytes.length; at += read) {
            scripted.server(Bytes.slice(bytes, at, Math.min(bytes.length, at + read)));
        }
    }
}
