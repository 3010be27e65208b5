package io.understudy.move;

import io.understudy.connection.auth.LoginSecret;
import org.jspecify.annotations.Nullable;

/**
 * What a session's user can be logged in with, or why nothing is known.
 *
 * @param secret a copy of the caller's own, who wipes it; null if nothing is known
 * @param reason for people; empty if a secret is known
 */
public record SecretOrReason(@Nullable LoginSecret secret, String reason) {
    static SecretOrReason of(LoginSecret secret) {
        return new SecretOrReason(secret, "");
    }

    static SecretOrReason unknown(String reason) {
        return new SecretOrReason(null, reason);
    }
}
