package io.understudy.config;

import io.understudy.base.Durations;
import io.understudy.config.bind.Checks;
import java.time.Duration;

/**
 * What happens to clients while there is no primary.
 *
 * @param hold how long logins and sessions at a boundary wait for one; 0: not at all
 */
public record FailoverConfig(Duration hold) {
    /** Longer than that no client waits, and a person decides. */
    private static final Duration LONGEST = Duration.ofMinutes(10);

    public FailoverConfig {
        hold = hold == null ? Duration.ZERO : hold;
        new Checks()
                .that(
                        hold.compareTo(LONGEST) <= 0,
                        "hold",
                        "expected 0s to " + Durations.format(LONGEST) + " but found " + Durations.format(hold))
                .done();
    }

    /** Returns the defaults. */
    public static FailoverConfig defaults() {
        return new FailoverConfig(Duration.ZERO);
    }
}
