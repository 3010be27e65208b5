package io.understudy.steering.parallelism;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.understudy.plugins.binlog.BinlogTransaction;
import io.understudy.plugins.binlog.EventType;
import io.understudy.plugins.binlog.TransactionKind;
import io.understudy.plugins.binlog.Transactions;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LoggedHintsTest {
    private static final int COMPRESSED_ROWS = 166;
    private static final BinlogTransaction WRITE =
            Transactions.of("0-1-1", TransactionKind.WRITE, 0, 1, 1, -1, 100, 0, Set.of("s.t"), true);

    private final LoggedHints hints = new LoggedHints();

    private void event(int type, boolean first, int... body) {
        ByteBuf event = Unpooled.buffer();
        event.writeIntLE(1_000).writeByte(type).writeIntLE(1).writeIntLE(19 + body.length);
        event.writeZero(6);
        for (int each : body) {
            event.writeByte(each);
        }
        hints.onEvent(event, 0, event.readableBytes(), first, true);
    }

    private ApplyHints gtid(int... fromFlags) {
        int[] body = new int[12 + fromFlags.length];
        System.arraycopy(fromFlags, 0, body, 12, fromFlags.length);
        event(EventType.MARIADB_GTID, true, body);
        return hints.of(WRITE);
    }

    @Test
    void theGtidEventHasTheFlags() {
        ApplyHints parallel = gtid(0x08);
        assertThat(parallel.parallel()).isTrue();
        assertThat(parallel.waited()).isFalse();
        assertThat(parallel.second()).isEqualTo(1_000);
        assertThat(gtid(0x10).waited()).isTrue();
        assertThat(gtid(0x10).parallel()).isFalse();
    }

    @Test
    void aSchemaChangeInTwoPhasesHasFurtherFlagsBehindItsCommitId() {
        assertThat(gtid(0x01, 0x02).alter()).isEqualTo(AlterPhase.START);
        assertThat(gtid(0x03, 1, 2, 3, 4, 5, 6, 7, 8, 0x04).alter()).isEqualTo(AlterPhase.END);
        assertThat(gtid(0x01).alter()).isEqualTo(AlterPhase.WHOLE);
    }

    @Test
    void rowsThatAreCompressedAreNotKnown() {
        assertThat(gtid(0x08).rows().complete()).isTrue();
        event(COMPRESSED_ROWS, false, new int[12]);
        assertThat(hints.of(WRITE).rows().complete()).isFalse();
        assertThat(gtid(0x08).rows().complete()).as("of the next transaction").isTrue();
    }
}
