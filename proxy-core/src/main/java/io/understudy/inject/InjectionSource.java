package io.understudy.inject;

import io.understudy.plugin.CommandView;
import io.understudy.plugin.InjectedStatement;
import org.jspecify.annotations.Nullable;

/** Who may want a statement added, in the order in which they are asked. */
public interface InjectionSource {
    int size();

    /** Asks one; null for no. */
    @Nullable
    InjectedStatement beforeCommand(int observer, CommandView command);
}
