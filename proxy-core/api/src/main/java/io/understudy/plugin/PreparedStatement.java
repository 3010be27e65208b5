package io.understudy.plugin;

import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A statement prepared in a session. The object stays the same until the statement is closed and may serve as a key.
 */
public interface PreparedStatement {
    /** Returns the server's id of the statement in this session, or -1 until the server has responded. */
    int id();

    /** Returns the kind of the statement; known even when the text was too long to keep. */
    StatementKind kind();

    /** Returns the analysis of the text, or null when the text was too long to keep. */
    @Nullable
    StatementSummary summary();

    /** Returns the text as the client sent it, or null when it was too long to keep. The array must not be modified. */
    byte @Nullable [] text();

    /** Returns the number of parameters, or -1 until the server has responded. */
    int parameters();

    /**
     * Returns the parameter types that the client sent last, two bytes each, or null before the first execution. The
     * array must not be modified.
     */
    byte @Nullable [] parameterTypes();

    /** Returns whether COM_STMT_SEND_LONG_DATA has been received since the last execution or reset. */
    boolean longDataPending();

    /**
     * Returns the client's COM_STMT_SEND_LONG_DATA packets for the next execution, back to back with their headers.
     * They are kept for reads only, up to the inspection limit in a session. Allocates.
     *
     * @return null when there are none, or not all of them were kept
     */
    byte @Nullable [] longData();

    /** Returns the session's default schema at the time of preparation: unqualified names in the text refer to it. */
    @Nullable
    String schema();

    /**
     * Returns {@link SessionSettings#known} at the time of preparation; if false, the meaning of the text is not known.
     */
    boolean settingsKnown();

    /** Returns {@link SessionSettings#characterSet} at the time of preparation. */
    @Nullable
    String characterSet();

    /** Returns {@link SessionSettings#sqlMode} at the time of preparation. */
    @Nullable
    String sqlMode();

    /**
     * Returns whether its text was prepared under the settings that are in force now. If not, it must not be read with
     * those of now: a quoted word may have been a name.
     */
    default boolean wasPreparedUnder(SessionSettings now) {
        return settingsKnown()
                && Objects.equals(characterSet(), now.characterSet())
                && Objects.equals(sqlMode(), now.sqlMode());
    }
}
