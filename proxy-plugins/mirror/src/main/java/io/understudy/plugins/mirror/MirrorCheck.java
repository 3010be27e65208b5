package io.understudy.plugins.mirror;

import io.understudy.plugin.CheckedPrimary;
import io.understudy.plugin.CheckedServer;
import io.understudy.plugin.CheckedServer.Level;
import io.understudy.plugins.mirror.selection.MirrorConfig;
import io.understudy.plugins.mirror.tables.TableDictionary;
import io.understudy.plugins.mirror.tables.ViewReader;
import io.understudy.servers.ServerQueries;
import io.understudy.sql.TableName;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Checks what the mirror needs on the primary and on a standby. */
final class MirrorCheck {
    private static final int SHOWN = 10;
    private static final int MAX_VIEWS = 2000;

    private final MirrorConfig config;
    private final CheckedServer server;

    MirrorCheck(MirrorConfig config, CheckedServer server) {
        this.config = config;
        this.server = server;
    }

    void run() throws SQLException {
        if (!server.isPrimary()) {
            reads();
            views();
            new BufferPoolCheck(server).run();
        } else if (config.verifies()) {
            server.needsBinaryLog(
                    Level.WARNING, "mirror.verify cannot tell whether a table was written, so no read is compared");
            verify();
        }
    }

    /** mirror.verify executes reads on the primary with the monitor account. */
    private void verify() throws SQLException {
        List<String> unread = server.primary().without(server.grants()::reads);
        if (!unread.isEmpty()) {
            server.report(
                    Level.WARNING,
                    "verify",
                    "the monitor account cannot read all of " + String.join(", ", unread)
                            + ": reads from there are not compared with the primary's; "
                            + CheckedPrimary.grant(unread, "SELECT", server.account()));
        } else if (server.primary().all()) {
            server.report(Level.OK, "verify", "the monitor account can read every schema of the primary");
        }
    }

    /** Mirrored reads of a schema that the account may not read fail on the standby. */
    private void reads() throws SQLException {
        CheckedPrimary primary = server.primary();
        List<String> unread = primary.without(server.grants()::reads);
        if (!unread.isEmpty()) {
            server.warning("account " + server.user() + " cannot read all of " + String.join(", ", unread)
                    + ", which the primary has: what is mirrored from there fails; on the primary: "
                    + CheckedPrimary.grant(unread, "SELECT", server.account()));
        } else if (primary.all()) {
            server.ok("account " + server.user() + " can read every schema of the primary");
        }
        if (!primary.all()) {
            server.warning("whether account " + server.user()
                    + " can read every schema of the primary was not checked, because primary.monitor "
                    + (primary.account().isEmpty()
                            ? "gave no response"
                            : "does not see them all: GRANT SHOW DATABASES ON *.* TO " + primary.account()));
        }
    }

    /** A view executes its definition, so one that is not certainly a pure read is not mirrored. */
    private void views() throws SQLException {
        List<TableName> names = new ServerQueries(server.connection())
                .rows(
                        "SELECT TABLE_SCHEMA, TABLE_NAME FROM information_schema.VIEWS WHERE TABLE_SCHEMA NOT IN"
                                + " ('information_schema', 'performance_schema', 'mysql', 'sys') LIMIT "
                                + (MAX_VIEWS + 1),
                        row -> new TableName(row.getString(1), row.getString(2)));
        ViewReader reader = new ViewReader(TableDictionary.of(server.connection()), config.pureFunctions());
        Set<String> unreadable = new TreeSet<>();
        List<String> others = new ArrayList<>();
        int pure = 0;
        for (TableName name : names.subList(0, Math.min(names.size(), MAX_VIEWS))) {
            String reason = reader.read(name).reason();
            if (reason == null) {
                pure++;
            } else if (reason.equals(ViewReader.UNREADABLE)) {
                unreadable.add(String.valueOf(name.schema()));
            } else {
                others.add(name + " (" + reason + ")");
            }
        }
        if (!unreadable.isEmpty()) {
            server.warning("reads of views in " + String.join(", ", unreadable) + " are not mirrored, because account "
                    + server.user() + " cannot see their definitions; on the primary: "
                    + CheckedPrimary.grant(List.copyOf(unreadable), "SHOW VIEW", server.account()));
        }
        if (!others.isEmpty()) {
            server.ok("reads of these views are not mirrored, because their definitions may do more than read: "
                    + others.stream().limit(SHOWN).collect(Collectors.joining(", "))
                    + (others.size() > SHOWN ? " and " + (others.size() - SHOWN) + " more" : ""));
        }
        if (names.size() > MAX_VIEWS) {
            server.warning("only its first " + MAX_VIEWS + " views were checked");
        } else if (pure > 0 && pure == names.size()) {
            server.ok("its " + pure + " views only read, so reads of them are mirrored");
        }
    }
}
