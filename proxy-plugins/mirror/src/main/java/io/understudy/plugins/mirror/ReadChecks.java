package io.understudy.plugins.mirror;

import io.understudy.plugin.PluginContext;
import io.understudy.plugins.mirror.verify.VerifiedRead;
import io.understudy.plugins.mirror.verify.Verifier;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Has a share of the mirrored reads checked. {@link #check} is thread-safe; the rest runs on the management thread. */
final class ReadChecks {
    private final PluginContext context;
    private final Runnable asked;
    private volatile Checking checking = Checking.NONE;

    /** @param asked called for each query to the primary */
    ReadChecks(PluginContext context, Runnable asked) {
        this.context = context;
        this.asked = asked;
    }

    /** Begins or ends the checks, or changes their share. */
    void share(@Nullable SampleRate share) {
        Checking before = checking;
        if (share != null && share.millionths() > 0 && !context.standbys().isEmpty()) {
            checking = before.with(share, () -> new Verifier(context, asked));
        } else {
            checking = Checking.NONE;
            before.close();
        }
    }

    /** Called when a statement was offered to its standbys. */
    void check(MirroredStatement statement) {
        checking.check(statement);
    }

    /** Adds the results to the plugin's view, if reads are checked. */
    void addTo(Map<String, Object> view) {
        checking.addTo(view);
    }

    private interface Checking {
        Checking NONE = new Checking() {
            @Override
            public Checking with(SampleRate share, Supplier<Verifier> verifier) {
                return new Running(verifier.get(), share);
            }

            @Override
            public void check(MirroredStatement statement) {}

            @Override
            public void addTo(Map<String, Object> view) {}

            @Override
            public void close() {}
        };

        /** @param verifier creates one, for the first share */
        Checking with(SampleRate share, Supplier<Verifier> verifier);

        void check(MirroredStatement statement);

        void addTo(Map<String, Object> view);

        void close();
    }

    private record Running(Verifier verifier, SampleRate share) implements Checking {
        @Override
        public Checking with(SampleRate changed, Supplier<Verifier> another) {
            return new Running(verifier, changed);
        }

        @Override
        public void check(MirroredStatement statement) {
            if (!statement.mayBeProbe()) {
                return;
            }
            List<StandbyMirror> targets = statement.rule().targets();
            for (StandbyMirror standby : targets) {
                if (!standby.pause().paused()
                        && share.takes(ThreadLocalRandom.current().nextInt())) {
                    verifier.offer(new VerifiedRead(
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

        @Override
        public void addTo(Map<String, Object> view) {
            view.put("verify", verifier.view());
        }

        @Override
        public void close() {
            verifier.close();
        }
    }
}
