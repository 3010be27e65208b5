package io.understudy.cli.ready;

import io.understudy.readiness.ProxyFigures;
import io.understudy.remote.AdminClient;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What the plugins of a running proxy have published, for the readiness gate of this process.
 *
 * @param patience for each question
 */
record AdminFigures(AdminClient proxy, Duration patience) implements ProxyFigures.Source {
    @Override
    public @Nullable Object view(String name) throws IOException, InterruptedException {
        return proxy.value(name, patience);
    }

    @Override
    public @Nullable Object lost(String standby) throws IOException, InterruptedException {
        return proxy.within(patience).act("lost/look?on=" + URLEncoder.encode(standby, StandardCharsets.UTF_8));
    }
}
