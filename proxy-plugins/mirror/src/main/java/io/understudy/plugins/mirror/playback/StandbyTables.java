package io.understudy.plugins.mirror.playback;

import io.understudy.plugins.mirror.selection.DropReason;
import io.understudy.plugins.mirror.tables.StandbyError;
import io.understudy.plugins.mirror.tables.TableDictionary;
import io.understudy.plugins.mirror.tables.TableState;
import io.understudy.plugins.mirror.tables.ViewReader;
import io.understudy.rules.ReadFitness;
import io.understudy.sql.TableName;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTransientConnectionException;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tables and views of one standby that mirrored statements name: whether each may be read. A view executes whatever
 * its definition says. When a statement first reads a name, a separate thread queries the standby's dictionary for it,
 * and the statement waits. An entry is renewed while it is used, and is not used when it is older than
 * {@link #LASTING_NANOS}. Thread-safe; only that thread blocks.
 */
final class StandbyTables {
    private static final Logger log = LoggerFactory.getLogger(StandbyTables.class);

    /** A name in use is queried again after this time. */
    static final long RENEW_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Facts that were read longer ago are not used. */
    static final long LASTING_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** An absent name is queried again after this time, and a standby whose dictionary could not be read. */
    static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Names that are known at once; statements with others are dropped until some have not been used for long. */
    static final int MAX_NAMES = 10_000;

    private static final int SHOWN = 20;

    /** Verdicts on a statement, from the best to the worst. */
    enum Verdict {
        READS,
        /** The standby is being queried. */
        WAIT,
        UNKNOWN,
        VIEW,
        ENGINE
    }

    /** Receives what the thread finds out. */
    interface Listener {
        /** Called for each statement that waited. */
        void decided(MirroredStatement statement, Verdict verdict);

        /** Called when a name that statements were allowed to read is no longer fit. */
        void turnedUnfit(TableName name, String reason);

        /** Called when the standby has refused a look-up: its connection would not see a GRANT. */
        default void refused() {}
    }

    private final TableDictionary.Source source;
    private final Executor executor;
    private final Supplier<Set<String>> functions;
    private final RecentDdl changes;
    private final LongSupplier appliedNanos;
    private final ConcurrentMap<TableName, TableState> known = new ConcurrentHashMap<>();
    private final Set<TableName> wanted = ConcurrentHashMap.newKeySet();
    private final Deque<MirroredStatement> waiting = new ConcurrentLinkedDeque<>();
    private final AtomicInteger waitingCount = new AtomicInteger();
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private final Listener listener;
    /** What names are dropped for that the last query has not read because it failed; null if it did not. */
    private volatile @Nullable DropReason unread;

    /** When a standby whose last query failed may be queried again. */
    private volatile long retryNanos;

    private volatile @Nullable String problem;

    /**
     * @param functions names of stored functions that only read
     * @param changes seen by sessions
     * @param appliedNanos time after which a standby that is mirrored to has applied a change
     */
    StandbyTables(
            TableDictionary.Source source,
            Executor executor,
            Supplier<Set<String>> functions,
            RecentDdl changes,
            LongSupplier appliedNanos,
            Listener listener) {
        this.source = source;
        this.executor = executor;
        this.functions = functions;
        this.changes = changes;
        this.appliedNanos = appliedNanos;
        this.listener = listener;
    }

    /** Returns the verdict on a statement that reads these tables, and queries the standby where it has to. */
    Verdict verdict(List<TableName> tables) {
        Verdict worst = Verdict.READS;
        if (tables.isEmpty()) {
            return worst;
        }
        long now = System.nanoTime();
        for (int i = 0; i < tables.size(); i++) {
            Verdict one = verdict(tables.get(i), now);
            if (one.compareTo(worst) > 0) {
                worst = one;
            }
        }
        return worst;
    }

    private Verdict verdict(TableName table, long now) {
        if (table.schema() == null) {
            return Verdict.UNKNOWN;
        }
        if (ReadFitness.isVirtual(table.schema())) {
            return Verdict.READS;
        }
        TableState state = known.get(table);
        if (!changes.isEmpty()) {
            Long changed = lastChange(table, state);
            if (changed != null) {
                long applied = changed + appliedNanos.getAsLong();
                if (now - applied < 0) {
                    return Verdict.UNKNOWN;
                }
                if (state != null && state.queriedNanos() - applied < 0) {
                    state = null;
                }
            }
        }
        long age = state == null ? 0 : now - state.queriedNanos();
        if (state == null || age > LASTING_NANOS) {
            return request(table, now) ? Verdict.WAIT : Verdict.UNKNOWN;
        }
        if (state.kind() == TableState.Kind.ABSENT) {
            return age > RETRY_NANOS && request(table, now) ? Verdict.WAIT : Verdict.UNKNOWN;
        }
        if (age > RENEW_NANOS) {
            request(table, now);
        }
        return switch (state.kind()) {
            case READS -> Verdict.READS;
            case VIEW -> Verdict.VIEW;
            case ENGINE -> Verdict.ENGINE;
            case ABSENT -> Verdict.UNKNOWN;
        };
    }

    private @Nullable Long lastChange(TableName table, @Nullable TableState state) {
        Long last = changes.last(table);
        if (state != null) {
            for (TableName name : state.names()) {
                Long one = changes.last(name);
                if (one != null && (last == null || one - last > 0)) {
                    last = one;
                }
            }
        }
        return last;
    }

    private boolean request(TableName table, long now) {
        if (unread != null && now - retryNanos < 0) {
            return false;
        }
        if (known.size() + wanted.size() >= MAX_NAMES && !known.containsKey(table)) {
            return false;
        }
        if (wanted.add(table)) {
            schedule();
        }
        return true;
    }

    private void schedule() {
        if (scheduled.compareAndSet(false, true)) {
            executor.execute(this::run);
        }
    }

    /** Keeps a statement, which must be retained, until its names are known. */
    void await(MirroredStatement statement) {
        waitingCount.incrementAndGet();
        waiting.add(statement);
        schedule();
    }

    /** Returns whether statements wait. */
    boolean holdsStatements() {
        return waitingCount.get() > 0;
    }

    /** Removes and returns a statement that waits, or null. */
    @Nullable
    MirroredStatement poll() {
        MirroredStatement statement = waiting.poll();
        if (statement != null) {
            waitingCount.decrementAndGet();
        }
        return statement;
    }

    private void run() {
        scheduled.set(false);
        List<TableName> names = new ArrayList<>(wanted);
        if (!names.isEmpty()) {
            try (TableDictionary dictionary = source.open()) {
                ViewReader reader = new ViewReader(dictionary, functions.get());
                boolean refused = false;
                for (TableName name : names) {
                    TableState state = reader.read(name);
                    learn(name, state);
                    wanted.remove(name);
                    refused |= state.error() != null && state.error().lacksPrivilege();
                }
                if (refused) {
                    listener.refused();
                }
                problem = null;
                unread = null;
            } catch (SQLException | RuntimeException e) {
                problem = String.valueOf(e.getMessage());
                retryNanos = System.nanoTime() + RETRY_NANOS;
                unread = isConnection(e) ? DropReason.STANDBY_DOWN : DropReason.DICTIONARY_UNREAD;
                names.forEach(wanted::remove);
            }
        }
        release();
    }

    private static boolean isConnection(Exception e) {
        return e instanceof SQLTransientConnectionException
                || e instanceof SQLNonTransientConnectionException
                || e instanceof SQLException sql
                        && sql.getSQLState() != null
                        && sql.getSQLState().startsWith("08");
    }

    private void learn(TableName name, TableState state) {
        TableState before = known.put(name, state);
        String reason = state.reason();
        if (reason != null && before != null && before.kind() == TableState.Kind.READS) {
            listener.turnedUnfit(name, reason);
        }
    }

    /**
     * Decides about the statements that wait, in their order. One that came during the last query may have to wait for
     * the next, and those behind it wait with it.
     */
    private void release() {
        MirroredStatement statement = waiting.poll();
        while (statement != null) {
            Verdict verdict = verdict(statement.tables());
            if (verdict == Verdict.WAIT) {
                waiting.addFirst(statement);
                schedule();
                return;
            }
            decided(statement, verdict);
            statement = waiting.poll();
        }
    }

    /** Counts the statement as waiting until it is in the mirror's queue: its session's next one must not overtake. */
    private void decided(MirroredStatement statement, Verdict verdict) {
        try {
            listener.decided(statement, verdict);
        } catch (RuntimeException e) {
            log.error("a mirrored statement was lost by an error of the proxy's own", e);
        } finally {
            waitingCount.decrementAndGet();
        }
    }

    /** Forgets everything: the standby was not reachable, and another server may come back under its address. */
    void forget() {
        known.clear();
    }

    /** Forgets what is too old to be used, if there is no room for new names. */
    void makeRoom() {
        if (known.size() >= MAX_NAMES) {
            long now = System.nanoTime();
            known.values().removeIf(state -> now - state.queriedNanos() > LASTING_NANOS);
        }
    }

    /** Returns the standby's error for the first absent name among {@code tables}, or null. */
    @Nullable
    StandbyError errorOf(List<TableName> tables) {
        for (TableName table : tables) {
            TableState state = known.get(table);
            if (state != null && state.error() != null) {
                return state.error();
            }
        }
        return null;
    }

    /**
     * Returns why a statement must not be sent, or null.
     *
     * @param errors receives why a name cannot be read
     */
    @Nullable
    DropReason refusal(MirroredStatement statement, Verdict verdict, StandbyErrors errors) {
        if (verdict != Verdict.UNKNOWN) {
            return verdict == Verdict.VIEW ? DropReason.VIEW : verdict == Verdict.ENGINE ? DropReason.ENGINE : null;
        }
        StandbyError error = errorOf(statement.tables());
        if (error != null) {
            errors.failed(statement.rule().name(), statement.digest(), error);
        }
        return reason(statement.tables());
    }

    /**
     * Returns why a statement with {@link Verdict#UNKNOWN} is not sent: its names are not there, the account must not
     * read them, or they could not be looked up because the standby is down or refuses to tell.
     */
    DropReason reason(List<TableName> names) {
        DropReason last = unread;
        if (last != null) {
            long now = System.nanoTime();
            for (TableName name : names) {
                TableState state = known.get(name);
                if (name.schema() != null
                        && !ReadFitness.isVirtual(name.schema())
                        && (state == null || now - state.queriedNanos() > LASTING_NANOS)) {
                    return last;
                }
            }
        }
        StandbyError error = errorOf(names);
        return error != null && error.lacksPrivilege() ? DropReason.NOT_GRANTED : DropReason.TABLE_UNKNOWN;
    }

    /** Returns the names that are not mirrored, and those that are not there, for the admin endpoint. */
    Map<String, Object> view() {
        List<Map<String, Object>> views = new ArrayList<>();
        List<Map<String, Object>> engines = new ArrayList<>();
        List<String> absent = new ArrayList<>();
        known.forEach((name, state) -> {
            String reason = state.reason();
            if (state.kind() == TableState.Kind.ENGINE && engines.size() < SHOWN) {
                engines.add(row("table", name, reason));
            } else if (state.kind() == TableState.Kind.VIEW && views.size() < SHOWN) {
                views.add(row("view", name, reason));
            } else if (state.kind() == TableState.Kind.ABSENT && absent.size() < SHOWN) {
                absent.add(name.toString());
            }
        });
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("known", known.size());
        view.put("viewsNotMirrored", views);
        view.put("enginesNotMirrored", engines);
        view.put("notFound", absent);
        if (problem != null) {
            view.put("problem", problem);
        }
        return view;
    }

    private static Map<String, Object> row(String kind, TableName name, @Nullable String reason) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put(kind, name.toString());
        row.put("reason", reason);
        return row;
    }
}
