package io.understudy.plugins.mirror.playback;

import io.understudy.base.Secret;
import io.understudy.plugins.mirror.selection.MirrorConfig;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Sections with the defaults for warmth. */
@SuppressWarnings("NullAway") // absent keys are null
public final class MirrorConfigs {
    private MirrorConfigs() {}

    public static MirrorConfig of(
            @Nullable Integer concurrency,
            MirrorConfig.@Nullable Queue queue,
            @Nullable Duration timeout,
            @Nullable List<Secret> initSql,
            MirrorConfig.@Nullable Order order,
            MirrorConfig.@Nullable PauseAbove pauseAbove,
            @Nullable List<String> functions,
            @Nullable List<MirrorConfig.Rule> rules) {
        return new MirrorConfig(
                concurrency,
                queue,
                timeout,
                initSql,
                order,
                pauseAbove,
                functions,
                rules,
                null,
                null,
                null,
                null,
                null,
                null,
                null);
    }
}
