package io.understudy.command.response;

import io.netty.buffer.ByteBuf;
import io.understudy.plugin.ResponseView;
import io.understudy.protocol.ServerStatus;
import io.understudy.wire.packet.ErrPacket;
import io.understudy.wire.packet.OkPacket;
import io.understudy.wire.packet.SessionState;
import org.jspecify.annotations.Nullable;

/** The state of one response, and the values of its deciding packets so far. Reused; not thread-safe. */
public abstract class ResponseProgress implements ResponseView {
    private final OkPacket ok = new OkPacket();

    private ResponseGrammar response = ResponseGrammars.NONE;
    private long capabilities;
    private SessionState.@Nullable Visitor sessionState;

    /** Used by the grammar: which packet comes next. */
    int phase;
    /** Used by the grammar: packets of the current run still to come. */
    long remaining;
    /** Used by the grammar: whether the rows are a procedure's OUT parameters, with an EOF behind their definitions. */
    boolean outParameters;
    /** Used by the grammar: packets of the run after the current one. */
    long following;
    /** First byte of the packet that {@link ResponseGrammar#inspect} inspects. */
    int first;

    private boolean over;
    private boolean wantsClientData;
    private boolean fileUnfinished;
    private boolean statusSeen;
    private int status;
    private long affectedRows;
    private long insertId;
    private long rows;
    private long bytes;
    private int packets;
    private int errorCode;
    private @Nullable ErrPacket error;
    private int preparedId;
    private int preparedParameters;
    private int preparedColumns;
    private int definitions;
    private boolean cursorRequested;
    private boolean cursorOpen;
    private boolean inTransactionBefore;
    private long firstByteNanos;
    private long lastByteNanos;

    /** Prepares for a new response. */
    public void expect(ResponseGrammar grammar, long agreedCapabilities, SessionState.@Nullable Visitor stateVisitor) {
        response = grammar;
        capabilities = agreedCapabilities;
        sessionState = stateVisitor;
        phase = 0;
        outParameters = false;
        remaining = 0;
        following = 0;
        over = false;
        wantsClientData = false;
        fileUnfinished = false;
        statusSeen = false;
        status = 0;
        affectedRows = 0;
        insertId = 0;
        rows = 0;
        bytes = 0;
        packets = 0;
        errorCode = 0;
        error = null;
        preparedId = -1;
        preparedParameters = 0;
        preparedColumns = 0;
        definitions = 0;
        cursorRequested = false;
        cursorOpen = false;
        firstByteNanos = 0;
        lastByteNanos = 0;
    }

    /** Prepares for the response anew: what has come of it is dropped. */
    protected final void restart() {
        expect(response, capabilities, sessionState);
    }

    /** Notes that the command requests a server-side cursor. Must be called after {@link #expect}. */
    public final void requestCursor() {
        cursorRequested = true;
    }

    /** Returns whether the command requests a server-side cursor. */
    public final boolean cursorRequested() {
        return cursorRequested;
    }

    /** Called when a packet of the response begins, see {@link ResponseGrammar#packet}. */
    public final int packet(int length, int firstByte) {
        bytes += length;
        packets++;
        first = firstByte;
        return response.packet(this, length, firstByte);
    }

    /** Returns whether the packet that comes next is the definition of a column, unless it is an error. */
    public final boolean definitionNext() {
        return packets > 0 && response.definitionNext(this);
    }

    /** Returns whether rows follow, none of which needs {@link #packet}. */
    public final boolean takesRows() {
        return response.takesRows(this);
    }

    /** Called after rows for which {@link #takesRows} allowed it, in place of {@link #packet} for each. */
    public final void rows(int count, int payload) {
        bytes += payload;
        packets += count;
        rows += count;
    }

    public final void inspect(ByteBuf buf, int index, int length) {
        response.inspect(this, buf, index, length);
    }

    public final void clientPacket(int length) {
        response.clientPacket(this, length);
    }

    /** Returns whether the response follows this grammar. */
    public final boolean follows(ResponseGrammar grammar) {
        return response == grammar;
    }

    final boolean has(long capability) {
        return (capabilities & capability) != 0;
    }

    final void end() {
        over = true;
        wantsClientData = false;
    }

    final void wantClientData(boolean wanted) {
        wantsClientData = wanted;
    }

    final void fileUnfinished(boolean unfinished) {
        fileUnfinished = unfinished;
    }

    final void countRow() {
        rows++;
    }

    final void prepared(int id, int parameters, int columns) {
        preparedId = id;
        preparedParameters = parameters;
        preparedColumns = columns;
    }

    final void definition(ByteBuf buf, int index, int length) {
        int hash = definitions;
        for (int i = index; i < index + length; i++) {
            hash = 31 * hash + buf.getByte(i);
        }
        definitions = hash;
    }

    /** Replaces the id in the response to COM_STMT_PREPARE by the one that the client gets. */
    public final void preparedAs(int id) {
        preparedId = id;
    }

