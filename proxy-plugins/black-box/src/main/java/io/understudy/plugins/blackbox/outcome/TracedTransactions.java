package io.understudy.plugins.blackbox.outcome;

import io.understudy.plugin.Primary;
import io.understudy.plugins.binlog.JdbcPrimaryQueries;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Finds the transactions of a connection in the traces of the log. */
public final class TracedTransactions implements LoggedTransactions.Source {
    private final Traces traces;
    private final Primary primary;
    private final LongSupplier nanoClock;
    /** One reading of both clocks: a time is the same each time that it is asked for. */
    private final Instant began;

    private final long beganNanos;

    public TracedTransactions(Traces traces, Primary primary, Clock clock, LongSupplier nanoClock) {
        this.traces = traces;
        this.primary = primary;
        this.nanoClock = nanoClock;
        began = clock.instant();
        beganNanos = nanoClock.getAsLong();
    }

    @Override
    public @Nullable LoggedTransactions of(long connection, @Nullable Instant since) {
        if (traces.isAnonymous()) {
            return null;
        }
        boolean settled = isSettled(connection); // before what is found
        List<LoggedTransactions.Entry> found = traces.of(connection).stream()
                .sorted(Comparator.comparingLong(Trace::nanos))
                .map(each ->
                        new LoggedTransactions.Entry(each.gtid(), "server_id " + each.serverId(), when(each.nanos())))
                .filter(each -> since == null || !each.when().isBefore(since))
                .toList();
        Long whole = traces.wholeSince();
        return new LoggedTransactions(found, whole == null ? null : when(whole), settled);
    }

    private Instant when(long nanos) {
        return began.plusNanos(nanos - beganNanos).truncatedTo(ChronoUnit.MICROS);
    }

    private boolean isSettled(long connection) {
        DataSource source = primary.dataSource();
        if (source == null) {
            return false;
        }
        try {
            PrimaryLook look =
                    PrimaryLook.of(source, new JdbcPrimaryQueries(source, primary::isUnreachable), nanoClock);
            Set<Long> threads = look.threads();
            return !look.readOnly()
                    && threads != null
                    && !threads.contains(connection)
                    && look.applies() == null
                    && traces.unread(look.has()).isEmpty(); // also of the server that it was on before
        } catch (SQLException e) {
            return false;
        }
    }
}
