package io.understudy.session;

import io.understudy.plugin.CommandView;
import io.understudy.plugin.InjectedStatement;
import io.understudy.plugin.SessionObserver;
import org.jspecify.annotations.Nullable;

/** Stands in for a retired observer: injects what {@link SessionObserver#onRetired} returned, once. */
final class UndoingObserver implements SessionObserver {
    private @Nullable InjectedStatement undo;

    UndoingObserver(InjectedStatement undo) {
        this.undo = undo;
    }

    @Override
    public boolean owes() {
        return undo != null;
    }

    @Override
    public @Nullable InjectedStatement beforeCommand(CommandView command) {
        return take();
    }

    @Override
    public @Nullable InjectedStatement beforePreparation(CommandView command) {
        return take();
    }

    @Override
    public @Nullable InjectedStatement beforeUnknown(CommandView command) {
        return take();
    }

    /** The server has undone it. */
    @Override
    public void onReset() {
        undo = null;
    }

    private @Nullable InjectedStatement take() {
        InjectedStatement statement = undo;
        undo = null;
        return statement;
    }
}