    final void readOk(ByteBuf buf, int index, int length) {
        long known = length < ResponseGrammar.OK_LIMIT ? capabilities : 0;
        ok.parse(buf, index, length, known);
        affectedRows = ok.affectedRows();
        insertId = ok.insertId();
        setStatus(ok.status());
        cursorOpen = false;
        if (sessionState != null && ok.stateLength() > 0) {
            SessionState.visit(buf, ok.stateAt(), ok.stateLength(), sessionState);
        }
    }

    final void readEof(ByteBuf buf, int index, int length) {
        if (length >= ResponseGrammar.EOF_LENGTH) {
            setStatus(buf.getUnsignedShortLE(index + 3));
        }
    }

    final void readErr(ByteBuf buf, int index, int length) {
        ErrPacket err = ErrPacket.parse(buf, index, length);
        errorCode = err.code() == 0 ? 1105 : err.code();
        error = err;
    }

    private void setStatus(int bits) {
        status = bits;
        statusSeen = true;
    }

    /**
     * Called after the column definitions. Returns whether the server keeps the rows behind a cursor, judged by the
     * last status.
     *
     * <p>The bit CURSOR_EXISTS alone does not tell: a procedure's own cursors set it, too, in every status until the
     * CALL ends. A cursor is open only if the command requested one and nothing more follows: a CALL opens none, and
     * its results are always followed by its closing OK packet.
     */
    final boolean cursorGranted() {
        int decisive = ServerStatus.CURSOR_EXISTS | ServerStatus.LAST_ROW_SENT | ServerStatus.MORE_RESULTS_EXISTS;
        cursorOpen = cursorRequested && (status & decisive) == ServerStatus.CURSOR_EXISTS;
        return cursorOpen;
    }

    /** Returns whether the last byte of the current or previous packet is the last of the response. */
    public final boolean over() {
        return over;
    }

    /**
     * Returns whether the client's next packet belongs to this response: file contents, authentication data,
     * replication acknowledgements.
     */
    public final boolean wantsClientData() {
        return wantsClientData;
    }

    /** Like {@link #wantsClientData()}, for a packet with a given sequence number. */
    public final boolean wantsClientData(int sequence) {
        return wantsClientData && response.takesClientPacket(sequence);
    }

    /**
     * Returns whether the client was asked for a file and has not sent the closing empty packet, which follows even
     * after an error.
     */
    public final boolean fileUnfinished() {
        return fileUnfinished;
    }

    /** Returns whether an OK or EOF packet has reported the session's status. */
    public final boolean statusSeen() {
        return statusSeen;
    }

    @Override
    public final int status() {
        return status;
    }

    @Override
    public final long affectedRows() {
        return affectedRows;
    }

    /** Returns the last insert id in the last OK packet; 0 if there is none. */
    public final long insertId() {
        return insertId;
    }

    @Override
    public final long rows() {
        return rows;
    }

    @Override
    public final long bytes() {
        return bytes;
    }

    public final int packets() {
        return packets;
    }

    @Override
    public final int errorCode() {
        return errorCode;
    }

    public final @Nullable ErrPacket error() {
        return error;
    }

    /** Returns the id in the response to COM_STMT_PREPARE, or -1. */
    public final int preparedId() {
        return preparedId;
    }

    public final int preparedParameters() {
        return preparedParameters;
    }

    public final int preparedColumns() {
        return preparedColumns;
    }

    /**
     * Returns a hash of the definitions in the response to COM_STMT_PREPARE; 0 without the capability of MariaDB by
     * which a client keeps them, and a server sends them again only if they have changed since.
     */
    public final int definitions() {
        return definitions;
    }

    /** Returns whether a cursor was opened and has rows that have not been sent. */
    public final boolean cursorOpen() {
        return cursorOpen;
    }

    /** Sets whether the session was in a transaction when the response became due. */
    public final void begunInTransaction(boolean inTransaction) {
        inTransactionBefore = inTransaction;
    }

    public final boolean inTransactionBefore() {
        return inTransactionBefore;
    }

    /** Notes the time of a read of bytes of this response; the first one is kept. */
    public final void firstByte(long nanos) {
        if (firstByteNanos == 0) {
            firstByteNanos = nanos;
        }
    }

    public final void lastByte(long nanos) {
        lastByteNanos = nanos;
    }

    @Override
    public final boolean ok() {
        return errorCode == 0;
    }

    @Override
    public final boolean inTransaction() {
        return statusSeen ? (status & ServerStatus.IN_TRANS) != 0 : inTransactionBefore;
    }

    @Override
    public final long firstByteNanos() {
        return firstByteNanos;
    }

    @Override
    public final long lastByteNanos() {
        return lastByteNanos;
    }

    /** Null if the connection does not use session tracking. */
    @Override
    public @Nullable String gtid() {
        return null;
    }
}
