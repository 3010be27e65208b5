package io.understudy.replay;

import io.understudy.config.Address;
import io.understudy.config.Secret;
import io.understudy.config.ServerTlsConfig;
import org.jspecify.annotations.Nullable;

/**
 * What to play, where and how.
 *
 * @param to the target
 * @param speed times as fast as logged, or 0 for as fast as possible
 * @param readsOnly only what the mirror would send, in sessions that cannot write
 * @param connections at the same time
 * @param fromMicros first start time to play
 * @param untilMicros start time at which to end
 * @param onlyUser only sessions of that user, or null
 * @param onlySchema only statements with that default schema, or null
 */
public record ReplayOptions(
        Address to,
        String user,
        Secret password,
        ServerTlsConfig tls,
        double speed,
        boolean readsOnly,
        int connections,
        long fromMicros,
        long untilMicros,
        @Nullable String onlyUser,
        @Nullable String onlySchema) {}
