package io.understudy.cli.check;

import io.understudy.config.LoadedConfig;
import io.understudy.plugins.gtiddomain.GtidDomainConfig;
import io.understudy.sql.AccountGrants;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Checks that plugins can read the primary's binary log, and says what they do without it. */
final class BinaryLogCheck {
    private final LoadedConfig loaded;
    private final AccountGrants grants;
    private final String account;

    /** @param account that of {@code primary.monitor}, as GRANT wants it */
    BinaryLogCheck(LoadedConfig loaded, AccountGrants grants, String account) {
        this.loaded = loaded;
        this.grants = grants;
        this.account = account;
    }

    /** @param logs whether the primary has a binary log */
    List<CheckResult> run(boolean logs) {
        boolean may = grants.hasAny("REPLICATION SLAVE", "REPLICATION REPLICA");
        List<CheckResult> findings = new ArrayList<>();
        readers().forEach((plugin, without) -> {
            String where = "plugins." + plugin;
            if (!logs) {
                findings.add(CheckResult.warning(
                        where,
                        "log_bin is OFF: " + without + "; start the primary with log_bin, without which nothing"
                                + " is replicated either"));
            } else if (!may) {
                findings.add(CheckResult.warning(
                        where,
                        "the monitor account cannot read the binary log: " + without
                                + "; GRANT REPLICATION SLAVE ON *.* TO " + account));
            } else {
                findings.add(CheckResult.ok(where, "the monitor account may read the binary log"));
            }
        });
        return findings;
    }

    /** Returns what each configured reader does without the log. */
    private Map<String, String> readers() {
        Map<String, String> readers = new LinkedHashMap<>();
        if (loaded.plugins().containsKey("commit-latency")) {
            readers.put(
                    "commit-latency",
                    "commits are timed, but the wait for acknowledgements is known only as averages of the server's"
                            + " counters");
        }
        if (AccountSql.verifies(loaded)) {
            readers.put("mirror", "mirror.verify cannot tell whether a table was written, so no read is compared");
        }
        if (loaded.plugins().containsKey("black-box")) {
            readers.put("black-box", "no transaction is kept, so that nothing could be reported or rescued");
        }
        if (loaded.plugins().get("gtid-domain") instanceof GtidDomainConfig config
                && config.usesDomains()
                && config.binlog()) {
            readers.put("gtid-domain", "writes that no statement through the proxy announces are not seen");
        }
        return readers;
    }
}
