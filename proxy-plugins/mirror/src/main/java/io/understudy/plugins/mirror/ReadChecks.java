package io.understudy.plugins.mirror;

import io.understudy.plugin.PluginContext;
import io.understudy.plugins.mirror.playback.MirroredStatement;
import io.understudy.plugins.mirror.playback.StandbyMirror;
import io.understudy.plugins.mirror.selection.SampleRate;
import io.understudy.plugins.mirror.verify.VerifiedRead;
import io.understudy.plugins.mirror.verify.Verifier;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** Has a share of the mirrored reads checked. {@link #check} is thread-safe; the rest runs on the management thread. */
final class ReadChecks {
    private final PluginContext context;
    private final Runnable asked;
    private volatile @Nullable Running running;

    private record Running(Verifier verifier, SampleRate share) {}

    /** @param asked called for each query to the primary */
    ReadChecks(PluginContext context, Runnable asked) {
        this.context = context;
        this.asked = asked;
    }

    /** Begins or ends the checks, or changes their share. */
    void share(@Nullable SampleRate share) {
        Running before = running;
        if (share != null && share.millionths() > 0 && !context.standbys().isEmpty()) {
            running = new Running(before == null ? new Verifier(context, asked) : before.verifier(), share);
        } else if (before != null) {
            running = null;
            before.verifier().close();
        }
    }

    /** Called when a statement was offered to its standbys. */
    void check(MirroredStatement statement) {
        Running now = running;
        if (now == null || !statement.mayBeProbe()) {
            return;
        }
        for (StandbyMirror standby : statement.rule().targets()) {
            if (!standby.pause().paused()
                    && now.share().takes(ThreadLocalRandom.current().nextInt())) {
                now.verifier()
                        .offer(new VerifiedRead(
                                standby.standby(),
                                statement.sql(),
                                statement.values(),
                                statement.setting().schema(),
                                statement.setting().sqlMode(),
                                statement.tables(),
                                statement.digest()));
            }
        }
    }

    /** Adds the results to the plugin's view, if reads are checked. */
    void addTo(Map<String, Object> view) {
        Running now = running;
        if (now != null) {
            view.put("verify", now.verifier().view());
        }
    }
}
