package io.understudy.plugins.blackbox.kept;

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
import io.understudy.servers.GtidNumbers;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes histories of what a log holds. Their transactions are not known to have been answered. */
final class RestoredLog implements LogVisitor {
    private static final Logger log = LoggerFactory.getLogger(RestoredLog.class);

    private final Object lock;
    private final Histories histories;
    private final Outcomes outcomes;
    private final List<LogDamage> damage;
    private final Clock clock;
    private final LongSupplier nanoClock;
    /** Numbers of the present history that were read. */
    private GtidNumbers read = new GtidNumbers();
    /** Takes what it has of other servers. */
    private final Consumer<LogStart> servers;

    /** Whether numbers may be missing without a word. */
    private boolean damaged;

    /** @param lock guards the histories */
    RestoredLog(
            Object lock,
            Histories histories,
            Consumer<LogStart> servers,
            Outcomes outcomes,
            List<LogDamage> damage,
            Clock clock,
            LongSupplier nanoClock) {
        this.lock = lock;
        this.histories = histories;
        this.servers = servers;
        this.outcomes = outcomes;
        this.damage = damage;
        this.clock = clock;
        this.nanoClock = nanoClock;
    }

    @Override
    public void start(LogStart start) {
        synchronized (lock) {
            damaged = false;
            History present = histories.present();
            if (present == null || present.number != start.history()) {
                present = histories.follow(start.history(), start.facts(), start.anew());
                read = new GtidNumbers();
            }
            String before = present.readUpTo();
            present.restore(start);
            servers.accept(start);
            if (!present.readUpTo().equals(before)) {
                present.lacksHere(false);
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
            present.lacksHere(true);
        }
        present.passed(gtid);
        return gtid;
    }

    @Override
    public void transaction(LoggedTransaction transaction, LogPlace place) {
        synchronized (lock) {
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
        synchronized (lock) {
            History present = present();
            present.missed(passed(present, gtid));
            present.lacksHere(!applied);
        }
    }

    @Override
    public void outcome(byte[] record) {
        outcomes.add(OutcomeRecord.of(record));
    }

    @Override
    public void damage(LogDamage found) {
        synchronized (lock) {
            damaged |= found.mayLack();
            damage.add(found);
        }
        log.warn("black-box: {}", found);
    }
}
