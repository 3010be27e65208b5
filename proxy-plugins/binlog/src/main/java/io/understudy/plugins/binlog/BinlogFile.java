package io.understudy.plugins.binlog;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.understudy.plugin.ServerFlavor;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * Reads a binary log file: four magic bytes, then one event after the other. Only the beginning of a long event is
 * retained. The file of a running server may end within an event, which is no error.
 */
public final class BinlogFile {
    private static final int MAGIC = 0xfe62696e;
    /** MariaDB's documentation of the file format, "Docs/replication/binlog.md": 0x010dfefe, little-endian. */
    private static final int MAGIC_OF_INNODB = 0xfefe0d01;
    /** A format description event is read whole: its checksum algorithm is at its end. */
    private static final int LONGEST_FORMAT = 4_096;

    private static final int MOST_SHOWN = 4_096;

    private BinlogFile() {}

    /**
     * Reads all transactions of a file, with their tables.
     *
     * @param events receives each event before its transaction; of a long one the beginning
     * @param out receives each in the file's order, on this thread
     * @throws IOException if the file cannot be read, is no binary log, or is encrypted
     */
    public static void read(Path file, BinlogEvents events, Consumer<BinlogTransaction> out) throws IOException {
        try (InputStream in = new BufferedInputStream(Files.newInputStream(file), 1 << 16);
                DataInputStream data = new DataInputStream(in)) {
            int magic = data.readInt();
            if (magic == MAGIC_OF_INNODB) {
                throw new IOException(file + " is a binary log in InnoDB's format (MariaDB 12.3,"
                        + " binlog_storage_engine=innodb), which cannot be read as a file: read it from the server");
            }
            if (magic != MAGIC) {
                throw new IOException(
                        file + " does not begin like a binary log file; give files such as binlog.000001");
            }
            read(file, data, events, out);
        } catch (EOFException e) {
            throw new IOException(file + " is too short for a binary log file", e);
        }
    }

    private static void read(Path file, DataInputStream data, BinlogEvents events, Consumer<BinlogTransaction> out)
            throws IOException {
        BinlogParser parser = null;
        byte[] header = new byte[EventHeader.LENGTH];
        for (long at = 4; ; ) {
            int got = data.readNBytes(header, 0, header.length);
            if (got < header.length) {
                return;
            }
            ByteBuf head = Unpooled.wrappedBuffer(header);
            long length = EventHeader.length(head, 0);
            int type = EventHeader.type(head, 0);
            if (type == EventType.START_ENCRYPTION) {
                throw new IOException(file + " is encrypted; read it from the server, which decrypts it: report"
                        + " parallelism -c FILE");
            }
            if (length < header.length) {
                throw new IOException(file + " has an event of " + length + " bytes at offset " + at + ": damaged");
            }
            byte[] event = new byte[(int) Math.min(length, MOST_SHOWN)];
            System.arraycopy(header, 0, event, 0, header.length);
            int rest = event.length - header.length;
            try {
                data.readFully(event, header.length, rest);
                data.skipNBytes(length - event.length);
            } catch (EOFException e) {
                return;
            }
            ByteBuf buf = Unpooled.wrappedBuffer(event);
            if (parser == null) {
                if (type != EventType.FORMAT_DESCRIPTION || length > LONGEST_FORMAT) {
                    throw new IOException(file + " does not begin with a format description event");
                }
                boolean mariaDb = new String(event, StandardCharsets.ISO_8859_1).contains("MariaDB");
                parser = new BinlogParser(mariaDb ? ServerFlavor.MARIADB : ServerFlavor.MYSQL, true, out);
            }
            try {
                parser.event(buf, 0, event.length);
                if (type == EventType.FORMAT_DESCRIPTION) {
                    events.onFormat(event);
                } else if (parser.open()) {
                    events.onEvent(buf, 0, event.length, EventType.beginsTransaction(type), event.length == length);
                }
                at += length;
                parser.eventEnd(at, false);
            } catch (IndexOutOfBoundsException | IllegalStateException e) {
                throw new IOException(file + ": the event at offset " + at + " cannot be read: " + e.getMessage(), e);
            }
        }
    }
}
