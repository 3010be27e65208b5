package io.understudy.plugins.gtiddomain.tagging;

import io.understudy.plugin.CommandView;
import io.understudy.plugin.InjectedStatement;
import io.understudy.plugin.InjectionResult;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.SessionObserver;
import io.understudy.plugins.gtiddomain.steering.LeverObserver;
import org.jspecify.annotations.Nullable;

/**
 * A session with levers and a domain. The domain has a statement of its own, because the server may refuse it alone and
 * because it may be a CALL.
 */
public final class SteeredSession implements SessionObserver {
    private final LeverObserver levers;
    private final SessionObserver domain;

    public SteeredSession(LeverObserver levers, SessionObserver domain) {
        this.levers = levers;
        this.domain = domain;
    }

    @Override
    public int interests() {
        return levers.interests() | domain.interests();
    }

    @Override
    public @Nullable InjectedStatement afterLogin() {
        return domain.afterLogin();
    }

    @Override
    public @Nullable InjectedStatement beforeCommand(CommandView command) {
        return InjectedStatement.both(domain.beforeCommand(command), levers.beforeCommand(command));
    }

    @Override
    public @Nullable InjectedStatement beforePreparation(CommandView command) {
        return InjectedStatement.both(domain.beforePreparation(command), levers.beforePreparation(command));
    }

    @Override
    public boolean owes() {
        return levers.owes() || domain.owes();
    }

    @Override
    public @Nullable InjectedStatement beforeUnknown(CommandView command) {
        return InjectedStatement.both(
                domain.owes() ? domain.beforeUnknown(command) : null,
                levers.owes() ? levers.beforeUnknown(command) : null);
    }

    @Override
    public void onCommand(CommandView command) {
        domain.onCommand(command);
        levers.onCommand(command);
    }

    @Override
    public void onResponse(CommandView command, ResponseView response) {
        domain.onResponse(command, response);
    }

    @Override
    public void onInjected(InjectedStatement statement, InjectionResult result) {
        (statement.purpose().equals(LeverObserver.PURPOSE) ? levers : domain).onInjected(statement, result);
    }

    @Override
    public void onReset() {
        domain.onReset();
        levers.onReset();
    }

    @Override
    public @Nullable InjectedStatement onRetired() {
        return InjectedStatement.both(domain.onRetired(), levers.onRetired());
    }

    @Override
    public @Nullable InjectedStatement onRemoved() {
        return InjectedStatement.both(domain.onRemoved(), levers.onRemoved());
    }

    @Override
    public void onClose(String reason) {
        domain.onClose(reason);
    }
}
