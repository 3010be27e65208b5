package io.understudy.config;

import io.understudy.config.bind.Checks;
import java.time.Duration;
import java.util.List;

/** Checks shared by the legs' configurations. */
final class Legs {

    private Legs() {}

    static void distinct(Checks checks, List<? extends Enum<?>> compression) {
        for (int i = 0; i < compression.size(); i++) {
            Enum<?> one = compression.get(i);
            checks.that(compression.indexOf(one) == i, "compression[" + i + "]", "is listed twice; remove one");
        }
    }

    /** Checks an address to connect to: port 0 is for listeners only. */
    static void dialable(Checks checks, Address address) {
        checks.that(
                address.isUnix() || address.port() != 0,
                "address",
                "port 0 cannot be connected to; write the server's port, usually 3306");
    }

    /** Checks a duration: timers of the event loop count milliseconds. */
    static void positive(Checks checks, Duration duration, String name) {
        checks.that(duration.toMillis() >= 1, name, "must be at least 1ms; there is no value that switches it off");
    }
}
