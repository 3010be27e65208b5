package io.understudy.plugins.gtiddomain.catalog;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the catalogue into the dictionary: when it may have changed or is a minute old, but not within a second of the
 * last read, and for at most a tenth of the time: reading a large dictionary loads the primary. A failed read counts as
 * time too. Used by one thread.
 */
public final class DictionaryRefresh {
    private static final Logger log = LoggerFactory.getLogger(DictionaryRefresh.class);

    private static final long AGE_NANOS = 60_000_000_000L;
    private static final long RETRY_NANOS = 1_000_000_000L;
    private static final long SHARE = 10;

    private final Dictionary dictionary;
    private final LongSupplier nanos;
    /** Not before this time is anything read again. */
    private long nextNanos;
    /** When the last read is old. */
    private long oldNanos;
    /** Whether it did not fail. */
    private boolean fresh;

    private boolean warned;

    public DictionaryRefresh(Dictionary dictionary, LongSupplier nanos) {
        this.dictionary = dictionary;
        this.nanos = nanos;
        nextNanos = nanos.getAsLong();
    }

    /** Reads the catalogue if it may have changed or is old. */
    public void read(Connection primary) throws SQLException {
        long began = nanos.getAsLong();
        if (began - nextNanos < 0 || fresh && !dictionary.stale() && began - oldNanos < 0) {
            return;
        }
        long changes = dictionary.changes();
        fresh = false;
        try {
            Catalog catalog = CatalogReader.read(primary);
            fresh = true;
            if (!warned) {
                warned = true;
                warn(catalog);
            }
            dictionary.learned(catalog, changes);
        } finally {
            long ended = nanos.getAsLong();
            nextNanos = ended + Math.max(RETRY_NANOS, (SHARE - 1) * (ended - began));
            oldNanos = ended + AGE_NANOS;
        }
    }

    private static void warn(Catalog catalog) {
        if (catalog.size() == 0) {
            log.warn(
                    "gtid-domain: the monitor account sees no tables on the primary, so that none can leave the default"
                            + " domain; grant it SELECT and TRIGGER on the schemas whose writes shall be tagged");
        }
        if (catalog.hidden() > 0) {
            log.warn(
                    "gtid-domain: the monitor account may not see the text of {} triggers, views, routines or"
                            + " events, so what they write is known only once the binary log has shown it; see"
                            + " Privileges in docs/gtid-domains.md",
                    catalog.hidden());
        }
        if (!catalog.unseenSchemas().isEmpty()) {
            log.warn(
                    "gtid-domain: the monitor account does not see whether the tables of {} have triggers, or whether"
                            + " events write them, so that they stay in the default domain; grant it TRIGGER and EVENT"
                            + " on these schemas",
                    String.join(", ", catalog.unseenSchemas()));
        }
        if (catalog.cut()) {
            log.warn("gtid-domain: the data dictionary has more tables, routines or the like than are read, so that"
                    + " no table leaves the default domain");
        }
    }
}
