package io.understudy.plugins.binlog;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.understudy.plugin.AccountUse;
import io.understudy.testkit.ManualExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A subscriber that needs the events' bytes. */
class BinlogEventsTest {
    private final ManualExecutor executor = new ManualExecutor();
    private final FakePrimary primary = new FakePrimary(executor);
    private final BinlogFeed feed = new BinlogFeed(primary, primary, AccountUse.NONE, executor, executor::nanos);
    private final EventBuilder server = new EventBuilder(1, true);

    private static final class Reader implements BinlogListener, BinlogEvents {
        private final List<String> calls = new ArrayList<>();

        @Override
        public void onStart(PrimaryFacts facts) {
            calls.add("start " + facts.position());
        }

        @Override
        public void onGap(BinlogTrouble trouble) {
            calls.add("gap");
        }

        @Override
        public void onFormat(byte[] event) {
            calls.add("format " + event.length);
        }

        @Override
        public void onEvent(ByteBuf buf, int index, int length, boolean first, boolean whole) {
            calls.add((first ? "first " : "") + EventHeader.type(buf, index) + " " + length + (whole ? "" : " cut"));
        }

        @Override
        public void onTransaction(BinlogTransaction transaction) {
            calls.add(String.valueOf(transaction.gtid()));
        }
    }

    private final Reader reader = new Reader();

    private void join(Reader joining) {
        feed.subscribe(new BinlogNeeds("black-box", false, 0, () -> 0, joining), joining);
        executor.advance(Duration.ofMillis(10));
    }

    private void joinForTransactions() {
        feed.subscribe(new BinlogNeeds("other", false, 0, () -> 0), transaction -> {});
        executor.advance(Duration.ofMillis(10));
    }

    private void transaction(long number) {
        primary.last().feed(server.mariaDbGtid(0, number, 0x0c, 0), server.table(7, "shop", "t"), server.xid());
    }

    @Test
    void receivesTheBytesOfTransactionsAndNothingElse() {
        join(reader);
        ByteBuf format = server.format("11.4.5-MariaDB");
        int bytes = format.readableBytes();
        primary.last().feed(server.event(EventType.ROTATE), format, server.event(EventType.HEARTBEAT));
        ByteBuf gtid = server.mariaDbGtid(0, 8, 0x0c, 0);
        ByteBuf table = server.table(7, "shop", "t");
        ByteBuf xid = server.xid();
        List<Integer> lengths = List.of(gtid.readableBytes(), table.readableBytes(), xid.readableBytes());
        primary.last().feed(gtid, table, xid, server.event(EventType.STOP));
        assertThat(reader.calls)
                .containsExactly(
                        "start 0-1-7",
                        "format " + bytes,
                        "first 162 " + lengths.get(0),
                        "19 " + lengths.get(1),
                        "16 " + lengths.get(2),
                        "0-1-8");
    }

    @Test
    void eventsAreReadWholeOnlyWhileASubscriberNeedsThem() {
        joinForTransactions();
        assertThat(primary.last().streaming().prefix()).isEqualTo(BinlogStream.PREFIX);
        Reader wanting = new Reader();
        BinlogSubscription subscription =
                feed.subscribe(new BinlogNeeds("black-box", false, 0, () -> 0, wanting), wanting);
        executor.advance(Duration.ofMillis(10));
        assertThat(primary.last().streaming().prefix()).isEqualTo(0xFF_FFFF);
        subscription.close();
        assertThat(primary.last().streaming().prefix()).isEqualTo(BinlogStream.PREFIX);
    }

    /** The reader passes on only the first packet of an event of 16 MiB and more. */
    @Test
    void marksAnIncompleteEvent() {
        join(reader);
        primary.last().feed(server.format("11.4.5-MariaDB"), server.mariaDbGtid(0, 8, 0x0c, 0));
        ByteBuf packet = server.event(30);
        packet.readerIndex(0);
        primary.last()
                .streaming()
                .onPacket(
                        io.netty.buffer.Unpooled.buffer().writeByte(0).writeBytes(packet),
                        0,
                        packet.writerIndex() + 1,
                        0xFF_FFFF,
                        executor.nanos());
        assertThat(reader.calls.get(reader.calls.size() - 1)).startsWith("30 ").endsWith(" cut");
    }

    @Test
    void beginsAtTheReportedPositionAndAfterALossWhereItEnded() {
        join(reader);
        assertThat(primary.last().said).contains("SET @slave_connect_state = '0-1-7'");
        primary.last().feed(server.format("11.4.5-MariaDB"));
        transaction(8);
        transaction(9);
        primary.last().streaming().onEnd("connection lost");
        primary.facts = primary.facts.at("0-1-30");
        executor.advance(Duration.ofSeconds(2));
        assertThat(primary.last().said).contains("SET @slave_connect_state = '0-1-9'");
        assertThat(reader.calls).endsWith("0-1-9", "gap", "start 0-1-9");
    }

    /** A crashed primary may have lost the end of its log; another may have purged the next event. */
    @Test
    void beginsAtTheCurrentPositionIfTheServerCannotContinue() {
        join(reader);
        primary.last().feed(server.format("11.4.5-MariaDB"));
        transaction(8);
        primary.last().streaming().onEnd("connection lost");
        primary.facts = primary.facts.at("0-1-30");
        executor.advance(Duration.ofSeconds(2));
        primary.last().streaming().onEnd("error 1236 (HY000) requested starting GTID is not in the binlog");
        executor.advance(Duration.ofSeconds(10));
        assertThat(primary.last().said).contains("SET @slave_connect_state = '0-1-30'");
        assertThat(reader.calls).endsWith("start 0-1-30");
    }

    @Test
    void anotherServersLogIsReadFromItsOwnPosition() {
        join(reader);
        primary.last().feed(server.format("11.4.5-MariaDB"));
        transaction(8);
        primary.last().streaming().onEnd("connection lost");
        primary.facts = new PrimaryFacts(io.understudy.plugin.ServerFlavor.MARIADB, 2, "", true, "ROW", true, "0-2-12");
        executor.advance(Duration.ofSeconds(2));
        assertThat(primary.last().said).contains("SET @slave_connect_state = '0-2-12'");
    }

    @Test
    void aStreamThatBeganInexactlyIsBegunAnew() {
        joinForTransactions();
        assertThat(primary.last().said).contains("SET @slave_connect_state = @@global.gtid_binlog_pos");
        join(reader);
        assertThat(primary.dumps).hasSize(2);
        assertThat(primary.open()).hasSize(1);
        assertThat(primary.last().said).contains("SET @slave_connect_state = '0-1-7'");
        assertThat(reader.calls).endsWith("start 0-1-7");
    }

    @Test
    void aLateSubscriberReceivesTheFormatAndThePositionReached() {
        join(reader);
        primary.last().feed(server.format("11.4.5-MariaDB"));
        transaction(8);
        Reader later = new Reader();
        join(later);
        transaction(9);
        assertThat(primary.dumps).hasSize(1);
        assertThat(later.calls.subList(0, 2))
                .satisfiesExactly(
                        start -> assertThat(start).isEqualTo("start 0-1-8"),
                        format -> assertThat(format).startsWith("format "));
        assertThat(later.calls).endsWith("0-1-9").doesNotContain("0-1-8");
    }
}
