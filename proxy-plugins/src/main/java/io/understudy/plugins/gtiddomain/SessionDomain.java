package io.understudy.plugins.gtiddomain;

import io.understudy.plugin.InjectedStatement;
import io.understudy.plugin.InjectionResult;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one session's {@code gtid_domain_id}: its value, and whether it can and may be set. On the session's
 * event loop.
 */
final class SessionDomain {
    /** Refusals after which a session is left alone. */
    static final int MAX_REFUSALS = 3;

    private final Accounts accounts;
    private final DomainMeters meters;
    private int slot;
    private int slotBefore;
    private int refusals;
    private boolean clientSteers;
    private boolean ours;

    SessionDomain(Accounts accounts, DomainMeters meters) {
        this.accounts = accounts;
        this.meters = meters;
        slot = accounts.freshSlot();
    }

    /** Where the next statement goes if nothing is done. */
    int slot() {
        return slot;
    }

    /** The client has set the variable itself. */
    boolean clientSteers() {
        return clientSteers;
    }

    boolean leftAlone() {
        return clientSteers || refusals >= MAX_REFUSALS;
    }

    /** The value was set by the plugin, so that it is the plugin's to set back. */
    boolean ours() {
        return ours;
    }

    boolean refusedBefore() {
        return refusals > 0;
    }

    /** What is to be sent so that the next statement goes to a slot; null when it does anyway. */
    @Nullable
    InjectedStatement steer(int wanted, Policy policy) {
        if (wanted == slot || wanted == DomainSlots.FOREIGN) {
            return null;
        }
        slotBefore = slot;
        slot = wanted;
        ours = true;
        return policy.set(wanted);
    }

    /** What is to be sent to learn whether the account may set the variable; changes it only from an unknown value. */
    @Nullable
    InjectedStatement probe(Policy policy) {
        return slot == DomainSlots.FOREIGN ? steer(DomainSlots.DEFAULT, policy) : policy.probe(slot);
    }

    /** The server's answer to the statement sent last. */
    void answered(InjectedStatement statement, InjectionResult result, String user, OpenClaims claims) {
        boolean set = statement.purpose().equals(Policy.SET);
        if (result.ok()) {
            accounts.proven(user);
            return;
        }
        refusals++;
        accounts.refused(user);
        meters.refused(slot, result.errorCode());
        if (set && !clientSteers) {
            claims.moved(slot, slotBefore);
            slot = slotBefore;
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
        slot = accounts.freshSlot();
        clientSteers = false;
        ours = false;
        refusals = 0;
    }
}
