package io.understudy.plugins.gtiddomain.tagging;

import io.understudy.plugins.gtiddomain.ownership.Conflict;
import io.understudy.plugins.gtiddomain.ownership.TableOwnership;
import io.understudy.plugins.gtiddomain.progress.DomainIndexes;
import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts conflicts, and logs those that may harm replicas, at most one every few seconds. Thread-safe. */
public final class ConflictLog implements Consumer<TableOwnership.Met> {
    private static final Logger log = LoggerFactory.getLogger(ConflictLog.class);
    private static final long INTERVAL_NANOS = 5_000_000_000L;

    private final DomainMeters meters;
    private final DomainIndexes indexes;
    private final LongSupplier nanos;
    private final boolean quiet;
    private final AtomicLong nextAt;

    /** @param quiet whether counting is enough, because the domains are only simulated */
    public ConflictLog(DomainMeters meters, DomainIndexes indexes, LongSupplier nanos, boolean quiet) {
        this.meters = meters;
        this.indexes = indexes;
        this.nanos = nanos;
        this.quiet = quiet;
        nextAt = new AtomicLong(nanos.getAsLong());
    }

    @Override
    public void accept(TableOwnership.Met met) {
        Conflict kind = met.kind();
        if (quiet) {
            meters.simulatedConflict(kind);
            return;
        }
        meters.conflict(kind);
        if (!kind.unsafe()) {
            return;
        }
        long now = nanos.getAsLong();
        long next = nextAt.get();
        if (now - next >= 0 && nextAt.compareAndSet(next, now + INTERVAL_NANOS)) {
            log.warn(
                    "gtid-domain: {} was written in domain {} (digest {}) while a standby may not have applied a"
                            + " write in domain"
                            + " {} (digest {}): {}; see docs/gtid-domains.md",
                    met.table(),
                    indexes.label(met.index()),
                    HexFormat.of().toHexDigits(met.digest()),
                    indexes.label(met.otherIndex()),
                    HexFormat.of().toHexDigits(met.otherDigest()),
                    kind.label());
        }
    }
}
