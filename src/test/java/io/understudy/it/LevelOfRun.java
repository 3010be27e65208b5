package io.understudy.it;

import io.understudy.config.LogLevel;
import io.understudy.logging.EventLog;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Has each class begin with the level of {@code run}: commands that earlier tests ran in this JVM have set their own.
 * Found by its entry in {@code META-INF/services}.
 */
public final class LevelOfRun implements BeforeAllCallback {
    @Override
    public void beforeAll(ExtensionContext tests) {
        EventLog.level(LogLevel.INFO);
    }
}
