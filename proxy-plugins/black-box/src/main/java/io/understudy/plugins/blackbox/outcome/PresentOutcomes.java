package io.understudy.plugins.blackbox.outcome;

import io.understudy.plugins.blackbox.outcome.OutcomeRecord.Verdict;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Says of outcomes what they are at the present primary: what was committed on another one counts only if it has that.
 * Asks it, so it waits: never on an event loop. Thread-safe.
 */
public final class PresentOutcomes {
    private final PrimaryOrder order;
    private final OutcomeFinder.Looks looks;
    private final BooleanSupplier unproven;
    private final InstantSource clock;
    private final LongSupplier nanoClock;

    /** @param unproven whether outcomes of a log may be those of a server that another one has followed since */
    public PresentOutcomes(
            PrimaryOrder order,
            OutcomeFinder.Looks looks,
            BooleanSupplier unproven,
            InstantSource clock,
            LongSupplier nanoClock) {
        this.order = order;
        this.looks = looks;
        this.unproven = unproven;
        this.clock = clock;
        this.nanoClock = nanoClock;
    }

    /** Returns the records in their order, those of which the present primary lacks the transaction as unknown. */
    List<OutcomeRecord> of(List<OutcomeRecord> found) {
        if (found.stream().noneMatch(this::isDoubtful)) {
            return found;
        }
        PrimaryLook look = OutcomeFinder.tried(looks);
        return found.stream()
                .map(each -> isDoubtful(each) ? at(each, look) : each)
                .toList();
    }

    private boolean isDoubtful(OutcomeRecord each) {
        return each.verdict() == Verdict.COMMITTED
                && (isUnproven(each) || !order.isOfPresent(each.gtid(), sentNanos(each)));
    }

    private boolean isUnproven(OutcomeRecord each) {
        return each.history() != 0 && unproven.getAsBoolean();
    }

    private long sentNanos(OutcomeRecord each) {
        return nanoClock.getAsLong()
                - Duration.between(each.when(), clock.instant()).toNanos();
    }

    private OutcomeRecord at(OutcomeRecord committed, @Nullable PrimaryLook look) {
        String gtid = committed.gtid();
        if (isUnproven(committed)) {
            return committed.doubted("the primary's binary log was not read since the proxy has started", false);
        } else if (gtid.isEmpty()) {
            return committed.doubted("another server is the primary since, and its GTID is not known", true);
        } else if (look == null) {
            return committed.doubted(OutcomeFinder.SILENT, false);
        }
        boolean over = order.isOver(nanoClock.getAsLong());
        if (look.server().wrote(gtid) && order.isBack(sentNanos(committed))) {
            return committed.doubted(PrimaryOrder.BACK, over); // it may have given the number again
        } else if (look.has(gtid)) {
            return committed;
        }
        String applies = look.applies();
        return committed.doubted(applies == null ? Judge.lacking(gtid) : applies, over);
    }
}
