package io.understudy.move;

import io.understudy.command.SessionModel;
import io.understudy.command.settings.FollowedState;
import io.understudy.plugin.ServerFlavor;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the server's counters of a session's statements tell about state that cannot move. */
final class Obstacles {
    private final Map<String, Long> counters = new HashMap<>();

    private Obstacles(StateRows answer) {
        for (byte @Nullable [][] row : answer.rows()) {
            // MariaDB counts some below zero, which is shown as a large number.
            long count = Long.parseUnsignedLong(ascii(row[1]));
            counters.put(ascii(row[0]).toLowerCase(Locale.ROOT), count < 0 ? Long.MAX_VALUE : count);
        }
    }

    /** Throws a {@link NotMoved} if there is any. */
    static void ensureNone(StateRows answer, SessionModel model) {
        new Obstacles(answer).ensureNone(model);
    }

    private void ensureNone(SessionModel model) {
        boolean mariaDb = model.flavor() == ServerFlavor.MARIADB;
        String creations = mariaDb ? FollowedState.TEMPORARY_TABLES : FollowedState.TABLES;
        FollowedState followed = model.settingsModel().followed();
        int known = followed.runs(FollowedState.TEMPORARY_TABLES) + (mariaDb ? 0 : followed.runs(FollowedState.TABLES));
        if (count(creations) > known) {
            throw new NotMoved(
                    "temporary_table",
                    "it has created " + count(creations) + " tables, of which " + known + " are known: one may be a"
                            + " temporary one");
        }
        if (followed.unknown().contains(FollowedState.COUNTERS)) {
            throw new NotMoved(
                    "unknown_state", "FLUSH STATUS has reset the counters that tell of tables and locks not seen");
        }
        if (Stream.of(FollowedState.LOCKS, FollowedState.FLUSHES).anyMatch(each -> count(each) > followed.runs(each))
                || otherLocks()) {
            throw new NotMoved(
                    "lock", "a prepared statement, a procedure or a text that was not read may have taken a lock");
        }
        if (count("com_ha_open") > 0) {
            // A CLOSE counts also if it has failed.
            throw new NotMoved("handler", "it has opened a HANDLER");
        }
        if (count("com_xa_start") > count("com_xa_commit") + count("com_xa_rollback")) {
            throw new NotMoved("xa", "it has begun an XA transaction");
        }
        if (!model.prepared()
                .explainsTexts(
                        count("com_prepare_sql"), count("com_dealloc_sql"), !FollowedStatements.allRead(model))) {
            throw new NotMoved("text_prepared", "it may have statements of PREPARE that are not known");
        }
        if (count("com_binlog") > 0) {
            throw new NotMoved("binlog", "it runs events of a binary log (BINLOG)");
        }
    }

    /** SHOW has its text in {@code character_set_results}, which may take two or four bytes for a character. */
    private static String ascii(byte @Nullable [] cell) {
        return String.valueOf(StateRows.text(cell)).replace("\0", "");
    }

    /** Returns whether it has run what locks on one product, and what only a backup needs. */
    private boolean otherLocks() {
        return Stream.of("com_backup", "com_backup_lock", "com_lock_instance")
                .anyMatch(name -> counters.getOrDefault(name, 0L) > 0);
    }

    private long count(String name) {
        Long count = counters.get(name);
        if (count == null) {
            throw NotMoved.unknownState("the server does not count " + name);
        }
        return count;
    }
}
