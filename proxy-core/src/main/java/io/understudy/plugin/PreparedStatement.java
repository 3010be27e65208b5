package io.understudy.plugin;

import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;
import org.jspecify.annotations.Nullable;

/** A statement prepared in a session. The object stays the same for its life and may serve as a key. */
public interface PreparedStatement {
    /** The server's id of it in this session; -1 until the server has answered. */
    int id();

    StatementKind kind();

    /** Analysis of the text; null when the text was too long to keep. */
    @Nullable
    StatementSummary summary();

    /** The text as the client sent it; null when it was too long to keep. Not to be modified. */
    byte @Nullable [] text();

    /** Number of parameters; -1 until the server has answered. */
    int parameters();

    /** Parameter types as last sent by the client, two bytes each; null before the first execution. Not to be modified. */
    byte @Nullable [] parameterTypes();

    /** COM_STMT_SEND_LONG_DATA has been received since the last execution or reset. */
    boolean longDataPending();

    /**
     * The client's COM_STMT_SEND_LONG_DATA packets for the next execution, back to back with their headers; null when there are
     * none, or not all could be kept: they are for reads only, up to the inspection limit in a session. Allocates.
     */
    byte @Nullable [] longData();

    /** Default schema of the session when the statement was prepared: it is what names in the text mean. */
    @Nullable
    String schema();

    /** {@link SessionSettings#known} when the statement was prepared: if not, nobody knows what its text means. */
    boolean settingsKnown();

    /** {@link SessionSettings#characterSet} when the statement was prepared. */
    @Nullable
    String characterSet();

    /** {@link SessionSettings#sqlMode} when the statement was prepared. */
    @Nullable
    String sqlMode();
}
