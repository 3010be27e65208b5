package io.understudy.rebuild;

import io.understudy.rebuild.Bounds.Load;
import io.understudy.rebuild.TableRebuild.ConnectionLostException;
import io.understudy.rebuild.TableRebuild.NotRebuiltException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Watches statements that another connection of the standby executes on one table, and ends them when a bound is
 * exceeded. Used for one run.
 */
final class Watch {
    private static final long FIRST_MILLIS = 20;
    private static final long LOCK_MILLIS = 50;
    private static final long MILLIS = 200;
    private static final int MOST_LOCK_WAITS = 3;
    /** Probes in a row that found the statement at work, after which it has begun whatever its state is called. */
    private static final int WORKING = 3;
    /**
     * Probes in a row, {@link #MILLIS} apart, that found the connection idle although no response has arrived. Counted
     * rather than timed: this process may have been stopped in between.
     */
    private static final int MOST_IDLE = 15;

    private final DefragmentationRun run;
    private final StandbyQueries standby;
    private final long connection;
    private final TableRebuild rebuild;
    private final Subject subject;
    private String ended = "";
    private boolean begun;
    private boolean held;
    private int lockWaits;
    private int working;
    private int idle;
    private long mostLag;

    Watch(DefragmentationRun run, TableRebuild rebuild) {
        this.run = run;
        this.standby = run.standby();
        this.connection = run.worker().id();
        this.rebuild = rebuild;
        this.subject = rebuild.subject();
    }

    long mostLag() {
        return mostLag;
    }

    /**
     * Watches until the statements are over, and returns their result.
     *
     * @throws NotRebuiltException if they ended early or failed
     * @throws ConnectionLostException if their connection is lost; the server then executes nothing of it any more, or
     *     the message says what to do
     */
    <T> T until(CompletableFuture<T> result) throws SQLException, InterruptedException, NotRebuiltException {
        for (long millis = FIRST_MILLIS; ; millis = begun || idle > 0 ? MILLIS : LOCK_MILLIS) {
            try {
                return result.get(millis, TimeUnit.MILLISECONDS);
            } catch (TimeoutException running) {
                probe();
                if (idle > MOST_IDLE && !result.isDone()) {
                    throw lost(new SQLNonTransientConnectionException(
                            "the server has executed its statement, and no response arrives", "08S01"));
                }
            } catch (ExecutionException e) {
                if (e.getCause() instanceof SQLException failure && isLost(failure)) {
                    throw lost(failure);
                }
                throw TableRebuild.failure(e.getCause(), ended, held);
            }
        }
    }

    private void probe() throws SQLException {
        Load load = standby.load();
        mostLag = Math.max(mostLag, load.lagSeconds());
        StandbyQueries.Activity activity = standby.activity(connection);
        follow(activity);
        if (ended.isEmpty()) {
            ended = run.stopped() ? "it was stopped" : run.options().bounds().alarm(load);
        }
        // At its end the rebuild waits for a lock and commits, and the applier's statement waits for a moment only.
        if (ended.isEmpty() && begun && !activity.waitsForLock() && !activity.commits()) {
            String statement = standby.ddlBehind(subject);
            ended = statement.isEmpty() ? "" : TableRebuild.yields(statement);
        }
        if (held || !ended.isEmpty()) {
            // Repeated each time: a KILL QUERY that arrives before the statement does has no effect.
            standby.kill("QUERY", connection);
        } else {
            run.journal().progress(subject.shown(), begun ? rebuild.copied() : 0, subject.fileBytes(), load);
        }
    }

    /**
     * Counts what was seen in a row. The applier waits behind a rebuild that waits. With parallel replication each may
     * wait for the other: a worker that has written to the table and one that is to commit before it. So a wait before
     * the statement has begun is ended soon.
     */
    private void follow(StandbyQueries.Activity activity) {
        idle = activity.idle() ? idle + 1 : 0;
        lockWaits = activity.waitsForLock() ? lockWaits + 1 : 0;
        working = activity.works() ? working + 1 : 0;
        begun |= activity.alters() || working >= WORKING;
        held |= !begun && lockWaits >= MOST_LOCK_WAITS;
    }

    private static boolean isLost(SQLException failure) {
        String state = failure.getSQLState();
        return state != null && state.startsWith("08");
    }

    /** Ends what the server still executes for the lost connection: it does not notice the loss, and nobody waits. */
    private ConnectionLostException lost(SQLException why) throws SQLException, InterruptedException {
        run.journal()
                .line(subject.shown()
                        + ": the connection that rebuilds it is lost; ending its statement on the server");
        boolean over = standby.end(connection);
        return new ConnectionLostException(
                "the connection that rebuilds it was lost (" + why.getMessage() + "); its statement "
                        + (over
                                ? "does not run on the server any more; report pages says whether the table was rebuilt"
                                : "is killed and still runs on the server, as connection " + connection),
                why);
    }
}
