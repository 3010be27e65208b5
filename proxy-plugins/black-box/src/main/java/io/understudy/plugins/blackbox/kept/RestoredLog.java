package io.understudy.plugins.blackbox.kept;

import io.understudy.plugins.binlog.BinlogTransaction;
import io.understudy.plugins.blackbox.history.Gtid;
import io.understudy.plugins.blackbox.history.Histories;
import io.understudy.plugins.blackbox.history.History;
import io.understudy.plugins.blackbox.history.KeptTransaction;
import io.understudy.plugins.blackbox.log.LogDamage;
import io.understudy.plugins.blackbox.log.LogPlace;
import io.understudy.plugins.blackbox.log.LogStart;
import io.understudy.plugins.blackbox.log.LogVisitor;
import io.understudy.plugins.blackbox.log.LoggedTransaction;
import io.understudy.plugins.blackbox.outcome.OutcomeRecord;
import io.understudy.plugins.blackbox.outcome.Outcomes;
import io.understudy.plugins.blackbox.outcome.Traces;
import io.understudy.servers.GtidNumbers;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes histories of what a log holds. Their transactions are not known to have been answered. */
public final class RestoredLog implements LogVisitor {
    private static final Logger log = LoggerFactory.getLogger(RestoredLog.class);

    private final BlackBox box;
    private final Histories histories;
    private final Outcomes outcomes;
    private final List<LogDamage> damage;
    private final Clock clock;
    private final LongSupplier nanoClock;
    /** Numbers of the present history that were read. */
    private GtidNumbers read = new GtidNumbers();
    /** Takes what it has of other servers. */
    private final Consumer<LogStart> servers;

    /** How many of the present history are kept in front of the last place where the log lacks something. */
    private int keptBeforeLack;

    /** Whether numbers may be missing without a word. */
    private boolean damaged;

    /** @param box guards the histories */
    RestoredLog(
            BlackBox box,
            Histories histories,
            Consumer<LogStart> servers,
            Outcomes outcomes,
            List<LogDamage> damage,
            Clock clock,
            LongSupplier nanoClock) {
        this.box = box;
        this.histories = histories;
        this.servers = servers;
        this.outcomes = outcomes;
        this.damage = damage;
        this.clock = clock;
        this.nanoClock = nanoClock;
    }

    @Override
    public void start(LogStart start) {
        synchronized (box) {
            damaged = false;
            History present = histories.present();
            if (present == null || present.number != start.history()) {
                present = histories.follow(start.history(), start.facts(), start.anew());
                read = new GtidNumbers();
                keptBeforeLack = 0;
            }
            String before = present.readUpTo();
            present.restore(start);
            servers.accept(start);
            if (!present.readUpTo().equals(before)) {
                lacksHere(present, false);
            }
        }
    }

    private History present() {
        History present = histories.present();
        if (present == null) {
            throw new IllegalArgumentException("a transaction before any position");
        }
        return present;
    }

    private Gtid passed(History present, String text) {
        Gtid gtid = Gtid.parseAll(present.flavor(), text).get(0);
        if (damaged) {
            present.gapBefore(gtid);
            lacksHere(present, true);
        }
        present.passed(gtid);
        return gtid;
    }

    @Override
    public void transaction(LoggedTransaction transaction, LogPlace place) {
        synchronized (box) {
            History present = present();
            Gtid gtid = passed(present, transaction.gtid());
            if (read.contains(gtid.source(), gtid.number())) {
                place.release(); // of a flush that failed and could not be taken back
                return;
            }
            read.add(gtid.source(), gtid.number());
            long age = TimeUnit.MILLISECONDS.toNanos(clock.millis() - transaction.millis());
            present.keep(new KeptTransaction(present, gtid, transaction, nanoClock.getAsLong() - age, place));
        }
    }

    @Override
    public void missed(String gtid, boolean applied) {
        synchronized (box) {
            History present = present();
            present.missed(passed(present, gtid));
            lacksHere(present, !applied);
        }
    }

    @Override
    public void outcome(byte[] record) {
        outcomes.add(OutcomeRecord.of(record));
    }

    @Override
    public void damage(LogDamage found) {
        synchronized (box) {
            damaged |= found.mayLack();
            damage.add(found);
        }
        log.warn("black-box: {}", found);
    }

    /** @param gap whether what the log passes over is a transaction that some standby may lack */
    private void lacksHere(History present, boolean gap) {
        keptBeforeLack = present.kept.size();
        if (gap) {
            present.restoredGap();
        }
    }

    /**
     * Traces the newest transactions, for those of the primary's last run. Called when the log was restored, before
     * anything is written to it. Reads files.
     *
     * @param mostBytes of events to be read
     */
    public void trace(int most, long mostBytes) {
        History present;
        List<KeptTransaction> newest = new ArrayList<>();
        int left;
        synchronized (box) {
            present = histories.present();
            if (present == null) {
                return;
            }
            left = present.kept.size() - keptBeforeLack;
            long bytes = 0;
            Iterator<KeptTransaction> newestFirst = present.kept.descendingIterator();
            while (newestFirst.hasNext() && newest.size() < most && bytes < mostBytes) {
                KeptTransaction next = newestFirst.next();
                newest.add(next);
                bytes += next.length;
            }
        }
        Long since = null;
        long run = 0;
        for (KeptTransaction each : newest) {
            long created = Traces.created(each.format);
            if (run != 0 && created != run) {
                break; // what precedes is of an earlier run, which had the same connection ids
            }
            run = created;
            BinlogTransaction transaction = box.read(each);
            if (transaction != null) {
                boolean own = each.history.facts.serverId() == transaction.serverId();
                box.traces().restored(transaction, each.token, each.nanos, own);
            }
            left = transaction == null ? 0 : left - 1;
            since = left >= 0 && transaction != null ? Long.valueOf(each.nanos) : since;
        }
        if (since != null) {
            box.traces().restoredUpTo(present.facts, present.readUpTo(), since);
        }
    }
}
