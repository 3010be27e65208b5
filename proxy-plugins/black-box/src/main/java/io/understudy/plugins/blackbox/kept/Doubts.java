package io.understudy.plugins.blackbox.kept;

import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.blackbox.history.Applied;
import io.understudy.plugins.blackbox.history.History;
import io.understudy.plugins.blackbox.history.Loss;
import io.understudy.servers.GtidNumbers;
import java.util.HashMap;
import java.util.Map;

/**
 * Transactions that were reported as missing and that no rescue file has. On MariaDB a replay moves a server's position
 * past them, and the position then implies them: they are applied for certain only if the position was seen at them
 * while it was below the next one that a file has. By server, which is known by its identity under any name. Guarded by
 * the lock of its {@link BlackBox}.
 */
final class Doubts {
    private final Map<String, Map<History, Doubt>> servers = new HashMap<>();

    private static final class Doubt {
        /** Reported as missing, and in no file. */
        private final GtidNumbers open = new GtidNumbers();
        /** Missing, and to be had from a file. */
        private final GtidNumbers captured = new GtidNumbers();
        /** Whether a file was requested. */
        private boolean rescued;

        /** What a server at {@code applied} has by its own doing is in doubt no more. */
        private void seen(GtidNumbers applied) {
            for (String source : applied.sources()) {
                long reach = applied.lastUpTo(source, Long.MAX_VALUE);
                open.remove(source, captured.lastUpTo(source, reach) + 1, reach);
            }
        }
    }

    /** Called with what was reported for a server while the primary's binary log was not read. */
    void reported(String server, Loss loss, boolean rescue) {
        loss.lacking().forEach((history, lacking) -> {
            if (history.flavor() == ServerFlavor.MARIADB) {
                Doubt doubt = servers.computeIfAbsent(server, none -> new HashMap<>())
                        .computeIfAbsent(history, none -> new Doubt());
                doubt.open.addAll(lacking.elsewhere());
                doubt.open.removeAll(lacking.captured());
                doubt.captured.addAll(lacking.captured());
                doubt.rescued |= rescue;
            }
        });
    }

    /** Called with a server's position. */
    void seen(String server, Applied applied) {
        servers.getOrDefault(server, Map.of()).forEach((history, doubt) -> doubt.seen(applied.of(history)));
    }

    /** Returns what a server has by its position alone. */
    GtidNumbers implied(String server, Applied applied, History history) {
        Doubt doubt = servers.getOrDefault(server, Map.of()).get(history);
        if (doubt == null) {
            return new GtidNumbers();
        }
        return doubt.open.minus(doubt.open.minus(applied.of(history)));
    }

    /** Called when a server got transactions of a history from a file, whoever wrote that. */
    void applied(String server, History history, GtidNumbers numbers) {
        Doubt doubt = servers.getOrDefault(server, Map.of()).get(history);
        if (doubt != null) {
            doubt.open.removeAll(numbers);
        }
    }

    /**
     * Forgets what a server has by its position alone: somebody has compared its tables, or built it anew. What its
     * position lacks stays.
     */
    void compared(String server, Applied applied) {
        servers.getOrDefault(server, Map.of()).forEach((history, doubt) -> doubt.open.removeAll(applied.of(history)));
    }

    /**
     * Called when the history's binary log is read again: what was missing arrives, unless a file has been replayed.
     */
    void resumed(History history) {
        servers.values().forEach(byHistory -> {
            Doubt doubt = byHistory.get(history);
            if (doubt != null && !doubt.rescued) {
                byHistory.remove(history);
            }
        });
    }
}
