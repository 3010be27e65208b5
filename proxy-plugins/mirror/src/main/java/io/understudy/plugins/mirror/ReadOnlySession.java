package io.understudy.plugins.mirror;

import io.understudy.plugin.ServerFlavor;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The settings of a mirror connection: it cannot write, and its reads cannot block the standby's applier. It uses
 * {@code SET SESSION TRANSACTION READ ONLY} because {@code START TRANSACTION READ ONLY} lets DDL through by its
 * implicit commit. No transaction stays open, because a read within one blocks replicated DDL.
 */
final class ReadOnlySession {
    private ReadOnlySession() {}

    static List<String> statements(ServerFlavor flavor, MirrorConfig config) {
        List<String> sql = new ArrayList<>();
        sql.add("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, READ ONLY");
        sql.add("SET SESSION autocommit = 1, SESSION lock_wait_timeout = 1, SESSION innodb_lock_wait_timeout = 1");
        long millis = config.timeout().toMillis();
        sql.add(
                flavor == ServerFlavor.MARIADB
                        ? String.format(Locale.ROOT, "SET SESSION max_statement_time = %.3f", millis / 1000.0)
                        : "SET SESSION max_execution_time = " + millis);
        config.initSql().forEach(each -> sql.add(each.text()));
        return sql;
    }
}
