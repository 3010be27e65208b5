package io.understudy.host;

import org.jspecify.annotations.Nullable;

/** A configured plugin cannot work; the message names it and says why. */
public final class PluginStartException extends Exception {
    private static final long serialVersionUID = 1L;

    PluginStartException(String plugin, @Nullable String reason, @Nullable Throwable cause) {
        super("plugin " + plugin + " cannot start: " + reason, cause);
    }
}
