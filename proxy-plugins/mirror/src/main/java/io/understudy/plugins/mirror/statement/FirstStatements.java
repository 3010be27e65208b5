package io.understudy.plugins.mirror.statement;

import io.understudy.base.Secret;
import io.understudy.plugin.ServerFlavor;
import io.understudy.servers.Dialect;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The statements that prepare a new connection. */
public final class FirstStatements {
    private FirstStatements() {}

    /**
     * Returns what makes a session read-only. Its reads cannot block the standby's applier: no transaction stays open,
     * because a read within one blocks replicated DDL.
     *
     * @param initSql statements that may hold a secret
     */
    public static List<String> of(ServerFlavor flavor, Duration timeout, List<Secret> initSql) {
        List<String> sql = new ArrayList<>(Dialect.READ_ONLY_SESSION);
        sql.add("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
        sql.add("SET SESSION " + Dialect.of(flavor).limit(timeout));
        initSql.forEach(each -> sql.add(each.reveal()));
        return sql;
    }
}
