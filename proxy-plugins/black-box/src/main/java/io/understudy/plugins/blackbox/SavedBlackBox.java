package io.understudy.plugins.blackbox;

import io.understudy.base.Secret;
import io.understudy.plugin.SavedTransactions;
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.plugins.blackbox.history.KeptTransaction;
import io.understudy.plugins.blackbox.history.Survivor;
import io.understudy.plugins.blackbox.kept.BlackBox;
import io.understudy.plugins.blackbox.kept.SessionEvents;
import io.understudy.plugins.blackbox.log.LogFiles;
import io.understudy.plugins.blackbox.lost.LostReport;
import io.understudy.plugins.blackbox.lost.Rescue;
import io.understudy.plugins.blackbox.lost.Survivors;
import io.understudy.plugins.blackbox.outcome.Outcomes;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A black box of which the log alone is there. What was answered is not known: the log does not tell it. */
public final class SavedBlackBox implements SavedTransactions {
    /** Parameter: the server id of that of which the standby replicates. */
    private static final String SOURCE = "source";

    private static final String PARTS = "lost/rescue/";

    @Override
    public Actions open(Path directory, @Nullable Secret key) throws IOException {
        BlackBox box = new BlackBox(Long.MAX_VALUE, false, System::nanoTime);
        String holder = LogFiles.read(directory, key, box.restored(Clock.systemUTC()));
        List<PrimaryFacts> primaries = box.primaries();
        if (primaries.isEmpty()) {
            throw new IOException(directory + " does not tell of which primary it is: all of its files are damaged");
        }
        return new Saved(
                box,
                holder == null
                        ? "this is from the log in " + directory + ", which does not tell what was answered"
                        : directory + " is being written" + holder + ": this is what it held a moment ago, and not"
                                + " what was answered; ask that proxy instead");
    }

    /** What is asked about a standby of one server is answered by the part of the log that is that server's. */
    private static final class Saved implements Actions {
        private final BlackBox box;
        private final String why;
        private final Rescue rescue;
        private List<Long> leftOut = List.of();

        private Saved(BlackBox box, String why) {
            this.box = box;
            this.why = why;
            rescue = new Rescue(box, () -> null, (survivor, read) -> report().notKnown(survivor, read));
        }

        @Override
        public Object act(String name, Map<String, String> parameters) {
            String source = parameters.get(SOURCE);
            if (source != null && leftOut.isEmpty()) {
                leftOut = box.endWith(Long.parseLong(source));
            }
            Object response = respond(name, parameters);
            if (!leftOut.isEmpty() && response instanceof Map<?, ?> view) {
                Map<String, Object> more = new LinkedHashMap<>();
                view.forEach((key, value) -> more.put(String.valueOf(key), value));
                more.put("leftOut", leftOut);
                return more;
            }
            return response;
        }

        private Object respond(String name, Map<String, String> parameters) {
            if (name.startsWith(PARTS)) {
                return rescue.part(Integer.parseInt(name.substring(PARTS.length())));
            }
            List<PrimaryFacts> primaries = box.primaries();
            Survivor survivor = Survivors.reported(
                    parameters, primaries.get(primaries.size() - 1).flavor());
            return switch (name) {
                case "lost" -> report().of(survivor);
                case "lost/look" -> report().unrecorded(survivor);
                case "lost/applied" -> report().applied(survivor, parameters.getOrDefault(LostReport.NUMBERS, ""));
                case "lost/rescue" -> rescue.begin(survivor, !parameters.containsKey("look"));
                default ->
                    throw new IllegalArgumentException("only a running proxy notes that a server was compared:"
                            + " start it, and leave out --directory");
            };
        }

        private LostReport report() {
            KeptTransaction last = box.ended(why);
            Clock clock = Clock.systemUTC();
            String doubt = last == null
                    ? RunningBlackBox.DOUBT
                    : "what clients were told after " + last.gtid.text() + " of "
                            + clock.instant()
                                    .minusNanos(System.nanoTime() - last.nanos)
                                    .truncatedTo(ChronoUnit.SECONDS)
                            + ": the log ends there. A proxy that died with the primary, its witness present, has all";
            return new LostReport(
                    box,
                    new SessionEvents(box, () -> {}),
                    new Outcomes(),
                    () -> null,
                    clock,
                    System::nanoTime,
                    Map::of,
                    () -> doubt,
                    () -> false);
        }
    }
}
