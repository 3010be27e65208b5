package io.understudy.command;

import io.netty.buffer.ByteBuf;
import io.understudy.plugin.CommandView;
import io.understudy.plugin.InjectedStatement;
import io.understudy.plugin.InjectionResult;
import io.understudy.plugin.Interest;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugin.SessionObserver;
import io.understudy.protocol.CommandCode;
import io.understudy.sql.StatementSummary;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Makes the server send the GTIDs of a session's commits: one SET ahead of the session's first statement or preparation
 * that may write, and again after a reset, or when the client has set the same variable. A session that only reads a
 * little needs none. Tracking that the client requested itself is left unchanged.
 *
 * <pre>
 *            ┌──── reset, or the client set the variable ────┐
 *            ▼                                               │
 *         WANTED ──SET is sent──▶ REQUESTED ──OK──▶ ADDED or PRESENT
 *                                     └──ERR──▶ REFUSED (until the session ends)
 * </pre>
 *
 * <p>Must be used on the session's event loop.
 */
public final class GtidTracking implements SessionObserver {
    private static final String LIST = "session_track_system_variables";
    private static final String GTIDS = "session_track_gtids";

    /**
     * Tracks the list itself, too, so that the response shows whether {@code last_gtid} was in it before; and the
     * domain, from which follows a GTID that the server leaves out. A list with the domain gets a variable in its place
     * that hardly anybody sets, so that the response shows whose the domain is.
     */
    private static final InjectedStatement MARIADB = new InjectedStatement(
            "SET SESSION"
                    + " session_track_system_variables="
                    + "IF(FIND_IN_SET('last_gtid',@@session.session_track_system_variables)"
                    + " OR @@session.session_track_system_variables='*',@@session.session_track_system_variables,"
                    + "CONCAT_WS(',',NULLIF(@@session.session_track_system_variables,''),"
                    + "'session_track_system_variables','last_gtid',"
                    + "IF(FIND_IN_SET('gtid_domain_id',@@session.session_track_system_variables),"
                    + "'gtid_seq_no','gtid_domain_id')))",
            "gtid_tracking");

    private static final InjectedStatement MYSQL =
            new InjectedStatement("SET SESSION session_track_gtids=OWN_GTID", "gtid_tracking");

    private static final String DOMAIN = "gtid_domain_id";
    /** Tracked in place of {@link #DOMAIN}. */
    private static final String MARK = "gtid_seq_no";

    private static final String SET_WORD = "(?<!\\w)set(?!\\w)";
    private static final Pattern FOR_ITSELF =
            Pattern.compile(SET_WORD + "(?:(?!" + SET_WORD + ").){0,200}?(?<!\\w)statement(?!\\w)", Pattern.DOTALL);

    private static final List<String> ADDED = List.of("last_gtid", LIST, DOMAIN);
    private static final List<String> ADDED_TO_DOMAIN = List.of("last_gtid", LIST, MARK);
    private static final List<String> ADDED_TO_LIST = List.of("last_gtid", DOMAIN);
    private static final List<String> GTID_ONLY = List.of("last_gtid", MARK);

    private enum State {
        WANTED,
        REQUESTED,
        ADDED,
        PRESENT,
        REFUSED
    }

    private static final long NONE = -1;

    /** Statements that are looked at before a SET is cheaper. */
    private static final int MOST_READS = 16;

    private final boolean mariaDb;
    private final boolean on;
    private final BooleanSupplier autocommit;
    private State state;
    private boolean listReported;
    /** Whether the client tracks the domain itself, by the last list that was reported. */
    private boolean clientTracksDomain;
    /** Number of the client's last SET STATEMENT with the domain that the server agreed to. */
    private long setForItself = NONE;
    /**
     * Whether the server reports variables that only the proxy requested; unchanged in WANTED and REQUESTED until the
     * response.
     */
    private boolean added;
    /** Whether the client's last SET of the list names {@code last_gtid}, or everything. */
    private boolean clientAsked;
    /** Whether the client's last SET of the list names the list itself. */
    private boolean clientAskedList;
    /**
     * Whether the client's last list has both {@code last_gtid} and the list itself, which the server reports at every
     * SET, also at one that changes nothing.
     */
    private boolean reportedUnchanged;
    /**
     * Number of the client's last statement that sets the variable. It would overwrite a SET injected ahead of it, so
     * the injection waits for the next statement.
     */
    private long setBy = NONE;

    private int reads;

    /** @param autocommit whether the session's autocommit is on */
    public GtidTracking(ServerFlavor flavor, BooleanSupplier autocommit) {
        this(flavor == ServerFlavor.MARIADB, true, autocommit);
    }

    private GtidTracking(boolean mariaDb, boolean on, BooleanSupplier autocommit) {
        this.mariaDb = mariaDb;
        this.on = on;
        this.autocommit = autocommit;
        state = on ? State.WANTED : State.REFUSED;
    }

    /** Returns the tracking of a session without interest in GTIDs: it injects nothing and adds no variables. */
    public static GtidTracking off() {
        return new GtidTracking(false, false, () -> false);
    }

    public boolean isOn() {
        return on;
    }

    @Override
    public int interests() {
        return on ? Interest.BOUNDARY : Interest.NONE;
    }

    /** Called ahead of preparations, too. */
    @Override
    public @Nullable InjectedStatement beforeCommand(CommandView command) {
        return onlyReads(command) ? null : take(command.number());
    }

