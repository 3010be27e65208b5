package io.understudy.move;

import io.understudy.command.SessionModel;
import io.understudy.plugin.ServerConnection;
import io.understudy.plugin.ServerFlavor;
import io.understudy.sql.Quoting;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the old server for a session's state, in three round trips: what can be asked of every session; values of its
 * user variables and counters; user locks. Used on the session's event loop.
 *
 * <p>What cannot move is known from what the session has run, and from the server's own counters of its statements,
 * which count those inside procedures, too.
 */
public final class StateReader {
    private static final Logger log = LoggerFactory.getLogger(StateReader.class);
    /** Bytes of all statements. */
    private static final int LARGEST = 4 << 20;

    private static final int ER_TABLEACCESS_DENIED = 1142;
    /** Keys of answers whose question may be the same as another one, or is long. */
    private static final String AGAIN = "again";

    private static final String COUNTERS = "counters";
    private static final String UNKNOWN = "unknown_state";

    private final ServerConnection old;
    private final SessionModel model;
    private final Set<String> own;
    private final Consumer<Found> then;
    private final boolean attributes;

    private final Map<String, StateRows> answers = new HashMap<>();
    private int due;

    private StateReader(ServerConnection old, SessionModel model, Set<String> own, Consumer<Found> then) {
        this.old = old;
        this.model = model;
        this.own = own;
        this.then = then;
        attributes = model.hasQueryAttributes();
    }

    /**
     * Reads the state of a session that is at a boundary. Does not change the session, unless it has user locks: they
     * are released, and it can only be closed.
     *
     * @param old the session's own connection, to be used by nothing else until {@code then} is called
     * @param ownVariables names, in lower case, of the session variables that the proxy itself has set
     * @param then called once, perhaps before this returns
     */
    public static void read(ServerConnection old, SessionModel model, Set<String> ownVariables, Consumer<Found> then) {
        Found.Stays stays = stays(model);
        if (stays != null) {
            then.accept(stays);
            return;
        }
        new StateReader(old, model, ownVariables, then).askAll();
    }

    /**
     * Returns the state of a session that is at a boundary, from what it has run alone, because its server is gone. The
     * login on the new server is to have the session's schema and the collation of its login.
     */
    public static Found followed(SessionModel model) {
        return FollowedStatements.state(model);
    }

    private static Found.@Nullable Stays stays(SessionModel model) {
        if (model.settings().temporaryTables()) {
            return new Found.Stays("temporary_table", "it may have a temporary table");
        }
        String texts = model.textsNotMoved();
        if (texts != null) {
            return new Found.Stays("text_prepared", texts);
        }
        return FollowedStatements.nextTransactionKnown(model)
                ? null
                : new Found.Stays("next_transaction", "it has set the characteristics of its next transaction");
    }

    private void askAll() {
        due = 4;
        Runnable whenAll = () -> guarded(this::askMore);
        for (String question : List.of(
                StateQueries.TIME,
                StateQueries.BASICS,
                StateQueries.variables(old.flavor()),
                StateQueries.userVariables(old.flavor()))) {
            ask(question, question, whenAll);
        }
    }

    private void ask(String key, String sql, Runnable whenAll) {
        StateRows.query(old, sql, attributes, rows -> {
            answers.put(key, rows);
            if (--due == 0) {
                whenAll.run();
            }
        });
    }

    private void guarded(Runnable step) {
        try {
            step.run();
        } catch (UnknownStateException e) {
            then.accept(new Found.Closed(UNKNOWN, String.valueOf(e.getMessage())));
        } catch (RuntimeException e) {
            log.warn("a server's answer about a session's state could not be read", e);
            then.accept(new Found.Closed(UNKNOWN, "an answer could not be read; see the proxy's log"));
        }
    }

    private StateRows answer(String key, String what) {
        StateRows rows = Objects.requireNonNull(answers.get(key));
        if (rows.error() != null) {
            throw new UnknownStateException(what + ": " + rows.error());
        }
        return rows;
    }

    private void askMore() {
        Basics basics = new Basics(answer(StateQueries.BASICS, "schema, account and character sets"));
        List<String> names = userVariables();
        String limited = old.flavor() == ServerFlavor.MYSQL ? basics.limited() : null;
        due = names.size() + (limited == null ? 2 : 4);
        Runnable whenAll = () -> guarded(() -> askLast(basics, names));
        names.forEach(name -> ask(name, StateQueries.userVariable(name), whenAll));
        if (limited != null) {
            ask(Basics.NO_LIMITS, Basics.NO_LIMITS, whenAll);
        }
        ask(COUNTERS, StateQueries.counters(old.flavor()), whenAll);
        if (limited != null) {
            ask(limited, limited, whenAll);
        }
        ask(AGAIN, StateQueries.TIME, whenAll);
    }

    private void askLast(Basics basics, List<String> names) {
        Found against = Obstacles.against(answer(COUNTERS, "counters of statements"), model);
        if (against != null) {
            then.accept(against);
            return;
        }
        CarriedState state = state(basics, names);
        due = 1;
        ask(StateQueries.LOCKS, StateQueries.LOCKS, () -> guarded(() -> finish(state)));
    }

    private void finish(CarriedState state) {
        String locks =
                StateRows.text(answer(StateQueries.LOCKS, "user locks").rows().get(0)[0]);
        then.accept(
                "0".equals(locks) ? state : new Found.Closed("user_lock", "it had user locks (GET_LOCK): " + locks));
    }

    /** Returns the names of the user variables, quoted. */
    private List<String> userVariables() {
        StateRows rows = Objects.requireNonNull(answers.get(StateQueries.userVariables(old.flavor())));
        if (rows.errorCode() == ER_TABLEACCESS_DENIED && FollowedStatements.noUserVariables(model)) {
            return List.of();
        }
        List<String> names = new ArrayList<>();
        String what = "user variables (on MySQL, GRANT SELECT ON performance_schema.user_variables_by_thread)";
        for (byte @Nullable [][] row :
                answer(StateQueries.userVariables(old.flavor()), what).rows()) {
            String name = String.valueOf(StateRows.text(row[0]));
            if (!name.chars().allMatch(c -> c < 0x80)) {
                throw new UnknownStateException("user variable " + name + ", whose name is not ASCII");
            }
            names.add(Quoting.name(name));
        }
        return names;
    }

    private CarriedState state(Basics basics, List<String> names) {
        List<String> statements = new ArrayList<>(basics.first());
        for (String name : names) {
            statements.add(UserVariables.assignment(name, answer(name, "user variable " + name)));
        }
        statements.addAll(SessionVariables.assignments(
                answer(StateQueries.variables(old.flavor()), "session variables")
                        .rows(),
                own,
                model.trackingWatch()));
        String time = StateRows.text(answer(StateQueries.TIME, "time").rows().get(0)[0]);
        if (Objects.equals(time, StateRows.text(answer(AGAIN, "time").rows().get(0)[0]))) {
            statements.add("SET timestamp = " + time); // it stands still
        }
        statements.addAll(basics.last());
        FollowedStatements.addNextTransaction(model, statements);
        long bytes = statements.stream().mapToLong(String::length).sum();
        if (bytes > LARGEST) {
            throw new UnknownStateException("its state has " + bytes + " bytes");
        }
        return new CarriedState(statements, basics.currentUser(), attributes);
    }
}
