package io.understudy.session;

import io.understudy.plugin.SessionRefusal;

/**
 * Thrown where a plugin refuses a login or a command. Has no stack trace, because repeated attempts must stay cheap.
 */
final class PluginRefusal extends RuntimeException {
    private static final long serialVersionUID = 1L;

    final transient SessionRefusal refusal;

    PluginRefusal(SessionRefusal refusal) {
        super(refusal.message(), null, false, false);
        this.refusal = refusal;
    }
}
