package io.understudy.plugins.mirror;

import io.understudy.plugin.CheckedPrimary;
import io.understudy.plugin.CheckedServer;
import io.understudy.plugin.CheckedServer.Level;
import io.understudy.plugins.mirror.selection.MirrorConfig;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Checks what the mirror needs on the primary and on a standby. */
final class MirrorCheck {
    private static final int SHOWN = 10;

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
        MirroredViews views = MirroredViews.of(server.connection(), config);
        Set<String> unreadable = new TreeSet<>();
        List<String> others = new ArrayList<>();
        for (MirroredViews.Refused one : views.refused()) {
            if (one.unreadable()) {
                unreadable.add(one.schema());
            } else {
                others.add(one.schema() + "." + one.view() + " (" + one.reason() + ")");
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
        if (views.more()) {
            server.warning("only its first " + MirroredViews.MAX_VIEWS + " views were checked");
        } else if (views.refused().isEmpty() && views.pure() > 0) {
            server.ok("its " + views.pure() + " views only read, so reads of them are mirrored");
        }
    }
}
