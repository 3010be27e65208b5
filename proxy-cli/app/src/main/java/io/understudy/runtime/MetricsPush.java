package io.understudy.runtime;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.understudy.config.Address;
import io.understudy.config.OtlpConfig;
import io.understudy.config.UnderstudyConfig;
import io.understudy.otlp.OtlpPush;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Clock;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Has the metrics pushed as the configuration in force says. Thread-safe. */
final class MetricsPush implements AutoCloseable {
    private final PrometheusMeterRegistry registry;
    /** Guarded by this, as the next two. */
    private @Nullable OtlpConfig config;

    private @Nullable OtlpPush push;
    private boolean closed;

    MetricsPush(PrometheusMeterRegistry registry) {
        this.registry = registry;
    }

    /** Begins, changes or ends the push. */
    synchronized void apply(UnderstudyConfig next) {
        OtlpConfig wanted = next.metrics().otlp();
        // The content of an authority's file may be what has changed.
        boolean same = wanted == null ? config == null : wanted.equals(config) && wanted.tls() == null;
        if (closed || same) {
            return;
        }
        if (push != null) {
            push.stop(wanted == null);
            push = null;
        }
        config = wanted;
        if (wanted != null) {
            Address listens = next.listen().address().get(0);
            push = OtlpPush.start(
                    wanted,
                    () -> registry.getPrometheusRegistry().scrape(),
                    () -> resource(listens),
                    registry,
                    Clock.systemUTC());
        }
    }

    /** Returns attributes that tell this process from others, the same before and after a restart. */
    private static Map<String, String> resource(Address listens) {
        String where = listens.isUnix() ? listens.path() : String.valueOf(listens.port());
        return Map.of(
                "service.name",
                "understudy",
                "service.version",
                BuildInfo.current().version(),
                "service.instance.id",
                hostName() + ":" + where);
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "unknown-host";
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (push != null) {
            push.close();
            push = null;
        }
    }
}
