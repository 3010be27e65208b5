package io.understudy.plugins.gtiddomain.tagging;

import io.understudy.plugin.InjectedStatement;
import io.understudy.plugin.InjectionResult;
import io.understudy.plugin.SessionContext;
import io.understudy.plugins.gtiddomain.progress.DomainIndexes;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * State of one session's {@code gtid_domain_id}: its value, and whether it may be set. A session is away from the
 * default domain for one statement or transaction: before its next command it is set back, unless that one goes to the
 * same domain. Used on the session's event loop.
 */
final class SessionDomain {
    /** Refusals after which a session no longer leaves the default domain. */
    static final int MAX_REFUSALS = 3;

    private final SessionContext session;
    private final Accounts accounts;
    private final DomainMeters meters;
    /** Domain indexes set by statements in flight, in their order. */
    private final ArrayDeque<Integer> pending = new ArrayDeque<>(2);

    private int index;
    /** The index that the server has confirmed. */
    private int confirmed;
    /** What the index rests on until it was set. */
    private FreshDomain fresh;

    private int refusals;
    private boolean clientSteers;
    private boolean stays;
    private boolean injected;
    /** Whether this session may set the variable; null until the server has accepted it or refused it. */
    private @Nullable Boolean privileged;
    /** The user of whom that is known. */
    private String user;
    /** Whether the session has had another role than after its login: the user's other sessions tell nothing of it. */
    private boolean changedRole;

    SessionDomain(SessionContext session, Accounts accounts, DomainMeters meters) {
        this.session = session;
        this.accounts = accounts;
        user = session.user();
        this.meters = meters;
        fresh = accounts.fresh();
        index = fresh.index();
        confirmed = index;
    }

    /** Returns the index of the domain in which the next statement runs unless another one is injected. */
    int index() {
        if (fresh != FreshDomain.SET) {
            confirmed = fresh.index();
            index = pending.isEmpty() ? confirmed : index;
        }
        return index;
    }

    /**
     * Returns the index under which the next statement is announced unless another one is injected: while its domain is
     * only believed, that of any domain.
     */
    int announced(Policy policy) {
        int believed = index();
        return isIn(believed) || !policy.tagging ? believed : DomainIndexes.FOREIGN;
    }

    /** Returns whether the next statement is certain to run in a domain unless another one is injected. */
    boolean isIn(int wanted) {
        return wanted == index() && (fresh.sure() || !pending.isEmpty());
    }

    /** Returns whether the client has set the variable itself. */
    boolean clientSteers() {
        return clientSteers;
    }

    /**
     * Returns whether the session is no longer steered to other domains; it may still be set back to the default one.
     */
    boolean leftAlone() {
        return clientSteers || stays || refusals >= MAX_REFUSALS;
    }

    /** Returns whether the server is believed to accept the variable from the session. */
    boolean proven() {
        return privileged == null ? !changedRole && accounts.isProven(session.user()) : privileged;
    }

    /** Returns whether it is not known whether the server accepts it. */
    boolean unknown() {
        return privileged == null && (changedRole || accounts.isUnknown(session.user()));
    }

    /** Returns whether the server is believed to refuse it. */
    boolean refused() {
        return privileged == null ? !changedRole && accounts.isRefused(session.user()) : !privileged;
    }

    /** Returns whether the plugin has set it to another domain than the default one. */
    boolean away() {
        return injected && !clientSteers && index() != DomainIndexes.DEFAULT;
    }

    /**
     * Called when a write ran in the domain of another one because no statement could be injected before it: the
     * session does not leave the default domain again.
     */
    void stay() {
        stays = true;
    }

    /**
     * Returns the statement that sets the session back to the default domain; null if it is there, or the value is not
     * the plugin's.
     */
    @Nullable
    InjectedStatement back(Policy policy) {
        return away() ? steer(DomainIndexes.DEFAULT, policy) : null;
    }

    /** Returns the statement to inject so that the next one runs in a domain; null if it does anyway. */
    @Nullable
    InjectedStatement steer(int wanted, Policy policy) {
        if (isIn(wanted) || wanted == DomainIndexes.FOREIGN) {
            return null;
        }
        pending.add(wanted);
        index = wanted;
        injected = true;
        return policy.set(wanted);
    }

    /**
     * Returns the statement that probes whether the account may set the variable; it changes the value only if that is
     * unknown.
     */
    @Nullable
    InjectedStatement probe(Policy policy) {
        return index() == DomainIndexes.FOREIGN || !fresh.sure()
                ? steer(DomainIndexes.DEFAULT, policy)
                : policy.probe(index);
    }

    /** Called with the response to the oldest injected statement in flight. */
    void onInjected(InjectedStatement statement, InjectionResult result, PendingWrites pendingWrites) {
        Integer set = statement.purpose().equals(Policy.SET) ? pending.poll() : null;
        if (result.ok()) {
            privileged = true;
            if (!changedRole) {
                accounts.proven(session.user());
            }
            if (set != null) {
                confirmed = set;
                fresh = FreshDomain.SET;
            }
            return;
        }
        refusals++;
        if (lacksPrivilege(result.errorCode())) {
            privileged = false;
            if (!changedRole) {
                accounts.refused(session.user());
            }
            pendingWrites.unsteerable();
        }
        meters.refused(set == null ? index : set, result.errorCode());
        if (set != null && !clientSteers) {
            index();
            pendingWrites.moved(set, fresh.sure() ? confirmed : DomainIndexes.FOREIGN);
            index = pending.isEmpty() ? confirmed : index;
        }
    }

    /** Returns whether the error tells something about the account; KILL QUERY or a timeout does not. */
    private static boolean lacksPrivilege(int errorCode) {
        return switch (errorCode) {
            case 1227, 1370, 1305, 4209 -> true;
            default -> false;
        };
    }

    /** Called when a client's statement names the variable. */
    void clientSets() {
        if (!clientSteers) {
            meters.clientSets();
        }
        clientSteers = true;
        fresh = FreshDomain.SET;
        index = DomainIndexes.FOREIGN;
    }

    /** Called when a client's statement may have changed the session's role, and its privileges with it. */
    void changesRole() {
        privileged = null;
        changedRole = true;
    }

    /** Called when the session's variables have been reset to those after a login. */
    void reset() {
        fresh = accounts.fresh();
        confirmed = fresh.index();
        index = pending.isEmpty() ? confirmed : index;
        clientSteers = false;
        stays = false;
        injected = !pending.isEmpty();
        refusals = 0;
        // The account's privileges are still those of its login; the reset may have changed the role.
        if (changedRole || !user.equals(session.user())) {
            privileged = null;
            user = session.user();
        }
    }
}
