package io.understudy.plugins.binlog;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.understudy.plugin.ServerFlavor;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BinlogParserTest {
    private final List<BinlogTransaction> seen = new ArrayList<>();
    private final List<String> ends = new ArrayList<>();
    private long now = 1_000;
    private long rest;

    private BinlogStream stream(ServerFlavor flavor) {
        return new BinlogStream(
                new BinlogParser(flavor, true, seen::add),
                now,
                () -> rest,
                () -> false,
                EventBuilder.UNWANTED,
                null,
                null,
                (reason, message) -> ends.add(reason + " " + message));
    }

    private void feed(BinlogStream stream, ByteBuf... events) {
        for (ByteBuf event : events) {
            ByteBuf packet = Unpooled.buffer().writeByte(0).writeBytes(event);
            int length = packet.readableBytes();
            stream.onPacket(packet, 0, Math.min(length, stream.prefix()), length, ++now);
            stream.onPacketEnd(++now);
        }
    }

    private BinlogTransaction only() {
        assertThat(seen).hasSize(1);
        return seen.get(0);
    }

    @Nested
    class MariaDb {
        private static final int TRANSACTIONAL = 0x0c;
        private final EventBuilder server = new EventBuilder(1, true);
        private final BinlogStream stream = stream(ServerFlavor.MARIADB);

        MariaDb() {
            feed(stream, server.format("11.4.5-MariaDB-log"));
        }

        @ParameterizedTest
        @ValueSource(booleans = {true, false})
        void insertEndsWithItsXid(boolean checksums) {
            EventBuilder other = new EventBuilder(1, checksums);
            feed(stream, other.format("11.4.5-MariaDB"), other.mariaDbGtid(0, 42, TRANSACTIONAL, 0));
            feed(stream, other.event(160), other.table(18, "shop", "t"), other.rows(50));
            assertThat(seen).isEmpty();
            feed(stream, other.xid());
            BinlogTransaction insert = only();
            assertThat(insert.gtid()).isEqualTo("0-1-42");
            assertThat(insert.kind()).isEqualTo(TransactionKind.WRITE);
            assertThat(insert.group()).isEqualTo(BinlogTransaction.NO_GROUP);
            assertThat(insert.tables()).containsExactly("shop.t");
            assertThat(insert.tablesKnown()).isTrue();
            assertThat(insert.lastNanos()).isEqualTo(now);
            int crc = checksums ? 4 : 0;
            assertThat(insert.bytes()).isEqualTo(5 * (19 + crc) + 19 + 22 + 50 + 8);
        }

        /** MariaDB 12.3 cuts an event with rows into parts if it is longer than a packet may be. */
        @Test
        void rowsInPartsAreOfKnownTables() {
            feed(stream, server.mariaDbGtid(0, 42, TRANSACTIONAL, 0), server.table(18, "shop", "t"));
            feed(stream, server.part(3, 1), server.part(3, 2), server.part(3, 3), server.xid());
            assertThat(only().tables()).containsExactly("shop.t");
            assertThat(only().tablesKnown()).isTrue();
        }

        @Test
        void anEventOfAnUnknownTypeMayHoldAnything() {
            feed(stream, server.mariaDbGtid(0, 42, TRANSACTIONAL, 0), server.table(18, "shop", "t"));
            feed(stream, server.event(173), server.xid());
            assertThat(only().tablesKnown()).isFalse();
        }

        @Test
        void theConnectionIdComesFromTheGtidEventOrAStatement() {
            feed(stream, server.mariaDbGtid(1, 4_000_000_000L, false, false), server.xid());
            feed(stream, server.mariaDbGtid(2, 12, true, true), server.xid());
            feed(stream, server.mariaDbGtid(0, 3, TRANSACTIONAL, 0), server.query("INSERT 1"), server.xid());
            feed(stream, server.mariaDbGtid(0, 4, TRANSACTIONAL, 0), server.rows(8), server.xid());
            feed(stream, server.mariaDbGtid(0, 5, TRANSACTIONAL | GtidFields.GROUP_COMMIT_ID, 8), server.xid());
            assertThat(seen).extracting(BinlogTransaction::thread).containsExactly(4_000_000_000L, 12L, 7L, 0L, 0L);
        }

        @Test
        void aTransactionReadAfterARestIsNotPunctual() {
            rest = 20;
            assertThat(stream.restNanos()).isEqualTo(20);
            feed(stream, server.mariaDbGtid(0, 1, TRANSACTIONAL, 0), server.xid());
            rest = 0;
            feed(stream, server.mariaDbGtid(0, 2, TRANSACTIONAL, 0), server.xid());
            assertThat(stream.restNanos()).isZero();
            feed(stream, server.mariaDbGtid(0, 3, TRANSACTIONAL, 0), server.xid());
            assertThat(seen).extracting(BinlogTransaction::punctual).containsExactly(false, false, true);
        }

        @Test
        void groupsShareTheirCommitId() {
            feed(stream, server.mariaDbGtid(0, 1, 0x0e, 77), server.xid(), server.mariaDbGtid(3, 2, 0x0e, 77));
            feed(stream, server.xid());
            assertThat(seen).extracting(BinlogTransaction::group).containsExactly(77L, 77L);
            assertThat(seen).extracting(BinlogTransaction::domain).containsExactly(0L, 3L);
        }

        @Test
        void schemaChangeStandsAlone() {
            feed(stream, server.mariaDbGtid(10, 5, 0x29, 0), server.query("ALTER TABLE t ADD c INT"));
            assertThat(only().kind()).isEqualTo(TransactionKind.SCHEMA);
            assertThat(only().tablesKnown()).isFalse();
        }

        @Test
        void compressedSchemaChange() {
            feed(stream, server.mariaDbGtid(0, 5, 0x29, 0));
            feed(
                    stream,
                    server.event(EventType.QUERY_COMPRESSED, Unpooled.buffer().writeZero(80)));
            assertThat(only().kind()).isEqualTo(TransactionKind.SCHEMA);
        }

        @ParameterizedTest
        @ValueSource(ints = {166, 167, 168, 169, 170, 171})
        void compressedRowsPassUnread(int type) {
            feed(stream, server.mariaDbGtid(0, 5, TRANSACTIONAL, 0), server.table(1, "shop", "t"));
            feed(stream, server.event(type, Unpooled.buffer().writeZero(80)), server.xid());
            assertThat(only().tables()).containsExactly("shop.t");
        }

        @Test
        void nonTransactionalWriteEndsWithCommit() {
            feed(stream, server.mariaDbGtid(0, 5, 0x08, 0), server.table(1, "shop", "m"), server.rows(9));
            assertThat(seen).isEmpty();
            feed(stream, server.query("COMMIT"));
            assertThat(only().kind()).isEqualTo(TransactionKind.WRITE);
        }

        @Test
        void loggedStatementsAreMarked() {
            feed(
                    stream,
                    server.mariaDbGtid(0, 5, TRANSACTIONAL, 0),
                    server.event(5),
                    server.query("INSERT INTO t VALUES (1)"));
            feed(stream, server.query("SAVEPOINT a"), server.xid());
            assertThat(only().statements()).isTrue();
            assertThat(only().tablesKnown()).isFalse();
        }

        @Test
        void theStatementsOfATransactionAreKeptInTheirOrder() {
            feed(stream, server.mariaDbGtid(0, 5, TRANSACTIONAL, 0), server.query("UPDATE a SET v = 1"));
            feed(stream, server.query("SAVEPOINT s"), server.query("UPDATE b SET v = 1"), server.xid());

            LoggedStatement first = Objects.requireNonNull(only().statement());
            LoggedStatement second = Objects.requireNonNull(first.next());
            assertThat(List.of(first.text(), second.text()))
                    .containsExactly("UPDATE a SET v = 1", "UPDATE b SET v = 1");
            assertThat(second.next()).isNull();
        }

        @Test
        void ofStatementsThatAreNotReadOnlyTheirPresenceIsKnown() {
            feed(stream, server.mariaDbGtid(0, 5, TRANSACTIONAL, 0), server.query("UPDATE a SET v = 1"));
            feed(stream, server.event(EventType.EXECUTE_LOAD_QUERY), server.xid());
            LoggedStatement load = Objects.requireNonNull(
                    Objects.requireNonNull(seen.get(0).statement()).next());
            assertThat(load.whole()).isFalse();

            feed(stream, server.mariaDbGtid(0, 6, TRANSACTIONAL, 0));
            for (int i = 0; i < 100; i++) {
                feed(stream, server.query("UPDATE a SET v = 1"));
            }
            feed(stream, server.xid());
            int kept = 0;
            LoggedStatement last = load;
            for (LoggedStatement each = seen.get(1).statement(); each != null; each = each.next()) {
                last = each;
                kept++;
            }
            assertThat(kept).isEqualTo(BinlogParser.MOST_STATEMENTS + 1);
            assertThat(last.whole()).isFalse();
        }

        @Test
        void preparedAndCompletedXa() {
            feed(stream, server.mariaDbGtid(0, 5, 0x4c, 0), server.query("XA START X'71',X'',1"), server.rows(4));
            feed(stream, server.query("XA END X'71',X'',1"), server.event(EventType.XA_PREPARE));
            feed(stream, server.mariaDbGtid(0, 6, 0x8d, 0), server.query("XA COMMIT X'71',X'',1"));
            assertThat(seen)
                    .extracting(BinlogTransaction::kind)
                    .containsExactly(TransactionKind.XA_PREPARE, TransactionKind.XA_END);
        }

        @Test
        void eventsBetweenTransactionsMeanNothing() {
            feed(stream, server.event(EventType.ROTATE), server.event(EventType.START_ENCRYPTION), server.event(163));
            feed(stream, server.event(EventType.HEARTBEAT), server.xid(), server.query("COMMIT"), server.event(250));
            assertThat(seen).isEmpty();
            assertThat(ends).isEmpty();
        }

        @Test
        void aTransactionCutOffByAnotherIsNotReported() {
            feed(stream, server.mariaDbGtid(0, 5, TRANSACTIONAL, 0), server.rows(4));
            feed(stream, server.mariaDbGtid(0, 6, TRANSACTIONAL, 0), server.xid());
            assertThat(only().gtid()).isEqualTo("0-1-6");
        }

        @Test
        void tablesAreBounded() {
            feed(stream, server.mariaDbGtid(0, 5, TRANSACTIONAL, 0));
            for (int i = 0; i < 100; i++) {
                feed(stream, server.table(i, "shop", "t" + i));
            }
            feed(stream, server.xid());
            assertThat(only().tables()).hasSize(BinlogTransaction.MAX_TABLES);
            assertThat(only().tablesKnown()).isFalse();
        }

        @Test
        void tableIdsBeginAnewWithTheFile() {
            feed(stream, server.mariaDbGtid(0, 1, TRANSACTIONAL, 0), server.table(7, "shop", "old"), server.xid());
            feed(stream, server.event(EventType.ROTATE), server.format("11.4.5-MariaDB"));
            feed(stream, server.mariaDbGtid(0, 2, TRANSACTIONAL, 0), server.table(7, "shop", "new"), server.xid());
            assertThat(seen.get(1).tables()).containsExactly("shop.new");
        }

        @Test
        void endOfALargeEventIsTheArrivalOfItsLastByte() {
            feed(stream, server.mariaDbGtid(0, 1, 0x29, 0));
            ByteBuf packet = Unpooled.buffer().writeByte(0).writeBytes(server.query("CREATE TABLE big"));
            stream.onPacket(packet, 0, packet.readableBytes(), 0xFF_FFFF, 5_000);
            assertThat(seen).isEmpty();
            stream.onPacketEnd(9_000);
            assertThat(only().lastNanos()).isEqualTo(9_000);
        }

        @Test
        void garbageEndsTheStreamOnce() {
            feed(stream, Unpooled.buffer().writeZero(3), Unpooled.buffer().writeZero(3));
            assertThat(ends).hasSize(1);
            assertThat(ends.get(0)).startsWith("MALFORMED").contains("no room for its header");
        }

        @Test
        void cutOffGtidEventEndsTheStream() {
            feed(stream, server.event(EventType.MARIADB_GTID));
            assertThat(ends).hasSize(1);
        }
    }

    @Nested
    class MySql {
        private final EventBuilder server = new EventBuilder(11, true);
        private final BinlogStream stream = stream(ServerFlavor.MYSQL);

        MySql() {
            feed(stream, server.format("9.7.4-2"));
        }

        @Test
        void insert() {
            feed(stream, server.mySqlGtid(EventType.MYSQL_GTID, 28, 6), server.query("BEGIN"));
            feed(stream, server.table(1, "shop", "t"), server.rows(20));
            assertThat(seen).isEmpty();
            feed(stream, server.xid());
            assertThat(only().gtid()).isEqualTo(EventBuilder.UUID + ":28");
            assertThat(only().group()).isEqualTo(6);
            assertThat(only().tables()).containsExactly("shop.t");
        }

        @Test
        void taggedGtid() {
            feed(stream, server.taggedGtid("foo", 300, 70_000), server.query("BEGIN"), server.xid());
            assertThat(only().gtid()).isEqualTo(EventBuilder.UUID + ":foo:300");
            assertThat(only().group()).isEqualTo(70_000);
        }

        @Test
        void anonymousTransactionHasNoGtid() {
            feed(stream, server.mySqlGtid(EventType.MYSQL_ANONYMOUS_GTID, 0, 6), server.query("BEGIN"), server.xid());
            assertThat(only().gtid()).isNull();
        }

        @Test
        void compressedTransactionIsOneEvent() {
            feed(stream, server.mySqlGtid(EventType.MYSQL_GTID, 28, 6));
            feed(
                    stream,
                    server.event(
                            EventType.TRANSACTION_PAYLOAD, Unpooled.buffer().writeZero(90)));
            assertThat(only().kind()).isEqualTo(TransactionKind.WRITE);
            assertThat(only().tablesKnown()).isFalse();
        }

        @Test
        void schemaChangeAndCreateTableSelect() {
            feed(stream, server.mySqlGtid(EventType.MYSQL_GTID, 1, 0), server.query("drop table x /* generated */"));
            feed(stream, server.mySqlGtid(EventType.MYSQL_GTID, 2, 1), server.query("BEGIN"));
            feed(stream, server.query("CREATE TABLE x (id INT) START TRANSACTION"), server.rows(9), server.xid());
            assertThat(seen).hasSize(2).allMatch(t -> t.kind() == TransactionKind.SCHEMA);
        }

        @Test
        void xa() {
            feed(stream, server.mySqlGtid(EventType.MYSQL_GTID, 1, 0), server.query("XA START X'71',X'',1"));
            feed(stream, server.rows(3), server.query("XA END X'71',X'',1"));
            feed(stream, server.event(EventType.XA_PREPARE, Unpooled.buffer().writeZero(20)));
            feed(stream, server.mySqlGtid(EventType.MYSQL_GTID, 2, 0), server.query("XA COMMIT X'71',X'',1"));
            assertThat(seen)
                    .extracting(BinlogTransaction::kind)
                    .containsExactly(TransactionKind.XA_PREPARE, TransactionKind.XA_END);
        }
    }
}
