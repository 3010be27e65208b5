package io.understudy.replay;

import io.understudy.base.Secret;
import io.understudy.config.Address;
import io.understudy.config.ServerTlsConfig;

/**
 * The options of a replay.
 *
 * @param to the target
 * @param speed times as fast as logged, or 0 for as fast as possible
 * @param filter what to play; with reads only, sessions cannot write
 * @param connections at the same time
 */
public record ReplayOptions(
        Address to,
        String user,
        Secret password,
        ServerTlsConfig tls,
        double speed,
        LogFilter filter,
        int connections) {

    boolean readsOnly() {
        return filter.readsOnly();
    }
}
