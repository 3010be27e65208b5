package io.understudy.testkit;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Has tests that name no time wait for half a minute, not ten seconds: a machine that builds something else besides may
 * stop for seconds. Found by its entry in {@code META-INF/services}, in all modules.
 */
public final class Patience implements BeforeAllCallback {
    static final Duration LONGEST = Duration.ofSeconds(30);

    @Override
    public void beforeAll(ExtensionContext tests) {
        Awaitility.setDefaultTimeout(LONGEST);
    }
}
