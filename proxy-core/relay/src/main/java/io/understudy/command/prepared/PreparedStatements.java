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
    /** Bytes of the texts of {@link #byId}. */
    private int textBytes;
    /** Bytes kept of statements whose preparation the server has not responded to. */
    private int requestedBytes;

    private int openCursors;
    private int pendingLongData;
    private int longDataBytes;

    public boolean roomForText(int length) {
        return textBytes + requestedBytes + length <= TEXT_LIMIT;
    }

    /** Called when COM_STMT_PREPARE was sent. */
    public void requested(PreparedEntry entry) {
        last = entry;
        requestedBytes += entry.requestedLength();
    }

    /**
     * Keeps what an execution tells of its statement: parameter types.
     *
     * @param index index of the payload's first byte, the command code
     */
    public void executed(PreparedEntry entry, ByteBuf buf, int index, int length, long capabilities) {
        if (entry.isPrepared()) {
            entry.learnTypes(buf, index, length, capabilities);
        } else if (roomForText(length)) {
            requestedBytes -= entry.requestedLength();
            entry.learnTypes(buf, index, length, capabilities);
            requestedBytes += entry.requestedLength();
        }
    }

    /** Called when the server has prepared the statement. It may have been closed meanwhile. */
    public void prepared(PreparedEntry entry, int id, int parameters) {
        requestedBytes -= entry.requestedLength();
        entry.prepared(id, parameters);
        if (entry.isClosed()) {
            return;
        }
        if (byId.isEmpty()) {
            byId = new IntObjectHashMap<>(4);
        }
        byId.put(id, entry);
        textBytes += entry.textLength();
    }

    /** Called when the server has refused to prepare the statement. */
    public void refused(PreparedEntry entry) {
        requestedBytes -= entry.requestedLength();
        close(entry);
    }

    @Nullable
    public PreparedEntry find(int id) {
        if (id == LAST) {
            return last;
        }
        return byId.get(id);
    }

    public void closed(int id) {
        PreparedEntry entry = find(id);
        if (entry != null) {
            close(entry);
        }
    }

    private void close(PreparedEntry entry) {
        setCursor(entry, false);
        clearLongData(entry);
        if (entry.isPrepared() && !entry.isClosed()) {
            byId.remove(entry.id());
            textBytes -= entry.textLength();
        }
        entry.close();
        if (entry == last) {
            last = null;
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

    /** Called with each response to an execution or a fetch; the statement may have been closed meanwhile. */
    public void setCursor(PreparedEntry entry, boolean open) {
        if (entry.cursorOpen() != open && !entry.isClosed()) {
            entry.setCursor(open);
            openCursors += open ? 1 : -1;
        }
    }

    /** Returns whether no rows remain behind a cursor and no long data wait for an execution. */
    public boolean atRest() {
        return openCursors == 0 && pendingLongData == 0;
    }

    /** Closes all statements that the server has prepared. Those requested since are prepared behind the reset. */
    public void clear() {
        IntObjectMap<PreparedEntry> all = byId;
        byId = IntCollections.emptyMap();
        all.values().forEach(this::close);
    }
}
