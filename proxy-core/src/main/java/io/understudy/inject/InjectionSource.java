package io.understudy.inject;

import io.understudy.plugin.CommandView;
import io.understudy.plugin.InjectedStatement;
import org.jspecify.annotations.Nullable;

/** Who may want a statement added, in the order in which they are asked. */
public interface InjectionSource {
    int size();

    /** Whether anyone may want to add a statement now: only then are statements held until they are known whole. */
    default boolean wants() {
        return true;
    }

    /** Asks one; null for no. */
    @Nullable
    InjectedStatement beforeCommand(int observer, CommandView command);
}
