package io.understudy.inject;

import io.netty.buffer.ByteBuf;
import io.understudy.command.TrackingWatch;
import io.understudy.plugin.InjectedStatement;
import io.understudy.plugin.InjectionResult;
import io.understudy.plugin.ServerFlavor;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Has the server send the GTIDs of a session's commits: one SET ahead of the session's first statement or preparation, and again after a
 * reset, or when the client has set the same variable. What the client asked for itself stays its own.
 *
 * <pre>
 *            ┌── reset, or the client set the variable ──┐
 *            ▼                                           │
 *         WANTED ──SET goes out──▶ ASKED ──OK──▶ OURS or THEIRS
 *                                    └──ERR──▶ REFUSED (until the session ends)
 * </pre>
 *
 * On the session's event loop.
 */
public final class GtidTracking implements TrackingWatch {
    private static final String LIST = "session_track_system_variables";
    private static final String GTIDS = "session_track_gtids";

    /** Tracks the list itself too, so that the answer tells whether {@code last_gtid} was in it before. */
    private static final InjectedStatement MARIADB = new InjectedStatement(
            "SET SESSION session_track_system_variables=IF(FIND_IN_SET('last_gtid',@@session.session_track_system_variables)"
                    + " OR @@session.session_track_system_variables='*',@@session.session_track_system_variables,"
                    + "CONCAT_WS(',',NULLIF(@@session.session_track_system_variables,''),"
                    + "'session_track_system_variables','last_gtid'))",
            "gtid_tracking");

    private static final InjectedStatement MYSQL =
            new InjectedStatement("SET SESSION session_track_gtids=OWN_GTID", "gtid_tracking");

    private static final List<String> ADDED = List.of("last_gtid", LIST);

    private enum State {
        WANTED,
        ASKED,
        OURS,
        THEIRS,
        REFUSED
    }

    private static final long NONE = -1;

    private final boolean mariaDb;
    private State state = State.WANTED;
    private boolean listReported;
    /** The client's statement that last set the list: ours, ahead of it, would be overwritten, so it waits for the next. */
    private long setBy = NONE;

    public GtidTracking(ServerFlavor flavor) {
        mariaDb = flavor == ServerFlavor.MARIADB;
    }

    /** A statement is to go out at the next boundary. */
    public boolean wants() {
        return state == State.WANTED;
    }

    /**
     * The statement, to be sent now; null when there is none to send.
     *
     * @param before number of the client's command that will follow it
     */
    public @Nullable InjectedStatement take(long before) {
        if (state != State.WANTED || before == setBy) {
            return null;
        }
        setBy = NONE;
        state = State.ASKED;
        listReported = false;
        return mariaDb ? MARIADB : MYSQL;
    }

    /** The answer to what {@link #take} gave. */
    public void done(InjectionResult result) {
        if (state == State.ASKED) {
            if (!result.ok()) {
                state = State.REFUSED;
            } else {
                state = !mariaDb || listReported ? State.OURS : State.THEIRS;
            }
        }
    }

    /** COM_RESET_CONNECTION or COM_CHANGE_USER has put all variables back. */
    public void reset() {
        if (state != State.REFUSED) {
            state = State.WANTED;
        }
    }

    /** Variables that the server reports because of us alone. */
    public List<String> addedVariables() {
        return state == State.OURS && mariaDb ? ADDED : List.of();
    }

    /** Whether the server sends GTID entries because of us alone. */
    public boolean addedGtids() {
        return !mariaDb && (state == State.OURS || state == State.ASKED);
    }

    @Override
    public void clientSets(long number, ByteBuf buf, int index, int length) {
        String text = buf.toString(index, length, StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT);
        int at = text.indexOf(mariaDb ? LIST : GTIDS);
        if (at < 0 || state == State.REFUSED) {
            return;
        }
        // Whether the client's list now has last_gtid is for the server to say: drivers send expressions that name it
        // either
        // way, and asking again changes nothing where it is there.
        String value = text.substring(at + (mariaDb ? LIST : GTIDS).length());
        boolean own = !mariaDb && (value.contains("own_gtid") || value.contains("all_gtids"));
        state = own ? State.THEIRS : State.WANTED;
        setBy = own ? NONE : number;
    }

    @Override
    public void clientSetsPrepared() {
        if (state == State.OURS) {
            state = State.WANTED;
        }
    }

    @Override
    public void reported(String variables) {
        if (state == State.ASKED) {
            listReported = variables.contains("last_gtid") && !variables.equals("*");
        }
    }
}
