package io.understudy.command.prepared;

import io.netty.buffer.ByteBuf;
import io.netty.util.collection.IntCollections;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import io.understudy.plugin.ServerConnection;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Prepared statements of a session by the id that the client knows. Texts are kept up to a bound in bytes for the whole
 * session; beyond it only a statement's kind is known.
 *
 * <p>That id is the server's until {@link #moveTo} has prepared the statements on another server, which counts from 1
 * again. From then on the ids of the client's commands are replaced by {@link #serverId}, and those of the server's
 * responses by {@link #identify}.
 */
public final class PreparedStatements {
    /** Maximum size of kept texts per session, in bytes. */
    static final int TEXT_LIMIT = 1 << 20;
    /** MariaDB: "the statement prepared last", which allows preparing and executing in one round trip. */
    private static final int LAST = -1;
    /** Servers count from 1. */
    private static final int NO_STATEMENT = 0;
    /** Room for the beginning of an execution, and for the names of its query attributes. */
    private static final int ATTRIBUTES = 1024;

    private IntObjectMap<PreparedEntry> byId = IntCollections.emptyMap();
    private @Nullable PreparedEntry last;
    /** Bytes of the texts of {@link #byId}. */
    private int textBytes;
    /** Bytes kept of statements whose preparation the server has not responded to. */
    private int requestedBytes;

    private final Supplier<PreparedEntry.Preparation> present;
    private final Supplier<TextPrepared> newTexts;
    /** Null until the first PREPARE statement. */
    private @Nullable TextPrepared texts;

    /** The largest id that the client has seen. */
    private int highest;
    /** The largest number of parameters that a statement has had. */
    private int mostParameters;
    /** Number of statements whose types the present server has not seen. */
    private int typesDue;

    private boolean moved;
    private boolean schemaUnread;

    private int openCursors;
    private int pendingLongData;
    private int longDataBytes;

    /** @param present gives the settings that a statement prepared now would have */
    public PreparedStatements(Supplier<PreparedEntry.Preparation> present, Supplier<TextPrepared> newTexts) {
        this.present = present;
        this.newTexts = newTexts;
    }

    /** Returns those of PREPARE. */
    public TextPrepared texts() {
        TextPrepared all = texts == null ? newTexts.get() : texts;
        texts = all;
        return all;
    }

    /**
     * Called when a text may hold a PREPARE or DEALLOCATE beside others.
     *
     * @param text null if it is not at hand
     */
    public void textHidden(@Nullable String text) {
        if (texts != null && (text == null || text.toLowerCase(Locale.ROOT).contains("prepare"))) {
            texts.unread();
        }
    }

    /** Returns whether what the server has counted is known, see {@link TextPrepared#explains}. */
    public boolean explainsTexts(long preparations, long removals, boolean othersPossible) {
        return texts == null ? preparations + removals == 0 : texts.explains(preparations, removals, othersPossible);
    }

    /** Called when the session has gone on to another server, which has prepared the statements. */
    public void textsMoved() {
        if (texts != null) {
            texts.moved();
        }
    }

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
        if (entry.text() == null) {
            return; // what is kept of types is bounded by the texts, which have a character for each
        }
        if (entry.isPrepared()) {
            entry.learnTypes(buf, index, length, capabilities);
        } else if (roomForText(length)) {
            requestedBytes -= entry.requestedLength();
            entry.learnTypes(buf, index, length, capabilities);
            requestedBytes += entry.requestedLength();
        } else {
            entry.missedTypes();
        }
    }

    /**
     * Called, ahead of {@link #prepared}, when the server that the session has moved to has prepared the statement.
     * Returns the id that the client gets.
     */
    public int identify(PreparedEntry entry, int serverId) {
        entry.onServer(serverId);
        return ++highest;
    }

    /** Called when the server has prepared the statement. It may have been closed meanwhile. */
    public void prepared(PreparedEntry entry, int id, int parameters) {
        requestedBytes -= entry.requestedLength();
        entry.prepared(id, parameters);
        highest = Math.max(highest, id);
        mostParameters = Math.max(mostParameters, parameters);
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
            typesSeen(entry);
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
        texts = null;
        IntObjectMap<PreparedEntry> all = byId;
        byId = IntCollections.emptyMap();
        all.values().forEach(this::close);
    }

    /** Returns how many bytes of an execution contain the parameter types, whichever the statement is. */
    public int executionPrefix() {
        return ATTRIBUTES + mostParameters * 4;
    }

    /** Returns whether the client's ids are not the server's. */
    public boolean moved() {
        return moved;
    }

    /**
     * Called when the client has chosen a schema whose name cannot be read: statements may belong to different ones.
     */
    public void schemaUnread() {
        schemaUnread = true;
    }

    /** Returns the server's id for the client's. Of a statement that is not known it is one that no server has. */
    public int serverId(int id) {
        PreparedEntry entry = find(id);
        if (entry == null) {
            return NO_STATEMENT;
        }
        // The server prepares it before it reads this command, so that it is the last one there, too.
        return entry.isPrepared() ? entry.serverId() : id;
    }

    /** Returns whether executions may have to be given their types, see {@link PreparedEntry#lacksTypes}. */
    public boolean anyTypesDue() {
        return typesDue > 0;
    }

    /** Called when an execution has succeeded, or its statement is closed: the server has seen its types. */
    public void typesSeen(PreparedEntry entry) {
        if (entry.typesDue()) {
            entry.typesSeen();
            typesDue--;
        }
    }

    /**
     * Returns why the statements cannot be prepared on another server, in a word, or null if they can. The session must
     * be at a boundary.
     */
    public @Nullable String whyNotMoved() {
        if (schemaUnread && !byId.isEmpty()) {
            return "statement_settings";
        }
        return StatementMove.whyNot(byId.values(), present.get());
    }

    /**
     * Returns why the statements of PREPARE cannot be prepared on another server, for a person, or null if they can.
     */
    public @Nullable String whyTextsNotMoved() {
        if (texts == null) {
            return null;
        }
        return schemaUnread && !texts.all().isEmpty()
                ? "the schema of a statement is not known"
                : texts.whyNotMoved(present.get());
    }

    /**
     * Prepares all statements on another server, on which the session's commands go on afterwards. The session must be
     * at a boundary, and its client must send nothing meanwhile. If it fails, nothing has changed here.
     *
     * @param fresh has the session's present settings, and has them again afterwards if nothing has failed
     * @param attributes whether a COM_QUERY of the session has query attributes before its text
     * @return null, or why it has failed, in a word and what the server has said; completed on the connection's event
     *     loop, which is the session's
     */
    public CompletableFuture<@Nullable String> moveTo(ServerConnection fresh, boolean attributes) {
        String why = whyNotMoved();
        if (why == null) {
            why = whyTextsNotMoved();
        }
        if (why != null) {
            return CompletableFuture.completedFuture(why);
        }
        List<TextPrepared.Statement> named = texts == null ? List.of() : List.copyOf(texts.all());
        return new StatementMove(fresh, attributes, List.copyOf(byId.values()), named, present.get())
                .start()
                .thenApply(failure -> {
                    if (failure == null) {
                        moved = highest > 0; // else the client knows no id
                        typesDue = (int) byId.values().stream()
                                .filter(PreparedEntry::typesDue)
                                .count();
                    }
                    return failure;
                });
    }
}
