package io.understudy.plugins.gtiddomain.tagging;

import io.understudy.plugin.SessionContext;
import io.understudy.rules.SessionRules;
import java.util.function.Supplier;

/** The policy that one session follows: the latest at each boundary. Used on the session's event loop. */
final class SessionPolicy {
    private final SessionContext session;
    private final Supplier<Policy> policies;
    private Policy policy;
    private SessionRules<TaggedRule> rules;

    SessionPolicy(SessionContext session, Supplier<Policy> policies) {
        this.session = session;
        this.policies = policies;
        policy = policies.get();
        rules = policy.rules.forSession(session);
    }

    /** Takes the latest policy; returns whether it is another one. */
    boolean refresh() {
        Policy latest = policies.get();
        if (latest == policy) {
            return false;
        }
        policy = latest;
        rules = latest.rules.forSession(session);
        return true;
    }

    Policy get() {
        return policy;
    }

    SessionRules<TaggedRule> rules() {
        return rules;
    }
}
