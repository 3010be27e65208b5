package io.understudy.plugins.gtiddomain.tagging;

import io.understudy.plugin.InjectionResult;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionVariable;
import io.understudy.plugin.VariableValue;
import io.understudy.plugins.gtiddomain.progress.DomainIndexes;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * State of one session's {@code gtid_domain_id}: its value, and whether it may be set. A session is away from the
 * default domain for one statement or transaction: before its next command it is set back, unless that one goes to the
 * same domain. Used on the session's event loop.
 */
final class SessionDomain implements SessionVariable.Listener {
    private static final List<String> NAMES = List.of("gtid_domain_id", "gtid_seq_no");

    final SessionVariable variable;
    private final SessionContext session;
    private final Accounts accounts;
    private final DomainMeters meters;
    private final PendingWrites pendingWrites;
    /** What the value rests on until it is set. */
    private Accounts.FreshDomain fresh;

    /** Whether a reset is in flight: what is sent behind it may run in the server's own domain. */
    private boolean resetting;

    private boolean stays;
    /** Whether this session may set the variable; null until the server has accepted it or refused it. */
    private @Nullable Boolean privileged;
    /** The user of whom that is known. */
    private String user;
    /** Whether the session has had another role than after its login: the user's other sessions tell nothing of it. */
    private boolean changedRole;

    SessionDomain(
            SessionContext session,
            Accounts accounts,
            DomainMeters meters,
            PendingWrites pendingWrites,
            VariableValue defaultDomain) {
        this.session = session;
        this.accounts = accounts;
        this.meters = meters;
        this.pendingWrites = pendingWrites;
        user = session.user();
        fresh = accounts.fresh();
        variable = new SessionVariable(NAMES, defaultDomain, this);
    }

    /** Returns the index of the domain in which the next statement runs unless the variable is set before it. */
    int index() {
        VariableValue present = variable.present();
        return variable.isClients() ? DomainIndexes.FOREIGN : present == null ? fresh.index() : (int) present.value();
    }

    /**
     * Returns the index under which the next statement is announced unless the variable is set before it: while its
     * domain is only believed, that of any domain.
     */
    int announced(Policy policy) {
        int believed = index();
        if (resetting && policy.tagging) {
            Accounts.FreshDomain after = accounts.fresh();
            return after.sure() && after.index() == believed ? believed : DomainIndexes.FOREIGN;
        }
        return isIn(believed) || !policy.tagging ? believed : DomainIndexes.FOREIGN;
    }

    /** Returns whether the next statement is certain to run in a domain unless the variable is set before it. */
    boolean isIn(int wanted) {
        return wanted == index() && (variable.present() != null || variable.isClients() || fresh.sure());
    }

    /**
     * Returns whether the session is no longer steered to other domains; it may still be set back to the default one.
     */
    boolean leftAlone() {
        return stays || variable.isLeftAlone();
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

    /**
     * Called when a write ran in the domain of another one because no statement could be injected before it: the
     * session does not leave the default domain again.
     */
    void stay() {
        stays = true;
    }

    /** Has the next statement run in a domain. Returns whether that takes an injected statement. */
    boolean steer(int wanted, Policy policy) {
        if (isIn(wanted) || wanted == DomainIndexes.FOREIGN) {
            variable.keep();
            return false;
        }
        variable.want(policy.value(wanted));
        return true;
    }

    /**
     * Probes whether the account may set the variable; that sets it to the default domain if its value is unknown.
     * Returns whether it does.
     */
    boolean probe(Policy policy) {
        int present = index();
        if (present == DomainIndexes.FOREIGN || !isIn(present)) {
            return steer(DomainIndexes.DEFAULT, policy);
        }
        variable.probe(policy.value(present));
        return false;
    }

    @Override
    public void onResponse(VariableValue value, InjectionResult result) {
        if (result.ok()) {
            privileged = true;
            if (!changedRole) {
                accounts.proven(session.user());
            }
            return;
        }
        if (lacksPrivilege(result.errorCode())) {
            privileged = false;
            if (!changedRole) {
                accounts.refused(session.user());
            }
            pendingWrites.unsteerable();
        }
        meters.refused(value.isProbe() ? index() : (int) value.value(), result.errorCode());
        if (!value.isProbe() && !variable.isClients()) {
            VariableValue confirmed = variable.confirmed();
            int own = fresh.sure() ? fresh.index() : DomainIndexes.FOREIGN;
            pendingWrites.moved((int) value.value(), confirmed == null ? own : (int) confirmed.value());
        }
    }

    /** Returns whether the error tells something about the account; KILL QUERY or a timeout does not. */
    private static boolean lacksPrivilege(int errorCode) {
        return switch (errorCode) {
            case 1227, 1370, 1305, 4209 -> true;
            default -> false;
        };
    }

    @Override
    public void onClientSets() {
        meters.clientSets();
    }

    /** Called when a client's statement may have changed the session's role, and its privileges with it. */
    void changesRole() {
        privileged = null;
        changedRole = true;
    }

    /** Called when a command that resets the session's variables has been sent. */
    void resetSent() {
        resetting = true;
    }

    /** Called with the response to the last such command. */
    void resetAnswered() {
        resetting = false;
    }

    /** Called when the session's variables have been reset to those after a login. */
    void reset() {
        fresh = accounts.fresh();
        stays = false;
        // The account's privileges are still those of its login; the reset may have changed the role.
        if (changedRole || !user.equals(session.user())) {
            privileged = null;
            user = session.user();
        }
    }
}
