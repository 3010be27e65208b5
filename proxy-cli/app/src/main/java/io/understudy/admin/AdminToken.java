package io.understudy.admin;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.jspecify.annotations.Nullable;

/** The bearer token that guards actions and SQL text. Only its hash is kept. Thread-safe. */
final class AdminToken {

    /** The result of checking a request's credentials. */
    enum Verdict {
        GRANTED,
        MISSING,
        WRONG,
        NOT_CONFIGURED
    }

    private static final String SCHEME = "Bearer ";

    private volatile byte @Nullable [] expected;

    /** Without a token, or with an empty one, no request is granted. */
    AdminToken(@Nullable String token) {
        replace(token);
    }

    /** Applies to later requests. */
    final void replace(@Nullable String token) {
        expected = token == null || token.isEmpty() ? null : hash(token);
    }

    Verdict check(@Nullable String authorization) {
        byte[] wanted = expected;
        if (wanted == null) {
            return Verdict.NOT_CONFIGURED;
        }
        if (authorization == null) {
            return Verdict.MISSING;
        }
        if (!authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            return Verdict.WRONG;
        }
        byte[] given = hash(authorization.substring(SCHEME.length()).strip());
        // Hashes are compared, so that the time taken tells neither the length nor a matching prefix.
        return MessageDigest.isEqual(wanted, given) ? Verdict.GRANTED : Verdict.WRONG;
    }

    private static byte[] hash(String token) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
