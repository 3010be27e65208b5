package io.understudy.plugins.blackbox.outcome;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Finds the transactions of a connection in the traces of the log. */
public final class TracedTransactions implements LoggedTransactions.Source {
    private final Traces traces;
    private final OutcomeFinder.Looks looks;
    private final PrimaryOrder order;
    private final LongSupplier nanoClock;
    /** One reading of both clocks: a time is the same each time that it is asked for. */
    private final Instant began;

    private final long beganNanos;

    public TracedTransactions(
            Traces traces, OutcomeFinder.Looks looks, PrimaryOrder order, Instant began, LongSupplier nanoClock) {
        this.traces = traces;
        this.looks = looks;
        this.began = began;
        this.order = order;
        this.nanoClock = nanoClock;
        beganNanos = nanoClock.getAsLong();
    }

    @Override
    public LoggedTransactions of(long connection, @Nullable Instant since) {
        PrimaryLook look = OutcomeFinder.tried(looks); // before what is found
        List<Trace> found = traces.all(each -> each.thread() == connection).stream()
                .filter(each -> since == null || !when(each.nanos()).isBefore(since))
                .toList();
        Long nanos = traces.wholeSince(connection);
        Instant whole = nanos == null ? null : when(nanos);
        Instant from = since == null || whole != null && whole.isAfter(since) ? whole : since;
        return new LoggedTransactions(
                entries(found), whole, look == null ? OutcomeFinder.SILENT : open(connection, from, found, look));
    }

    @Override
    public @Nullable LoggedTransactions of(String token) {
        List<Trace> found = traces.all(each -> token.equals(each.token()));
        if (found.isEmpty()) {
            return null;
        }
        PrimaryLook look = OutcomeFinder.tried(looks);
        if (look == null) {
            return new LoggedTransactions(entries(found), null, OutcomeFinder.SILENT);
        }
        boolean back = found.removeIf(each -> look.server().wrote(each.gtid()) && order.isBack(each.nanos()));
        String open = back ? PrimaryOrder.BACK : null;
        List<Trace> lacking =
                found.stream().filter(each -> !look.has(each.gtid())).toList(); // a former primary's
        if (!lacking.isEmpty()) {
            found.removeAll(lacking);
            String applies = look.applies();
            open = applies == null ? Judge.lacking(Judge.gtids(lacking)) : applies;
        }
        boolean settled = open == null || order.isOver(nanoClock.getAsLong());
        return new LoggedTransactions(entries(found), null, open, settled);
    }

    private List<LoggedTransactions.Entry> entries(List<Trace> found) {
        return found.stream()
                .sorted(Comparator.comparingLong(Trace::nanos))
                .map(each ->
                        new LoggedTransactions.Entry(each.gtid(), "server_id " + each.serverId(), when(each.nanos())))
                .toList();
    }

    private Instant when(long nanos) {
        return began.plusNanos(nanos - beganNanos).truncatedTo(ChronoUnit.MICROS);
    }

    private @Nullable String open(long connection, @Nullable Instant from, List<Trace> found, PrimaryLook look) {
        if (look.readOnly()) {
            return "the primary is read-only: it may not stay the primary";
        }
        String running = Judge.running(connection, look);
        if (running != null) {
            return running;
        }
        String applies = look.applies();
        if (applies != null) {
            return applies;
        }
        if (!look.server().equals(traces.reading())
                || !traces.unread(look.has()).isEmpty()) {
            return "the primary's binary log was not read up to its end";
        }
        List<Trace> nameless = traces.all(
                each -> each.thread() == 0 && each.serverId() == look.server().serverId());
        nameless.removeIf(each -> from != null && when(each.nanos()).isBefore(from));
        if (!nameless.isEmpty()) {
            return "the binary log does not tell the connection of " + Judge.gtids(nameless)
                    + ", which may be of this one: ask --token";
        }
        int run = traces.run(look.server());
        boolean restarted = from == null
                || when(look.latestNanos()).isAfter(from)
                || found.stream().anyMatch(each -> each.run() != Trace.UNKNOWN_RUN && each.run() != run);
        return restarted
                ? "the server was restarted, and gives the numbers of its connections again: ask --since the connection"
                        + " was opened"
                : look.filter();
    }
}
