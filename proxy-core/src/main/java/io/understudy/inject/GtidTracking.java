package io.understudy.inject;

import io.netty.buffer.ByteBuf;
import io.understudy.command.TrackingWatch;
import io.understudy.plugin.CommandView;
import io.understudy.plugin.InjectedStatement;
import io.understudy.plugin.InjectionResult;
import io.understudy.plugin.Interest;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugin.SessionObserver;
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
public final class GtidTracking implements SessionObserver, TrackingWatch {
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
    private static final List<String> GTID_ONLY = List.of("last_gtid");

    private enum State {
        WANTED,
        ASKED,
        OURS,
        THEIRS,
        REFUSED
    }

    private static final long NONE = -1;

    private final boolean mariaDb;
    private final boolean on;
    private State state;
    private boolean listReported;
    /** The server reports what only the proxy asked for; holds on through WANTED and ASKED until its answer says otherwise. */
    private boolean added;
    /** What the client last set names {@code last_gtid}, or everything. */
    private boolean clientAsked;
    /** What the client last set names the list itself. */
    private boolean clientAskedList;
    /** The client's statement that last set the list: ours, ahead of it, would be overwritten, so it waits for the next. */
    private long setBy = NONE;

    public GtidTracking(ServerFlavor flavor) {
        this(flavor == ServerFlavor.MARIADB, true);
    }

    private GtidTracking(boolean mariaDb, boolean on) {
        this.mariaDb = mariaDb;
        this.on = on;
        state = on ? State.WANTED : State.REFUSED;
    }

    /** Returns the tracking of a session in which nobody wants GTIDs: it never wants a statement and has added nothing. */
    public static GtidTracking off() {
        return new GtidTracking(false, false);
    }

    public boolean isOn() {
        return on;
    }

    /** Asked at a boundary alone, and only while {@link #wants}. */
    @Override
    public int interests() {
        return Interest.BOUNDARY;
    }

    @Override
    public @Nullable InjectedStatement beforeCommand(CommandView command) {
        return take(command.number());
    }

    @Override
    public @Nullable InjectedStatement beforePreparation(CommandView command) {
        return take(command.number());
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

    @Override
    public void onInjected(InjectedStatement statement, InjectionResult result) {
        if (state != State.ASKED) {
            return;
        }
        if (!result.ok()) {
            state = State.REFUSED;
            return;
        }
        // Not reported: last_gtid was in the list before. It is the proxy's own from earlier where the client's
        // statement
        // built its list out of the one that was there and did not name last_gtid itself.
        added = !mariaDb || listReported || added && !clientAsked;
        state = added ? State.OURS : State.THEIRS;
    }

    @Override
    public void onReset() {
        added = false;
        clientAsked = false;
        clientAskedList = false;
        if (state != State.REFUSED) {
            state = State.WANTED;
        }
    }

    /** Variables that the server reports because of us alone. */
    public List<String> addedVariables() {
        if (!added || !mariaDb) {
            return List.of();
        }
        return clientAskedList ? GTID_ONLY : ADDED;
    }

    /** Whether the server sends GTID entries because of us alone. */
    public boolean addedGtids() {
        return !mariaDb && (added || state == State.ASKED);
    }

    @Override
    public void clientSets(long number, ByteBuf buf, int index, int length) {
        sets(number, text(buf, index, length), "");
    }

    @Override
    public void clientSetsPrepared(long number, byte @Nullable [] text, ByteBuf buf, int index, int length) {
        // Where the text was not kept, it may have been about the list.
        String statement = text == null ? variable() : new String(text, StandardCharsets.ISO_8859_1);
        sets(number, statement.toLowerCase(Locale.ROOT), text(buf, index, length));
    }

    private static String text(ByteBuf buf, int index, int length) {
        return buf.toString(index, length, StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT);
    }

    private String variable() {
        return mariaDb ? LIST : GTIDS;
    }

    /** @param parameters the execution's payload, empty for a statement in text */
    private void sets(long number, String statement, String parameters) {
        int at = statement.indexOf(variable());
        if (at < 0 || state == State.REFUSED) {
            return;
        }
        String value = statement.substring(at + variable().length()) + parameters;
        if (mariaDb) {
            boolean builtOnTheOld = value.contains("@" + LIST) || value.contains("." + LIST);
            boolean everything = value.contains("'*'") || value.contains("\"*\"") || value.contains("\u0001*");
            clientAsked = value.contains("last_gtid") || everything || builtOnTheOld && clientAsked;
            clientAskedList = everything
                    || builtOnTheOld && clientAskedList
                    || value.replace("@" + LIST, "").replace("." + LIST, "").contains(LIST);
        }
        // Whether the client's list now has last_gtid is for the server to say: asking again changes nothing where it
        // is
        // there.
        boolean own = !mariaDb && (value.contains("own_gtid") || value.contains("all_gtids"));
        added &= !own;
        state = own ? State.THEIRS : State.WANTED;
        setBy = own ? NONE : number;
    }

    @Override
    public void reported(String variables) {
        if (state == State.ASKED) {
            listReported = variables.contains("last_gtid") && !variables.equals("*");
        }
    }
}
