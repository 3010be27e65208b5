package io.understudy.plugins.blackbox.outcome;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The runs of each server, from its start to its end, as its binary log shows them. The format description event of a
 * run's first file tells when it began; in later files, and where MariaDB begins within a file, it has 0 there. Not
 * thread-safe.
 */
public final class Runs {
    private final Map<Long, Server> servers = new HashMap<>();

    private static final class Server {
        private boolean described;
        private long created;
        /** When each further run was noticed. */
        private final List<Long> began = new ArrayList<>();
    }

    /**
     * Called with a format description event.
     *
     * @param created second in which the server began to run, or 0
     */
    void described(long serverId, long created, long nanos) {
        Server server = servers.computeIfAbsent(serverId, added -> new Server());
        if (server.described && created != 0 && created != server.created) {
            server.began.add(nanos);
        }
        server.described = true;
        server.created = created == 0 ? server.created : created;
    }

    /** Called when a server's log is read again after another's: it may have been restarted. */
    void unwatched(long serverId, long nanos) {
        Server server = servers.get(serverId);
        if (server != null) {
            server.began.add(nanos);
        }
    }

    /** Returns the number of the present run. */
    int present(long serverId) {
        Server server = servers.get(serverId);
        return server == null ? 0 : server.began.size();
    }

    /** Returns the number of the run that was the present one at that time, or the one before it. */
    int at(long serverId, long nanos) {
        Server server = servers.get(serverId);
        return server == null
                ? 0
                : (int) server.began.stream().filter(each -> nanos - each >= 0).count();
    }
}