    /** Returns whether the next statement is at a boundary, too, if it is not sent right behind this one. */
    private boolean onlyReads(CommandView command) {
        // A prepared read may leave a cursor open, and without autocommit a read begins a transaction.
        if (state != State.WANTED
                || reads == MOST_READS
                || command.code() != CommandCode.QUERY
                || !autocommit.getAsBoolean()) {
            return false;
        }
        StatementSummary summary = command.summary();
        boolean pure = summary != null && summary.pureRead();
        reads += pure ? 1 : 0;
        return pure;
    }

    /** Returns whether a statement is to be injected at the next boundary. */
    public boolean wants() {
        return state == State.WANTED;
    }

    /**
     * Returns the statement to inject now, or null.
     *
     * @param before number of the client's command that will follow it
     */
    public @Nullable InjectedStatement take(long before) {
        if (state != State.WANTED || before == setBy) {
            return null;
        }
        setBy = NONE;
        state = State.REQUESTED;
        listReported = false;
        return mariaDb ? MARIADB : MYSQL;
    }

    @Override
    public void onInjected(InjectedStatement statement, InjectionResult result) {
        if (state != State.REQUESTED) {
            return;
        }
        if (!result.ok()) {
            state = State.REFUSED;
            return;
        }
        // The server reports the list only when it changed. No report, or one at every SET, means that last_gtid was
        // already there: still by the proxy if it was, and the client's statement does not name it.
        added = !mariaDb || listReported && !reportedUnchanged || added && !clientAsked;
        state = added ? State.ADDED : State.PRESENT;
    }

    @Override
    public void onReset() {
        added = false;
        clientAsked = false;
        clientAskedList = false;
        reportedUnchanged = false;
        clientTracksDomain = false;
        if (state != State.REFUSED) {
            state = State.WANTED;
        }
    }

    @Override
    public void onMoved() {
        onReset();
    }

    /** Returns the variables that the server reports only because the proxy requested them. */
    public List<String> addedVariables() {
        if (!added || !mariaDb) {
            return List.of();
        }
        if (clientTracksDomain) {
            return clientAskedList ? GTID_ONLY : ADDED_TO_DOMAIN;
        }
        return clientAskedList ? ADDED_TO_LIST : ADDED;
    }

    /** Returns whether the server sends GTID entries only because the proxy requested them. */
    public boolean addedGtids() {
        return !mariaDb && (added || state == State.REQUESTED);
    }

    /**
     * Called when the client sends a SET statement: {@code length} bytes of the COM_QUERY payload, possibly not all.
     *
     * @param number number of the command, see {@link Exchange#number()}
     * @return what holds from the server's OK packet on; null if the statement does not concern the tracking
     */
    @Nullable
    Runnable clientSets(long number, ByteBuf buf, int index, int length) {
        return on ? sets(number, text(buf, index, length), "") : null;
    }

    /**
     * Called when the client executes a prepared SET statement.
     *
     * @param text text of the statement; null if it was not kept
     * @param buf holds {@code length} bytes of the execution's payload, possibly not all
     * @return as {@link #clientSets}
     */
    @Nullable
    Runnable clientSetsPrepared(long number, byte @Nullable [] text, ByteBuf buf, int index, int length) {
        if (!on) {
            return null;
        }
        // A text that was not kept may have set the list.
        String statement = text == null ? variable() : new String(text, StandardCharsets.ISO_8859_1);
        return sets(number, statement.toLowerCase(Locale.ROOT), text(buf, index, length));
    }

    private static String text(ByteBuf buf, int index, int length) {
        return buf.toString(index, length, StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT);
    }

    private String variable() {
        return mariaDb ? LIST : GTIDS;
    }

    /** @param parameters the execution's payload, empty for a statement sent as text */
    private @Nullable Runnable sets(long number, String statement, String parameters) {
        boolean forItself = mariaDb
                && statement.contains(DOMAIN)
                && FOR_ITSELF.matcher(statement).find();
        int at = statement.indexOf(variable());
        boolean here = at >= 0 && state != State.REFUSED;
        if (!here && !forItself) {
            return null;
        }
        if (here) {
            setBy = number;
        }
        String value = here ? statement.substring(at + variable().length()) + parameters : "";
        // Responses to what was sent before are still due, with what the session tracks until then.
        return () -> {
            if (forItself) {
                setForItself = number;
            }
            if (here) {
                isSet(value);
            }
        };
    }

    /** @param value what follows the variable's name in the statement that has set it */
    private void isSet(String value) {
        if (state == State.REFUSED) {
            return;
        }
        if (mariaDb) {
            boolean builtOnTheOld = value.contains("@" + LIST) || value.contains("." + LIST);
            boolean everything = value.contains("'*'") || value.contains("\"*\"") || value.contains("\u0001*");
            clientAsked = value.contains("last_gtid") || everything || builtOnTheOld && clientAsked;
            clientAskedList = everything
                    || builtOnTheOld && clientAskedList
                    || value.replace("@" + LIST, "").replace("." + LIST, "").contains(LIST);
            reportedUnchanged = clientAsked && (clientAskedList || builtOnTheOld);
            added &= !clientAsked || builtOnTheOld; // then what the proxy added is still in it
        }
        // Whether the client's list now has last_gtid is known only to the server; requesting it again is harmless if
        // it has.
        boolean own = !mariaDb && (value.contains("own_gtid") || value.contains("all_gtids"));
        added &= !own;
        state = own ? State.PRESENT : State.WANTED;
    }

    /** Returns whether that command sets the domain for itself alone: {@code SET STATEMENT … FOR}. */
    boolean setsForItself(long number) {
        return number == setForItself;
    }

    /** Called when the server reports which variables it tracks now. */
    void reported(String variables) {
        if (state == State.REQUESTED) {
            listReported = variables.contains("last_gtid") && !variables.equals("*");
            clientTracksDomain = variables.contains(MARK);
        }
    }
}
