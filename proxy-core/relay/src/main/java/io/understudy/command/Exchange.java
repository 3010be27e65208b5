package io.understudy.command;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.understudy.command.prepared.InsertIdChange;
import io.understudy.command.prepared.PreparedEntry;
import io.understudy.command.response.ResponseProgress;
import io.understudy.plugin.CommandView;
import io.understudy.plugin.InjectedStatement;
import io.understudy.plugin.ResultGtid;
import io.understudy.plugin.RowWatcher;
import io.understudy.protocol.CommandCode;
import io.understudy.sql.InsertedValues;
import io.understudy.sql.LockChange;
import io.understudy.sql.Lookup;
import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;
import io.understudy.wire.Packets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One command and its response. Implements both views that observers receive, and is reused from the session's ring: a
 * command that no observer watches allocates nothing.
 */
public final class Exchange extends ResponseProgress implements CommandView {
    /**
     * Maximum number of results of one response whose GTIDs are kept: bounds the memory for a text of many statements.
     */
    static final int MAX_EARLIER_GTIDS = 4_096;

    private static final @Nullable Object[] NO_ATTACHMENTS = new Object[0];

    private final StatementBytes statement;
    private final CommitDomain commitDomain;

    private int code;
    private long number;
    private int payloadLength;
    private int nextSequence;
    /** Number of the response's first packet. */
    private int firstSequence;

    private boolean complete;
    private StatementKind kind = StatementKind.UNKNOWN;
    private @Nullable StatementSummary summary;
    private @Nullable PreparedEntry prepared;
    private long receivedNanos;
    private boolean wroteBefore;
    private @Nullable String gtid;
    private long gtidNanos;
    private List<ResultGtid> earlierGtids = List.of();

    private @Nullable InjectedStatement injected;
    private int injectedBy;
    /** How the command changes the session if it succeeds; null if it does not. */
    @Nullable
    Runnable effect;

    private @Nullable Runnable tracking;
    /** How the command changes the session's locks if it succeeds; null if it does not. */
    @Nullable
    LockChange locks;

    private boolean several;
    InsertIdChange insertIdChange = InsertIdChange.REPORTED;
    /** The values that the statement gives itself; null if they are not known. */
    @Nullable
    InsertedValues inserted;

    private @Nullable RowWatcher rowWatcher;
    private int rowWatcherSlot;

    private @Nullable Object[] attachments = NO_ATTACHMENTS;
    private int slot;

    Exchange(StatementBytes statement, CommitDomain commitDomain) {
        this.statement = statement;
        this.commitDomain = commitDomain;
    }

    /** Begins a command, in what {@link #clear} has left. */
    void begin(int commandCode, long ordinal, int length, long nanos, boolean inTransaction, boolean wrote) {
        code = commandCode;
        number = ordinal;
        payloadLength = length;
        nextSequence = 1;
        firstSequence = 1;
        complete = false;
        kind = StatementKind.UNKNOWN;
        receivedNanos = nanos;
        begunInTransaction(inTransaction);
        wroteBefore = wrote;
    }

    /** Forgets what only some commands have. Called when the exchange is taken out of the ring. */
    void clear() {
        summary = null;
        prepared = null;
        gtid = null;
        gtidNanos = 0;
        if (!earlierGtids.isEmpty()) {
            earlierGtids = List.of();
        }
        injected = null;
        effect = null;
        tracking = null;
        setLocks(null, false);
        setInsertIdChange(InsertIdChange.REPORTED, null);
        rowWatcher = null;
        Arrays.fill(attachments, null);
    }

    /** Notes the number of a packet from the client: the response continues from it. */
    void clientSent(int sequence) {
        nextSequence = sequence + 1;
        firstSequence = nextSequence;
    }

    /** Returns the number of the response's first packet. */
    public int firstSequence() {
        return firstSequence & 0xFF;
    }

    /** Makes the response due again as if nothing of it had come, with a packet of that number. */
    void restart(int sequence) {
        nextSequence = sequence;
        restart();
    }

    /**
     * Returns the number of the response's next physical packet on an uncompressed connection. Called once for each
     * packet.
     */
    public int takeSequence() {
        return nextSequence++ & 0xFF;
    }

    void setKind(StatementKind value) {
        kind = value;
    }

    void setPrepared(@Nullable PreparedEntry entry) {
        prepared = entry;
        if (entry != null) {
            kind = entry.kind();
        }
    }

    void setComplete(boolean value) {
        complete = value;
    }

    void setGtid(String text, long nanos) {
        if (gtid != null && !gtid.equals(text)) {
            if (earlierGtids.isEmpty()) {
                earlierGtids = new ArrayList<>();
            }
            if (earlierGtids.size() < MAX_EARLIER_GTIDS) {
                earlierGtids.add(new ResultGtid(gtid, gtidNanos));
            }
        }
        gtid = text;
        gtidNanos = nanos;
    }

    /** Sets how the command changes the session if it succeeds. */
    void onSuccess(Runnable whenOk) {
        effect = whenOk;
    }

    /** Sets what an OK packet changes of the session's tracking, also for that packet itself. */
    void onTracking(@Nullable Runnable whenOk) {
        tracking = whenOk;
    }

