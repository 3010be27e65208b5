package io.understudy.config;

import io.understudy.base.Durations;
import io.understudy.config.bind.Checks;
import java.time.Duration;
import java.util.List;

/**
 * What happens to clients while there is no primary, and when there is another one.
 *
 * @param hold how long logins and sessions at a boundary wait for one; 0: not at all
 * @param sessions what becomes of a session at its boundary when another server is the primary
 * @param accounts users whose sessions the proxy logs in to a new primary with a password of its own; may be empty
 * @param fullAuthentication whether clients of caching_sha2_password are asked for the password over TLS that the proxy
 *     ends, where the server needs it not
 */
public record FailoverConfig(
        Duration hold, Sessions sessions, List<FailoverAccount> accounts, Boolean fullAuthentication) {
    /** What becomes of a session. */
    public enum Sessions {
        /** It ends with ERROR 1053. */
        CLOSE,
        /** It goes on at the new primary. */
        MOVE
    }

    /** Longer than that no client waits, and a person decides. */
    private static final Duration LONGEST = Duration.ofMinutes(10);

    public FailoverConfig {
        hold = hold == null ? Duration.ZERO : hold;
        sessions = sessions == null ? Sessions.CLOSE : sessions;
        accounts = accounts == null ? List.of() : List.copyOf(accounts);
        fullAuthentication = fullAuthentication == null ? Boolean.FALSE : fullAuthentication;
        Checks checks = new Checks()
                .that(
                        hold.compareTo(LONGEST) <= 0,
                        "hold",
                        "expected 0s to " + Durations.format(LONGEST) + " but found " + Durations.format(hold));
        for (int i = 0; i < accounts.size(); i++) {
            String user = accounts.get(i).user();
            checks.that(
                    accounts.subList(0, i).stream()
                            .noneMatch(earlier -> earlier.user().equals(user)),
                    "accounts[" + i + "].user",
                    "is listed above; one password for each user");
        }
        checks.done();
    }
}
