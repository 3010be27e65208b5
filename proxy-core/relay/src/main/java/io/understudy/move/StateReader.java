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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
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
    /** A KILL QUERY that came late: of a statement of the client's. */
    private static final int ER_QUERY_INTERRUPTED = 1317;

    private final ServerConnection old;
    private final SessionModel model;
    private final Set<String> own;
    private final boolean attributes;
    private final Runnable answered;

    private final Map<String, StateRows> answers = new HashMap<>();
    private boolean interrupted;

    private StateReader(ServerConnection old, SessionModel model, Set<String> own, Runnable answered) {
        this.answered = answered;
        this.old = old;
        this.model = model;
        this.own = own;
        attributes = model.hasQueryAttributes();
    }

    /**
     * Reads the state of a session that is at a boundary, and that uses the connection no more: its user locks are
     * released, and limits lifted.
     *
     * @param old the session's own connection
     * @param ownVariables names, in lower case, of the session variables that the proxy itself has set
     * @param answered called with each answer
     * @return fails with a {@link NotMoved}
     */
    public static CompletableFuture<CarriedState> read(
            ServerConnection old, SessionModel model, Set<String> ownVariables, Runnable answered) {
        StateReader reader = new StateReader(old, model, ownVariables, answered);
        return CompletableFuture.completedFuture(reader)
                .thenCompose(StateReader::begin)
                .thenCompose(done -> reader.askMore())
                .thenCompose(reader::askLast)
                .exceptionally(StateReader::fail);
    }

    /**
     * Returns the state of a session that is at a boundary, from what it has run alone, because its server is gone. The
     * login on the new server is to have the session's schema and the collation of its login.
     *
     * @throws NotMoved if a part of it is not known
     */
    public static CarriedState followed(SessionModel model) {
        return FollowedStatements.state(model);
    }

    private CompletableFuture<Void> begin() {
        FollowedStatements.ensureMovable(model);
        return CompletableFuture.allOf(Stream.of(
                        StateQueries.TIME,
                        StateQueries.BASICS,
                        StateQueries.variables(old.flavor()),
                        StateQueries.userVariables(old.flavor()))
                .map(question -> ask(question, question))
                .toArray(CompletableFuture[]::new));
    }

    private CompletableFuture<StateRows> ask(String key, String sql) {
        return StateRows.query(old, sql, attributes).thenCompose(rows -> {
            if (rows.error() == null || rows.errorCode() != 0) {
                answered.run();
            }
            if (rows.errorCode() == ER_QUERY_INTERRUPTED && !interrupted) {
                interrupted = true;
                return ask(key, sql);
            }
            answers.put(key, rows);
            return CompletableFuture.completedFuture(rows);
        });
    }

    private static CarriedState fail(Throwable fault) {
        Throwable cause = fault instanceof CompletionException && fault.getCause() != null ? fault.getCause() : fault;
        if (cause instanceof NotMoved notMoved) {
            throw notMoved;
        }
        log.warn("a server's answer about a session's state could not be read", cause);
        throw NotMoved.unknownState("an answer could not be read; see the proxy's log");
    }

    private StateRows answer(String key, String what) {
        StateRows rows = Objects.requireNonNull(answers.get(key));
        if (rows.error() != null) {
            throw NotMoved.unknownState(what + ": " + rows.error());
        }
        return rows;
    }

    private CompletableFuture<CarriedState> askMore() {
        if (model.statusInDoubt() && answer(StateQueries.TIME, "time").inTransaction()) {
            throw new NotMoved("transaction", "an error has left its transaction open");
        }
        Basics basics = new Basics(answer(StateQueries.BASICS, "schema, account and character sets"));
        model.settingsModel().followed().insertId(basics.insertId());
        List<String> names = userVariables();
        List<CompletableFuture<StateRows>> asked = new ArrayList<>();
        names.forEach(name -> asked.add(ask(name, StateQueries.userVariable(name))));
        if (old.flavor() == ServerFlavor.MYSQL) {
            asked.add(ask(StateQueries.NO_LIMITS, StateQueries.NO_LIMITS));
        }
        asked.add(ask(COUNTERS, StateQueries.counters(old.flavor())));
        asked.add(ask(AGAIN, StateQueries.TIME));
        return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new)).thenApply(done -> {
            Obstacles.ensureNone(answer(COUNTERS, "counters of statements"), model);
            return carried(basics, names);
        });
    }

    private CompletableFuture<CarriedState> askLast(CarriedState carried) {
        return ask(StateQueries.LOCKS, StateQueries.LOCKS).thenApply(done -> {
            StateRows answer = answer(StateQueries.LOCKS, "user locks");
            String locks = StateRows.text(answer.rows().get(0)[0]);
            if (!"0".equals(locks)) {
                throw new NotMoved("user_lock", "it had user locks (GET_LOCK): " + locks);
            }
            return carried;
        });
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
                throw NotMoved.unknownState("user variable " + name + ", whose name is not ASCII");
            }
            names.add(Quoting.name(name));
        }
        return names;
    }

    private CarriedState carried(Basics basics, List<String> names) {
        List<String> statements = new ArrayList<>(basics.first());
        for (String name : names) {
            statements.add(UserVariables.assignment(name, answer(name, "user variable " + name)));
        }
        statements.addAll(SessionVariables.assignments(
                answer(StateQueries.variables(old.flavor()), "session variables")
                        .rows(),
                own,
                model.tracking()));
        if (basics.hasInsertId() && statements.contains("SET SESSION sql_auto_is_null = 'ON'")) {
            throw NotMoved.unknownState("under sql_auto_is_null it may ask for the last insert id by IS NULL");
        }
        String time = StateRows.text(answer(StateQueries.TIME, "time").rows().get(0)[0]);
        if (Objects.equals(time, StateRows.text(answer(AGAIN, "time").rows().get(0)[0]))) {
            statements.add("SET timestamp = " + time); // it stands still
        }
        statements.addAll(basics.last());
        FollowedStatements.addNextTransaction(model, statements);
        long bytes = statements.stream().mapToLong(String::length).sum();
        if (bytes > LARGEST) {
            throw NotMoved.unknownState("its state has " + bytes + " bytes");
        }
        return new CarriedState(statements, basics.currentUser(), attributes);
    }
}
