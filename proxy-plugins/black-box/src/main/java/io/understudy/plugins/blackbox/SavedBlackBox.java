package io.understudy.plugins.blackbox;

import io.understudy.base.Secret;
import io.understudy.plugin.SavedTransactions;
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.plugins.blackbox.log.LogFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A black box of which the log alone is there. What was answered is not known: the log does not tell it. */
public final class SavedBlackBox implements SavedTransactions {
    @Override
    public Actions open(Path directory, @Nullable Secret key) throws IOException {
        BlackBox box = new BlackBox(Long.MAX_VALUE, false, System::nanoTime);
        String holder = LogFiles.read(directory, key, box.restored(Clock.systemUTC()));
        List<PrimaryFacts> primaries = box.primaries();
        if (primaries.isEmpty()) {
            throw new IOException(directory + " does not tell of which primary it is: all of its files are damaged");
        }
        KeptTransaction last = box.ended(
                holder == null
                        ? "this is from the log in " + directory + ", which does not tell what was answered"
                        : directory + " is being written" + holder + ": this is what it held a moment ago, and not"
                                + " what was answered; ask that proxy instead");
        Clock clock = Clock.systemUTC();
        String doubt = last == null
                ? RunningBlackBox.DOUBT
                : "what clients were told after " + last.gtid.text() + " of "
                        + clock.instant()
                                .minusNanos(System.nanoTime() - last.nanos)
                                .truncatedTo(ChronoUnit.SECONDS)
                        + ": the log ends there. A proxy that died with the primary, its witness present, has all";
        LostReport report =
                new LostReport(box, new SessionEvents(box), () -> null, clock, System::nanoTime, Map::of, () -> doubt);
        Rescue rescue = new Rescue(box, () -> null);
        return (name, parameters) -> act(box, report, rescue, name, parameters);
    }

    private static Object act(
            BlackBox box, LostReport report, Rescue rescue, String name, Map<String, String> parameters) {
        List<PrimaryFacts> primaries = box.primaries();
        PrimaryFacts present = primaries.get(primaries.size() - 1);
        switch (name) {
            case "lost":
                return report.of(Survivors.reported(parameters, present.flavor()));
            case "lost/look":
                return report.unrecorded(Survivors.reported(parameters, present.flavor()));
            case "lost/applied":
                return report.applied(parameters);
            case "lost/rescue":
                return rescue.begin(Survivors.reported(parameters, present.flavor()), !parameters.containsKey("look"));
            default:
                if (name.startsWith("lost/rescue/")) {
                    return rescue.part(Integer.parseInt(name.substring("lost/rescue/".length())));
                }
                throw new IllegalArgumentException("a proxy that is down cannot be asked for " + name);
        }
    }
}
