package io.understudy.command.prepared;

import io.netty.buffer.ByteBuf;
import io.netty.util.collection.IntCollections;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import org.jspecify.annotations.Nullable;

/**
 * Prepared statements of a session by the server's id. Texts are kept up to a bound in bytes for the whole session;
 * beyond it only a statement's kind is known.
 */
public final class PreparedStatements {
    /** Maximum size of kept texts per session, in bytes. */
    static final int TEXT_LIMIT = 1 << 20;
    /** MariaDB: "the statement prepared last", which allows preparing and executing in one round trip. */
    private static final int LAST = -1;

    private IntObjectMap<PreparedEntry> byId = IntCollections.emptyMap();
    private @Nullable PreparedEntry last;
    private int textBytes;
    private int openCursors;
    private int pendingLongData;
    private int longDataBytes;

    public boolean roomForText(int length) {
        return textBytes + length <= TEXT_LIMIT;
    }

    /** Called when COM_STMT_PREPARE was sent. */
    public void requested(PreparedEntry entry) {
        last = entry;
    }

    /** Called when the response to COM_STMT_PREPARE has arrived. */
    public void prepared(PreparedEntry entry, int id, int parameters) {
        entry.prepared(id, parameters);
        if (byId.isEmpty()) {
            byId = new IntObjectHashMap<>(4);
        }
        byId.put(id, entry);
        textBytes += entry.textLength();
    }

    @Nullable
    public PreparedEntry find(int id) {
        if (id == LAST) {
            return last;
        }
        return byId.get(id);
    }

    public void closed(int id) {
        PreparedEntry entry = id == LAST ? last : byId.remove(id);
        if (entry != null) {
            if (entry == last) {
                last = null;
            }
            if (id == LAST) {
                byId.remove(entry.id());
            }
            textBytes -= entry.textLength();
            setCursor(entry, false);
            clearLongData(entry);
        }
    }

    /**
     * Called when COM_STMT_SEND_LONG_DATA was sent.
     *
     * @param wanted whether its bytes are available and an observer uses them
     * @param limit maximum number of bytes kept for the whole session
     */
    public void longData(PreparedEntry entry, ByteBuf buf, int index, int length, boolean wanted, int limit) {
        LongData data = entry.collected();
        pendingLongData += data.pending() ? 0 : 1;
        longDataBytes -= data.length();
        if (wanted && longDataBytes + data.length() + length <= limit) {
            data.keep(buf, index, length);
        } else {
            data.missed();
        }
        longDataBytes += data.length();
    }

    public void clearLongData(PreparedEntry entry) {
        if (entry.longDataPending()) {
            longDataBytes -= entry.collected().length();
            entry.forgetLongData();
            pendingLongData--;
        }
    }

    public void setCursor(PreparedEntry entry, boolean open) {
        if (entry.cursorOpen() != open) {
            entry.setCursor(open);
            openCursors += open ? 1 : -1;
        }
    }

    /** Returns whether no rows remain behind a cursor and no long data wait for an execution. */
    public boolean atRest() {
        return openCursors == 0 && pendingLongData == 0;
    }

    public void clear() {
        byId = IntCollections.emptyMap();
        last = null;
        textBytes = 0;
        openCursors = 0;
        pendingLongData = 0;
        longDataBytes = 0;
    }
}
