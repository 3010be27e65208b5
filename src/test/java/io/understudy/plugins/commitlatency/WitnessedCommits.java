package io.understudy.plugins.commitlatency;

import io.understudy.plugin.ProxyPlugin;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Runs the plugin and records all commits that it has joined with their events. */
public final class WitnessedCommits {
    /** A commit with its components in nanoseconds; {@code bytes} is the length of its events. */
    public record Joined(
            String kind,
            long session,
            String user,
            @Nullable String told,
            @Nullable String event,
            long sentNanos,
            long okNanos,
            long executeNanos,
            long queuedNanos,
            long ackNanos,
            long bytes) {}

    private final List<Joined> joined = new ArrayList<>();
    private final CommitLatencyPlugin plugin = new CommitLatencyPlugin((commit, event, parts) -> {
        synchronized (joined) {
            joined.add(new Joined(
                    commit.kind().label(),
                    commit.session(),
                    commit.user(),
                    commit.gtid(),
                    event.gtid(),
                    commit.sentNanos(),
                    commit.okNanos(),
                    parts.executeNanos(),
                    parts.queuedNanos(),
                    parts.ackNanos(),
                    event.bytes()));
        }
    });

    public ProxyPlugin<?> plugin() {
        return plugin;
    }

    public int count() {
        synchronized (joined) {
            return joined.size();
        }
    }

    public void forget() {
        synchronized (joined) {
            joined.clear();
        }
    }

    /** Returns the commits in the order of their OK packets. */
    public List<Joined> all() {
        synchronized (joined) {
            List<Joined> sorted = new ArrayList<>(joined);
            sorted.sort(Comparator.comparingLong(Joined::okNanos));
            return sorted;
        }
    }
}
