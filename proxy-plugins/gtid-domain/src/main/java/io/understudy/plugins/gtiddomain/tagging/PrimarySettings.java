package io.understudy.plugins.gtiddomain.tagging;

import io.understudy.plugins.gtiddomain.catalog.Dictionary;
import io.understudy.plugins.gtiddomain.progress.DomainIndexes;
import io.understudy.servers.ServerQueries;
import java.sql.Connection;
import java.sql.SQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the primary's settings that decide what a session's tag has to be. Used by one thread but for
 * {@link #primaryChanged}.
 */
public final class PrimarySettings {
    private static final Logger log = LoggerFactory.getLogger(PrimarySettings.class);

    private final DomainIndexes indexes;
    private final Accounts accounts;
    private final Dictionary dictionary;
    /** The index that was read last. */
    private int last = DomainIndexes.DEFAULT;
    /** Whether they were read since {@link #begin}. */
    private boolean read = true;
    /** The number of changes of the primary; guarded by this. */
    private int changes;
    /** That number when the connection to read on was not yet made. */
    private int changesBefore;

    public PrimarySettings(DomainIndexes indexes, Accounts accounts, Dictionary dictionary) {
        this.indexes = indexes;
        this.accounts = accounts;
        this.dictionary = dictionary;
    }

    /** Called before a connection to read on is made: after an attempt that failed, the primary may be another one. */
    public synchronized void begin() {
        if (!read) {
            accounts.forgetFreshIndex();
        }
        read = false;
        changesBefore = changes;
    }

    /** Called when the primary is another server. */
    public synchronized void primaryChanged() {
        changes++;
        accounts.forgetFreshIndex();
    }

    private synchronized void learned(int fresh) {
        read = true;
        // Otherwise it is that of the primary before.
        if (changes == changesBefore) {
            accounts.setFreshIndex(fresh);
        }
    }

    /** Reads them; warns when the global domain has changed to another one than the default domain. */
    public void read(Connection primary) throws SQLException {
        String domain = ServerQueries.brief(primary).first("SELECT @@global.gtid_domain_id");
        int fresh = domain == null ? DomainIndexes.FOREIGN : indexes.find(Long.parseLong(domain));
        learned(fresh);
        if (fresh != last) {
            last = fresh;
            if (fresh != DomainIndexes.DEFAULT) {
                log.warn(
                        "gtid-domain: the primary's global gtid_domain_id is {} but defaultDomain is {}; sessions"
                                + " are set to defaultDomain at their first write; make the two equal",
                        domain,
                        indexes.domain(DomainIndexes.DEFAULT));
            }
        }
        dictionary.setRowFormat("ROW".equals(ServerQueries.brief(primary).first("SELECT @@global.binlog_format")));
    }
}
