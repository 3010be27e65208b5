package io.understudy.it;

import io.understudy.embedded.EmbeddedException;
import io.understudy.embedded.EmbeddedPair;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * What happens to servers, configuration and clients during a soak: each kind spread evenly over its time, which stands
 * still while one is carried out.
 */
final class SoakDisturbances {
    interface Action {
        void run() throws IOException;
    }

    private static final class Kind {
        private final String name;
        private final int count;
        private final Action action;
        private int done;

        private Kind(String name, int count, Action action) {
            this.name = name;
            this.count = count;
            this.action = action;
        }
    }

    /** The last tenth of the time is without them. */
    private static final double PART = 0.9;

    private static final int SECONDS_A_KILL = 5;

    private final double seconds;
    private final List<Kind> kinds = new ArrayList<>();
    private final Random random = new Random(11);

    /** @param seconds of the soak; one of at least five minutes has as many as an hour has */
    SoakDisturbances(double seconds, EmbeddedPair pair, List<SoakWriter> writers, Action reload) {
        this.seconds = seconds;
        boolean whole = seconds >= 300;
        add("reload", whole ? 12 : 3, reload);
        add("semi-sync off or on", whole ? 12 : 4, () -> toggleSemiSync(pair));
        add("standby restarted", whole ? 6 : 2, () -> {
            pair.standby().stop();
            pair.standby().restart();
        });
        add("primary restarted", whole ? 3 : 1, () -> {
            pair.primary().stop();
            pair.primary().restart();
        });
        add("primary killed", 1, () -> {
            pair.primary().kill();
            pair.primary().restart();
        });
        int kills = (int) (seconds / SECONDS_A_KILL);
        add("session killed", kills, () -> kill(pair));
        add(
                "client aborted",
                kills,
                () -> writers.get(random.nextInt(writers.size())).abort());
    }

    private void add(String name, int count, Action action) {
        kinds.add(new Kind(name, count, action));
    }

    private static void toggleSemiSync(EmbeddedPair pair) {
        pair.primary().execute("SET GLOBAL rpl_semi_sync_master_enabled = 1 - @@rpl_semi_sync_master_enabled");
    }

    private static void kill(EmbeddedPair pair) {
        String id = pair.primary()
                .query("SELECT id FROM information_schema.processlist WHERE user = 'app' ORDER BY RAND() LIMIT 1");
        if (!id.isEmpty()) {
            try {
                pair.primary().execute("KILL CONNECTION " + id);
            } catch (EmbeddedException gone) {
                // It has ended meanwhile.
            }
        }
    }

    /** Does what is due after so much time. */
    void continueAt(double elapsed) throws IOException {
        for (Kind kind : kinds) {
            double due = seconds * PART * (kind.done + 0.5) / kind.count;
            if (kind.done < kind.count && elapsed >= due) {
                kind.done++;
                kind.action.run();
            }
        }
    }

    /** Returns what was done, by kind. */
    String summary() {
        List<String> parts = new ArrayList<>();
        kinds.forEach(kind -> parts.add(kind.name + " " + kind.done));
        return String.join(", ", parts);
    }

    boolean allDone() {
        return kinds.stream().allMatch(kind -> kind.done == kind.count);
    }
}
