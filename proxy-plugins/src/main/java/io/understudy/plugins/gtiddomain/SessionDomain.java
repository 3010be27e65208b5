package io.understudy.plugins.gtiddomain;

import io.understudy.plugin.InjectedStatement;
import io.understudy.plugin.InjectionResult;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one session's {@code gtid_domain_id}: its value, and whether it can and may be set. A session is away from the default
 * domain for one statement or transaction: ahead of its next command it is set back, unless that one goes to the same domain. On
 * the session's event loop.
 */
final class SessionDomain {
    /** Refusals after which a session does not leave the default domain any more. */
    static final int MAX_REFUSALS = 3;

    private final Accounts accounts;
    private final DomainMeters meters;
    /** Slots that statements in flight set, in their order. */
    private final ArrayDeque<Integer> pending = new ArrayDeque<>(2);

    private int slot;
    /** The slot as the server has confirmed it. */
    private int confirmed;

    private int refusals;
    private boolean clientSteers;
    private boolean stays;
    private boolean injected;

    SessionDomain(Accounts accounts, DomainMeters meters) {
        this.accounts = accounts;
        this.meters = meters;
        slot = accounts.freshSlot();
        confirmed = slot;
    }

    /** Where the next statement goes if nothing is done. */
    int slot() {
        return slot;
    }

    /** The client has set the variable itself. */
    boolean clientSteers() {
        return clientSteers;
    }

    /** It is not moved away from where it is; away from the default domain it is still set back. */
    boolean leftAlone() {
        return clientSteers || stays || refusals >= MAX_REFUSALS;
    }

    boolean refusedBefore() {
        return refusals > 0;
    }

    /** The plugin has set it to another domain than the default one. */
    boolean away() {
        return injected && !clientSteers && slot != DomainSlots.DEFAULT;
    }

    /** A write went out in the domain that another one was meant for, since nothing could go ahead of it: never again in this session. */
    void stay() {
        stays = true;
    }

    /** What sets it back to the default domain; null when it is there, or the value is not the plugin's. */
    @Nullable
    InjectedStatement back(Policy policy) {
        return away() ? steer(DomainSlots.DEFAULT, policy) : null;
    }

    /** What is to be sent so that the next statement goes to a slot; null when it does anyway. */
    @Nullable
    InjectedStatement steer(int wanted, Policy policy) {
        if (wanted == slot || wanted == DomainSlots.FOREIGN) {
            return null;
        }
        pending.add(wanted);
        slot = wanted;
        injected = true;
        return policy.set(wanted);
    }

    /** What is to be sent to learn whether the account may set the variable; changes it only from an unknown value. */
    @Nullable
    InjectedStatement probe(Policy policy) {
        return slot == DomainSlots.FOREIGN ? steer(DomainSlots.DEFAULT, policy) : policy.probe(slot);
    }

    /** The server's answer to the oldest statement that is not answered. */
    void answered(InjectedStatement statement, InjectionResult result, String user, OpenClaims claims) {
        Integer set = statement.purpose().equals(Policy.SET) ? pending.poll() : null;
        if (result.ok()) {
            accounts.proven(user);
            confirmed = set == null ? confirmed : set;
            return;
        }
        refusals++;
        accounts.refused(user);
        meters.refused(set == null ? slot : set, result.errorCode());
        if (set != null && !clientSteers) {
            claims.moved(set, confirmed);
            slot = pending.isEmpty() ? confirmed : slot;
        }
    }

    /** A statement of the client's names the variable. */
    void clientSets() {
        if (!clientSteers) {
            meters.clientSets();
        }
        clientSteers = true;
        slot = DomainSlots.FOREIGN;
    }

    /** The session's variables are as after a login. */
    void reset() {
        confirmed = accounts.freshSlot();
        slot = pending.isEmpty() ? confirmed : slot;
        clientSteers = false;
        stays = false;
        injected = !pending.isEmpty();
        refusals = 0;
    }
}
