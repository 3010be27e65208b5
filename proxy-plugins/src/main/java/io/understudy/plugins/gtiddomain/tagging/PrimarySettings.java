package io.understudy.plugins.gtiddomain.tagging;

import io.understudy.plugins.gtiddomain.catalog.Dictionary;
import io.understudy.plugins.gtiddomain.progress.DomainIndexes;
import io.understudy.plugins.gtiddomain.progress.Positions;
import java.sql.Connection;
import java.sql.SQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the primary's settings that decide what a session's tag has to be. Used by one thread. */
public final class PrimarySettings {
    private static final Logger log = LoggerFactory.getLogger(PrimarySettings.class);

    private final DomainIndexes indexes;
    private final Accounts accounts;
    private final Dictionary dictionary;

    public PrimarySettings(DomainIndexes indexes, Accounts accounts, Dictionary dictionary) {
        this.indexes = indexes;
        this.accounts = accounts;
        this.dictionary = dictionary;
    }

    /** Reads them; warns when the global domain has changed to another one than the default domain. */
    public void read(Connection primary) throws SQLException {
        String domain = Positions.one(primary, "SELECT @@global.gtid_domain_id");
        int fresh = domain == null ? DomainIndexes.DEFAULT : indexes.find(Long.parseLong(domain));
        if (fresh != accounts.freshIndex()) {
            accounts.setFreshIndex(fresh);
            if (fresh != DomainIndexes.DEFAULT) {
                log.warn(
                        "gtid-domain: the primary's global gtid_domain_id is {} but defaultDomain is {}; sessions"
                                + " are set to defaultDomain at their first write; make the two equal",
                        domain,
                        indexes.domain(DomainIndexes.DEFAULT));
            }
        }
        dictionary.setRowFormat("ROW".equals(Positions.one(primary, "SELECT @@global.binlog_format")));
    }
}
