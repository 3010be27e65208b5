package io.understudy.plugins.gtiddomain.catalog;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the catalogue into the dictionary when it is due. Used by one thread. */
public final class DictionaryRefresh {
    private static final Logger log = LoggerFactory.getLogger(DictionaryRefresh.class);

    private final Dictionary dictionary;
    private final CatalogPace pace;
    private boolean warned;

    public DictionaryRefresh(Dictionary dictionary, LongSupplier nanos) {
        this.dictionary = dictionary;
        pace = new CatalogPace(nanos);
    }

    /** Reads the catalogue if it may have changed or is old. */
    public void read(Connection primary) throws SQLException {
        if (!pace.due(dictionary.stale())) {
            return;
        }
        long changes = dictionary.changes();
        pace.begin();
        Catalog catalog;
        try {
            catalog = CatalogReader.read(primary);
        } catch (SQLException | RuntimeException e) {
            pace.failed();
            throw e;
        }
        pace.read();
        if (!warned) {
            warned = true;
            warn(catalog);
        }
        dictionary.learned(catalog, changes);
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
