package io.understudy.unplanned;

import io.understudy.plugins.binlog.EventType;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * Puts a transaction's row events into BINLOG statements, with the table maps that they need. A statement of many rows
 * is divided, as one BINLOG statement must fit into a packet: each part ends the statement.
 */
final class RowStatements {
    /** Bytes of events in one BINLOG statement, where none is longer. */
    private static final int CHUNK = 1 << 20;

    /** Offset of a row event's flags: behind the table id. */
    private static final int FLAGS_AT = RawEvent.HEADER + 6;

    private static final int STATEMENT_END = 1;

    private final List<String> out;
    private final boolean checksum;
    private final List<RawEvent> maps = new ArrayList<>();
    private final List<RawEvent> rows = new ArrayList<>();
    private int bytes;

    /** @param checksum whether the format has one */
    RowStatements(List<String> out, boolean checksum) {
        this.out = out;
        this.checksum = checksum;
    }

    void add(RawEvent event) throws NotApplicable {
        if (event.type() == EventType.PARTIAL_ROWS) {
            throw new NotApplicable("logged with a row that is too long for one event");
        }
        if (event.type() == EventType.TABLE_MAP) {
            maps.add(event);
            return;
        }
        if (!rows.isEmpty() && bytes + event.bytes().length > CHUNK) {
            end();
        }
        rows.add(event);
        bytes += event.bytes().length;
        if ((event.bytes()[FLAGS_AT] & STATEMENT_END) != 0) {
            end();
            maps.clear();
        }
    }

    private void end() {
        rows.get(rows.size() - 1).bytes()[FLAGS_AT] |= STATEMENT_END;
        List<RawEvent> all = new ArrayList<>(maps);
        all.addAll(rows);
        out.add(binlog(all, checksum));
        rows.clear();
        bytes = 0;
    }

    static String binlog(List<RawEvent> events, boolean checksum) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        events.forEach(each -> all.writeBytes(each.whole(checksum)));
        return "BINLOG '" + Base64.getEncoder().encodeToString(all.toByteArray()) + "'";
    }
}