    /** Called when an OK packet of the response begins. */
    void trackingChanges() {
        Runnable change = tracking;
        if (change != null) {
            tracking = null;
            change.run();
        }
    }

    /**
     * @param change null if the command takes and releases no lock
     * @param textOfSeveral whether the text may hold several statements, of which an error ends only the rest
     */
    void setLocks(@Nullable LockChange change, boolean textOfSeveral) {
        locks = change;
        several = textOfSeveral;
    }

    /** @param values of an INSERT or REPLACE; null if they are not known */
    void setInsertIdChange(InsertIdChange change, @Nullable InsertedValues values) {
        insertIdChange = change;
        inserted = values;
    }

    @Override
    public boolean several() {
        return several;
    }

    /** Marks the exchange as that of an injected statement, whose response is not forwarded. */
    public void ownedBy(InjectedStatement injectedStatement, int observer) {
        injected = injectedStatement;
        injectedBy = observer;
    }

    /** Returns the injected statement, or null for a command of the client. */
    public @Nullable InjectedStatement injected() {
        return injected;
    }

    public int injectedBy() {
        return injectedBy;
    }

    /** Sets which observer is about to be called, so that each finds its own attachment. */
    public void setSlot(int observer) {
        slot = observer;
    }

    @Override
    public int code() {
        return code;
    }

    @Override
    public long number() {
        return number;
    }

    @Override
    public int payloadLength() {
        return payloadLength;
    }

    @Override
    public boolean isStatement() {
        return code == CommandCode.QUERY || code == CommandCode.STMT_EXECUTE || code == CommandCode.STMT_BULK_EXECUTE;
    }

    @Override
    public StatementKind kind() {
        return kind;
    }

    @Override
    public @Nullable StatementSummary summary() {
        if (summary == null) {
            if (prepared != null) {
                summary = prepared.summary();
            } else if (textAtHand()) {
                summary = statement.summary();
            }
        }
        return summary;
    }

    private boolean textAtHand() {
        return complete && statement.isOpen() && (code == CommandCode.QUERY || code == CommandCode.STMT_PREPARE);
    }

    @Override
    public @Nullable String text() {
        if (prepared != null) {
            byte[] text = prepared.text();
            return text == null ? null : new String(text, java.nio.charset.StandardCharsets.UTF_8);
        }
        return textAtHand() ? statement.text() : null;
    }

    @Override
    public @Nullable String normalizedText() {
        if (prepared != null) {
            return prepared.normalizedText();
        }
        return textAtHand() ? statement.normalizedText() : null;
    }

    @Override
    public @Nullable String transactionToken() {
        return complete && statement.isOpen() && isStatement() ? statement.token(prepared) : null;
    }

    @Override
    public @Nullable Lookup lookup() {
        return prepared == null && code == CommandCode.QUERY && textAtHand() ? statement.lookup() : null;
    }

    @Override
    public @Nullable PreparedEntry prepared() {
        return prepared;
    }

    @Override
    public boolean complete() {
        return complete;
    }

    @Override
    public @Nullable ByteBuf copyPacket(ByteBufAllocator alloc) {
        if (!complete || !statement.isOpen()) {
            throw new IllegalStateException("the packet is not at hand any more, or was not seen whole");
        }
        ByteBuf out = alloc.buffer(Packets.HEADER + payloadLength);
        int at = Packets.begin(out, 0);
        if (!statement.copyPayload(out, prepared)) {
            out.release();
            return null;
        }
        Packets.end(out, at);
        return out;
    }

    @Override
    public long receivedNanos() {
        return receivedNanos;
    }

    @Override
    public boolean wroteInTransactionBefore() {
        return wroteBefore;
    }

    @Override
    public void attach(@Nullable Object attachment) {
        if (attachments.length <= slot) {
            if (attachment == null) {
                return;
            }
            attachments = Arrays.copyOf(attachments, slot + 1);
        }
        attachments[slot] = attachment;
    }

    @Override
    public @Nullable Object attachment() {
        return attachments.length <= slot ? null : attachments[slot];
    }

    @Override
    public boolean watchRows(RowWatcher watcher) {
        if (rowWatcher != null) {
            return false;
        }
        rowWatcher = watcher;
        rowWatcherSlot = slot;
        return true;
    }

    /** Returns the watcher of the response's rows, or null. */
    public @Nullable RowWatcher rowWatcher() {
        return rowWatcher;
    }

    /** Returns the observer that began the watch. */
    public int rowWatcherSlot() {
        return rowWatcherSlot;
    }

    /** Ends the watch if that observer began it. */
    void unwatchRows(int observer) {
        if (rowWatcherSlot == observer) {
            rowWatcher = null;
        }
    }

    @Override
    public @Nullable String gtid() {
        return gtid;
    }

    @Override
    public @Nullable String omittedGtid() {
        return gtid == null ? commitDomain.omitted(number) : null;
    }

    @Override
    public long gtidNanos() {
        return gtidNanos;
    }

    @Override
    public List<ResultGtid> earlierGtids() {
        return earlierGtids;
    }
}
