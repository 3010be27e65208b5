package io.understudy.plugins.binlog;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.understudy.plugin.ServerFlavor;
import io.understudy.protocol.CommandCode;
import io.understudy.servers.GtidNumbers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The commands of a dump connection. The start position is the server's current one (on MariaDB taken by the server
 * itself, on MySQL as just read), or where an earlier stream ended. Unless semi-synchronous replication is announced,
 * the server never waits for this connection.
 */
final class DumpCommands {
    /** The position follows as a GTID set. */
    private static final int BINLOG_THROUGH_GTID = 0x04;

    /** MariaDB: send the texts of statements with rows (BINLOG_SEND_ANNOTATE_ROWS_EVENT). */
    private static final int ANNOTATIONS = 0x02;

    private static final int FIRST_POSITION = 4;
    private static final int SEMI_SYNC_MARK = 0xEF;

    private DumpCommands() {}

    /**
     * @param position MariaDB's, to begin exactly there; null for the server's position when it executes the statement
     */
    static List<String> preparation(ServerFlavor flavor, Duration heartbeat, @Nullable String position) {
        // Both names: the server's version decides which one it reads, and the other is an ordinary user variable.
        String period = "SET @master_heartbeat_period = " + heartbeat.toNanos() + ", @source_heartbeat_period = "
                + heartbeat.toNanos();
        String checksum = "SET @master_binlog_checksum = @@global.binlog_checksum,"
                + " @source_binlog_checksum = @@global.binlog_checksum";
        return flavor == ServerFlavor.MARIADB
                ? List.of(
                        checksum,
                        period,
                        "SET @mariadb_slave_capability = 4",
                        "SET @slave_connect_state = "
                                + (position == null ? "@@global.gtid_binlog_pos" : "'" + position + "'"))
                : List.of(checksum, period);
    }

    /**
     * Makes the connection one of a semi-synchronous replica. Both names, for the same reason as above; MySQL 9 reads
     * either.
     */
    static final String SEMI_SYNC = "SET @rpl_semi_sync_slave = 1, @rpl_semi_sync_replica = 1";

    /** A COM_REGISTER_SLAVE, by which the server lists the connection among its replicas. */
    static ByteBuf register(ByteBufAllocator alloc, long serverId) {
        byte[] name = "understudy".getBytes(StandardCharsets.US_ASCII);
        ByteBuf out = begin(alloc, CommandCode.REGISTER_SLAVE);
        out.writeIntLE((int) serverId).writeByte(name.length).writeBytes(name);
        out.writeByte(0).writeByte(0); // neither user nor password
        out.writeShortLE(0).writeIntLE(0).writeIntLE(0); // port, rank, the source's id
        return end(out);
    }

    /** The acknowledgement of a semi-synchronous replica: 0xEF, the position, the file's name; always packet 0. */
    static ByteBuf acknowledgement(ByteBufAllocator alloc, BinlogEnd upTo) {
        ByteBuf out = begin(alloc, SEMI_SYNC_MARK);
        out.writeLongLE(upTo.position());
        out.writeCharSequence(upTo.file(), StandardCharsets.UTF_8);
        return end(out);
    }

    static ByteBuf query(ByteBufAllocator alloc, String sql) {
        ByteBuf out = begin(alloc, CommandCode.QUERY);
        out.writeCharSequence(sql, StandardCharsets.UTF_8);
        return end(out);
    }

    /**
     * @param position MySQL's executed GTIDs; ignored for MariaDB, which takes its position from a variable
     * @param texts whether MariaDB sends the texts of statements of which it logs rows
     */
    static ByteBuf dump(ByteBufAllocator alloc, ServerFlavor flavor, long serverId, String position, boolean texts) {
        if (flavor == ServerFlavor.MARIADB) {
            ByteBuf out = begin(alloc, CommandCode.BINLOG_DUMP);
            out.writeIntLE(FIRST_POSITION).writeShortLE(texts ? ANNOTATIONS : 0).writeIntLE((int) serverId);
            return end(out);
        }
        ByteBuf set = alloc.buffer();
        try {
            MySqlGtidSet.encode(GtidNumbers.ofMySql(position), set);
            ByteBuf out = begin(alloc, CommandCode.BINLOG_DUMP_GTID);
            out.writeShortLE(BINLOG_THROUGH_GTID).writeIntLE((int) serverId);
            out.writeIntLE(0); // no file name
            out.writeLongLE(FIRST_POSITION);
            out.writeIntLE(set.readableBytes()).writeBytes(set);
            return end(out);
        } finally {
            set.release();
        }
    }

    private static ByteBuf begin(ByteBufAllocator alloc, int code) {
        ByteBuf out = alloc.buffer();
        return out.writeMediumLE(0).writeByte(0).writeByte(code);
    }

    private static ByteBuf end(ByteBuf out) {
        return out.setMediumLE(out.readerIndex(), out.readableBytes() - 4);
    }
}
